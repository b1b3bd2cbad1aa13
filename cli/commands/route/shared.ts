import type { Command } from 'commander';
import { METHODS } from '../../../authorizer/routes/rule.ts';
import { hint } from '../../../provisioning/suggestions.ts';
import { nodeKey, permissionRef } from '../../../table/keys.ts';
import { type PermissionName, readPermissionName } from '../../../table/permission-name.ts';
import { addConnectionOptions, type ConnectionOptions } from '../../connection.ts';
import { UsageError } from '../../context.ts';
import { type Editing, RefusedError } from '../../provisioning.ts';

export interface RouteOptions extends ConnectionOptions {
  readonly api?: string;
  readonly json?: boolean;
}

export const ROUTE_EXIT_CODES = `
Exit codes:
  0  done; a route matches (and allows); no gaps; nothing outside of a cache's key
  1  no route matches, or it refuses; gaps; something outside of a cache's key
  2  usage error, refused change or fault`;

/** The options of every subcommand of routes, and its examples. */
export const withRouteOptions = (command: Command, examples: string): Command =>
  addConnectionOptions(
    command
      .option('--api <name>', 'the API, as API_NAME of its authorizer (default, unless given)')
      .option('--json', 'print data'),
  ).addHelpText('after', `\nExamples:\n${examples}\n${ROUTE_EXIT_CODES}`);

/** Throws {@link UsageError} for an unknown verb. */
export function assertMethod(method: string): void {
  if (!METHODS.has(method)) throw new UsageError(`METHOD ${method} is no verb: ${hint(method, METHODS)}`);
}

export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** A note for each permission that is not registered: a typing error, or one that is registered later. */
export async function unregistered(
  editing: Pick<Editing, 'reader' | 'hasTable' | 'send'>,
  permissions: readonly string[],
): Promise<readonly string[]> {
  const names = [...new Set(permissions)].flatMap((text) => {
    const name = readPermissionName(text);
    return name ? [name] : [];
  });
  const isThere = async (name: PermissionName): Promise<boolean> => {
    if (editing.hasTable) return (await editing.reader.get(nodeKey(permissionRef(name)))) !== undefined;
    return editing.send(`${name.kind}.read`, { name: name.text }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RefusedError && error.code === 'not_found') return false;
        throw error;
      },
    );
  };
  const found = await Promise.all(names.map(isThere));
  return names
    .filter((_, position) => !found[position])
    .map(
      ({ text }) => `${text} is no registered permission: every request for it is refused until it is one`,
    );
}
