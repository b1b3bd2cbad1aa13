import { compareCommand } from '../access-difference/index.ts';
import { applyCommands } from '../apply/commands.ts';
import { onboardCommand } from '../apply/onboard.ts';
import type { Command } from '../command.ts';
import { approvalCommands } from './approvals.ts';
import { auditCommands } from './audit.ts';
import { edgeKindCommands } from './edges.ts';
import { entitlementCommands } from './entitlements.ts';
import { grantCommands } from './grants.ts';
import { groupCommands } from './groups.ts';
import { linkCommands } from './links.ts';
import { nameCommands } from './names.ts';
import { permissionCommands } from './permissions.ts';
import { platformCommands } from './platform.ts';
import { policyCommands } from './policies.ts';
import { propertyCommands } from './properties.ts';
import { recordCommands } from './records.ts';
import { resourceTypeCommands } from './resource-types.ts';
import { templateCommands } from './role-templates.ts';
import { roleCommands } from './roles.ts';
import { routeCommands } from './routes.ts';
import { moveCommand } from './scope-move.ts';
import { deleteTreeCommand } from './scope-tree.ts';
import { scopeTypeCommands } from './scope-types.ts';
import { scopeCommands } from './scopes.ts';
import { settingCommands } from './settings.ts';
import { tokenCommands } from './tokens.ts';
import { transactionCommand } from './transaction.ts';
import { eraseCommand } from './user-erase.ts';
import { userCommands } from './users.ts';

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
  ...platformCommands,
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
