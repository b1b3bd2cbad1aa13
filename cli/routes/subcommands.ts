import type { Route } from '../../provisioning/index.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Context } from '../context.ts';
import { type GlobalOptions, text, type ValuesOf } from '../options.ts';
import { openSender, type Sender } from '../provisioning.ts';
import { apiOf, routesOf } from './routes.ts';

/** The option of every subcommand of routes. */
export const API = {
  api: text('<name>', 'the API: API_NAME of its authorizer (default: the API named default)'),
};
export type RouteOptions = Partial<ValuesOf<typeof API>> & GlobalOptions;

/** The API that the options name, with its routes in the order of their paths. */
export async function readApi(
  options: RouteOptions,
  context: Context,
): Promise<{ readonly api: string; readonly routes: readonly Route[]; readonly sender: Sender }> {
  const api = apiOf(options);
  const sender = await openSender(options, context);
  return { api, sender, routes: await routesOf(sender, api) };
}

/** A note for each permission that is not registered: a typing error, or one that is registered later. */
export async function unregistered(
  { find }: Pick<Sender, 'find'>,
  permissions: readonly string[],
): Promise<readonly string[]> {
  const notes = await Promise.all(
    [...new Set(permissions)].map(async (text) => {
      const name = readPermissionName(text);
      if (!name || (await find(`${name.kind}.read`, { name: text }))) return [];
      return [
        `${text} is not a registered permission: every request for it is refused until it is registered`,
      ];
    }),
  );
  return notes.flat();
}
