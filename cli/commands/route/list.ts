import { columns } from '../../print.ts';
import { routeData } from '../../routes/routes.ts';
import { API, readApi } from '../../routes/subcommands.ts';
import { subcommand } from '../../subcommand.ts';

/** `gatehouse route list`. */
export const addList = subcommand({
  name: 'list',
  summary: 'list the routes of an API',
  description: 'Lists the routes of an API, in the order of their paths.',
  options: API,
  examples: '  gatehouse route list --api shop --json',
  run: async (_, options, context) => {
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
    return { data: routes.map(routeData), text: `${lines.join('\n')}\n` };
  },
});
