import { compareCommand } from './access-difference/index.ts';
import { applyCommands } from './apply/commands.ts';
import { onboardCommand } from './apply/onboard.ts';
import type { Command } from './command.ts';
import { approvalCommands } from './commands/approvals.ts';
import { auditCommands } from './commands/audit.ts';
import { edgeKindCommands } from './commands/edges.ts';
import { entitlementCommands } from './commands/entitlements.ts';
import { grantCommands } from './commands/grants.ts';
import { groupCommands } from './commands/groups.ts';
import { linkCommands } from './commands/links.ts';
import { nameCommands } from './commands/names.ts';
import { permissionCommands } from './commands/permissions.ts';
import { plainCommands } from './commands/plain.ts';
import { policyCommands } from './commands/policies.ts';
import { propertyCommands } from './commands/properties.ts';
import { recordCommands } from './commands/records.ts';
import { resourceTypeCommands } from './commands/resource-types.ts';
import { templateCommands } from './commands/role-templates.ts';
import { roleCommands } from './commands/roles.ts';
import { routeCommands } from './commands/routes.ts';
import { moveCommand } from './commands/scope-move.ts';
import { deleteTreeCommand } from './commands/scope-tree.ts';
import { scopeTypeCommands } from './commands/scope-types.ts';
import { scopeCommands } from './commands/scopes.ts';
import { settingCommands } from './commands/settings.ts';
import { tokenCommands } from './commands/tokens.ts';
import { transactionCommand } from './commands/transaction.ts';
import { eraseCommand } from './commands/user-erase.ts';
import { userCommands } from './commands/users.ts';

const byName = (commands: readonly Command[]): ReadonlyMap<string, Command> =>
  new Map(commands.map((command) => [command.name, command]));

const ALONE = byName([
  ...scopeCommands,
  moveCommand,
  deleteTreeCommand,
  ...scopeTypeCommands,
  ...userCommands,
  eraseCommand,
  ...groupCommands,
  ...roleCommands,
  ...templateCommands,
  ...permissionCommands,
  ...propertyCommands,
  ...resourceTypeCommands,
  ...edgeKindCommands,
  ...grantCommands,
  ...entitlementCommands,
  ...settingCommands,
  ...plainCommands,
  ...linkCommands,
  ...tokenCommands,
  ...recordCommands,
  ...policyCommands,
  ...routeCommands,
  ...auditCommands((name) => COMMANDS.has(name)),
  ...nameCommands,
]);

/** Those that can wait for approval. */
const SENT = byName([
  ...ALONE.values(),
  onboardCommand(ALONE),
  ...applyCommands(ALONE),
  transactionCommand(ALONE),
  compareCommand(ALONE),
]);

/** Every command there is, by name. */
export const COMMANDS: ReadonlyMap<string, Command> = byName([...SENT.values(), ...approvalCommands(SENT)]);
