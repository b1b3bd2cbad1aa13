import type { Authorizer } from '../../authorizer/authorizer.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, edgeKey } from '../../table/keys.ts';
import { decisionItem, decisionItems, writeTable } from '../model/table.ts';
import { answerKeys, TOKEN_ENVIRONMENT, type TokenSource } from '../model/tokens.ts';
import type { World } from '../model/world.ts';
import { loadDeployed } from './deployed.ts';

/** The longest possible, so that nothing expires within a run. */
const TTL_SECONDS = 3_600;

/** The API's routes: the one that requests use, and others that the look-up has to pass over. */
const BESIDE = 'users devices invoices reports alarms documents meters tickets notes'.split(' ');
const ROUTES: readonly (readonly [method: string, path: string, permission: string])[] = [
  ['GET', '/buildings/{building}/pages/{page}', '{page}'],
  ...BESIDE.flatMap(
    (name) =>
      [
        ['GET', `/buildings/{building}/${name}`, `${name}:read:all`],
        ['POST', `/buildings/{building}/${name}`, `${name}:write:all`],
        ['DELETE', `/buildings/{building}/${name}/{id}`, `${name}:remove:one`],
      ] as const,
  ),
];

export const API_NAME = 'default';

const ROUTE_ITEMS: readonly Item[] = ROUTES.map(([method, path, permission], position) => ({
  ...edgeKey(apiRef(API_NAME), { type: 'route', id: `r${position}` }),
  id: `r${position}`,
  method,
  path,
  permission,
  scope: 'building:{building}',
}));

/** A table with the model and the routes. */
export async function createTableFor(world: World, endpoint: string, table = 'bench-handler') {
  const revision = decisionItem(apiRevisionKey(API_NAME));
  const { reader } = await writeTable(endpoint, table, [...decisionItems(world), ...ROUTE_ITEMS, revision]);
  return { table, reader };
}

/**
 * The authorizer composed and bundled as it is deployed, on a table of the embedded engine. Only its caches
 * last an hour, and the issuer's keys come from here.
 */
export async function createAuthorizers(world: World, sources: readonly TokenSource[], endpoint: string) {
  const { createHandlerFrom, createEngine, jwtVerify } = await loadDeployed();
  const { table, reader } = await createTableFor(world, endpoint);
  const create = (env: Readonly<Record<string, string>> = {}): Authorizer =>
    createHandlerFrom(
      {
        ...TOKEN_ENVIRONMENT,
        TABLE_NAME: table,
        TOKEN_ALGORITHMS: sources.map(({ alg }) => alg).join(','),
        TOKEN_CACHE_SECONDS: String(TTL_SECONDS),
        CACHE_TTL_SECONDS: String(TTL_SECONDS),
        API_NAME,
        POLICY_COVERS: 'route',
        ...env,
      },
      { reader, fetch: answerKeys(...sources), log: () => undefined },
    );
  return {
    create,
    jwtVerify,
    engine: createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_SECONDS * 1_000 }),
  };
}
