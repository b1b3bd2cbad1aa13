import { OK } from '../../exit-codes.ts';
import { asJson, columns } from '../../print.ts';
import { routeData } from '../../routes/routes.ts';
import { type RouteOptions, readApi, withRouteOptions } from '../../routes/subcommands.ts';
import type { Subcommand } from '../../subcommand.ts';

/** `gatehouse route list`. */
export const addList: Subcommand = (route, context, finish) => {
  const command = route
    .command('list')
    .summary('list the routes of an API')
    .description('Lists the routes of an API, in the order of their paths.');
  withRouteOptions(command, '  gatehouse route list --api shop --json').action(
    async (options: RouteOptions) => {
      const { api, routes } = await readApi(options, context);
      const rows = routes.map(({ id, method, path, permission, scope }) => [
        method,
        path,
        permission,
        scope,
        id,
      ]);
      const lines =
        rows.length === 0 ? [`no routes in the API ${api}: every request to it is refused`] : columns(rows);
      context.out(options.json ? asJson(routes.map(routeData)) : `${lines.join('\n')}\n`);
      finish(OK);
    },
  );
};
