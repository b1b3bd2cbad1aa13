import { compareCommand } from './access-difference/index.ts';
import { applyCommands } from './apply/commands.ts';
import { onboardCommand } from './apply/onboard.ts';
import type { Command } from './command.ts';
import { approvalCommands } from './commands/approvals.ts';
import { auditCommands } from './commands/audit.ts';
import { edgeKindCommands } from './commands/edges.ts';
import { grantCommands } from './commands/grants.ts';
import { linkCommands } from './commands/links.ts';
import { nameCommands } from './commands/name-lookups.ts';
import { NODE_KINDS } from './commands/node-kinds.ts';
import { moveCommand } from './commands/scope-move.ts';
import { deleteTreeCommand } from './commands/scope-tree.ts';
import { settingCommands } from './commands/settings.ts';
import { transactionCommand } from './commands/transaction.ts';
import { eraseCommand } from './commands/user-erase.ts';
import { nodeCommands } from './kinds/node-commands.ts';

const byName = (commands: readonly Command[]): ReadonlyMap<string, Command> =>
  new Map(commands.map((command) => [command.name, command]));

const ALONE = byName([
  ...NODE_KINDS.flatMap(nodeCommands),
  moveCommand,
  deleteTreeCommand,
  eraseCommand,
  ...edgeKindCommands,
  ...grantCommands,
  ...settingCommands,
  ...linkCommands,
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
