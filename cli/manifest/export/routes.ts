import { pick, type Row } from '../../../provisioning/apply/entry.ts';
import { type Exporting, kept } from './exporting.ts';

/** The section `routes`. */
export async function routesSection({ queries, options }: Exporting): Promise<readonly Row[]> {
  const routes: Row[] = [];
  for (const api of options.apis)
    for (const row of await queries.list('route.list', { api }))
      routes.push(
        kept({
          api,
          ...pick((await queries.read('route.read', { id: row.id })) ?? row, [
            'method',
            'path',
            'permission',
            'scope',
            'description',
          ]),
        }),
      );
  return routes;
}
