import type { Command } from '../command.ts';
import { auditCommands } from './audit.ts';
import { edgeKindCommands } from './edges.ts';
import { grantCommands } from './grants.ts';
import { groupCommands } from './groups.ts';
import { permissionCommands } from './permissions.ts';
import { roleCommands } from './roles.ts';
import { routeCommands } from './routes.ts';
import { scopeCommands } from './scopes.ts';
import { userCommands } from './users.ts';

/** Every command there is, by name. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [
    ...scopeCommands,
    ...userCommands,
    ...groupCommands,
    ...roleCommands,
    ...permissionCommands,
    ...edgeKindCommands,
    ...grantCommands,
    ...routeCommands,
    ...auditCommands,
  ].map((command) => [command.name, command]),
);
