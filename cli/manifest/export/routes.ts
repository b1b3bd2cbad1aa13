import { DEFAULT_API } from '../../routes/routes.ts';
import { pick } from '../fact.ts';
import type { Row } from '../look.ts';
import { type Exporting, kept, unless } from './exporting.ts';

/** The section `routes`. */
export async function routesSection({ look, options }: Exporting): Promise<readonly Row[]> {
  const routes: Row[] = [];
  for (const api of options.apis)
    for (const row of await look.list('route.list', { api }))
      routes.push(
        kept({
          api: unless(api, DEFAULT_API),
          ...pick((await look.read('route.read', { id: row.id })) ?? row, [
            ...['method', 'path', 'permission', 'scope', 'description'],
          ]),
        }),
      );
  return routes;
}
