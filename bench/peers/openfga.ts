import { transformer } from '@openfga/syntax-transformer';
import { batchesOf } from '../../table/reader.ts';
import type { World } from '../model/world.ts';
import { type Asking, type PeerServer, post, startPeer } from './peer.ts';
import { PLACES, relationOf, roleOf, rolesByPermission, tuplesOf } from './relations.ts';

const KEY = 'bench';
/** The most tuples of one write, by default. */
const AT_ONCE = 100;
/** Entries of its cache: as many as there are questions. */
const CACHED = 1_000_000;

/**
 * OpenFGA's server with the same world, in its own memory. With a staleness, all its caches of checks
 * are on, with room for all questions: by default they are off, and smaller than these questions need.
 *
 * @param ttlSeconds how old an answer may be; 0: its caches are off
 */
export function startOpenFga(world: World, ttlSeconds: number): Promise<PeerServer> {
  const caches = [
    '--check-query-cache-enabled',
    `--check-query-cache-ttl=${ttlSeconds}s`,
    `--check-cache-limit=${CACHED}`,
    '--check-iterator-cache-enabled',
    `--check-iterator-cache-ttl=${ttlSeconds}s`,
  ];
  async function fill(url: string): Promise<Asking> {
    const send = async (path: string, body: unknown) => JSON.parse(await post(url + path, KEY, body));
    const store = `/stores/${(await send('/stores', { name: 'bench' })).id}`;
    const { authorization_model_id } = await send(`${store}/authorization-models`, modelOf(world));
    for (const tuple_keys of batchesOf(tuplesOf(world), AT_ONCE))
      await send(`${store}/write`, { writes: { tuple_keys }, authorization_model_id });
    return {
      target: { url: `${url}${store}/check`, token: KEY, allowed: /"allowed": ?true/ },
      bodyOf: ({ subject, permission, scope }) =>
        JSON.stringify({
          tuple_key: { user: subject, relation: relationOf(permission), object: scope },
          authorization_model_id,
        }),
    };
  }
  return startPeer({
    binary: 'openfga',
    hint: 'go install github.com/openfga/openfga/cmd/openfga@v1.22.1',
    words: (http, grpc) => [
      'run',
      '--datastore-engine=memory',
      `--http-addr=127.0.0.1:${http}`,
      `--grpc-addr=127.0.0.1:${grpc}`,
      '--playground-enabled=false',
      '--metrics-enabled=false',
      '--authn-method=preshared',
      `--authn-preshared-keys=${KEY}`,
      ...(ttlSeconds === 0 ? [] : caches),
    ],
    health: '/healthz',
    fill,
  });
}

function modelOf(world: World): object {
  const roles = world.roles.map(({ id }) => roleOf(id));
  // A permission that no role has is nobody's.
  const permissions = rolesByPermission(world).map(
    ([page, having]) => `    define ${relationOf(page)}: ${having.map(roleOf).join(' or ') || 'nobody'}`,
  );
  const places = Object.entries(PLACES).flatMap(([type, parent]) => [
    `type ${type}\n  relations\n    define nobody: [user]`,
    ...(parent ? [`    define parent: [${parent}]`] : []),
    ...roles.map((role) => `    define ${role}: [group#member]${parent ? ` or ${role} from parent` : ''}`),
    ...(type === 'building' ? permissions : []),
  ]);
  const group = 'type group\n  relations\n    define member: [user]';
  return transformer.transformDSLToJSONObject(
    ['model\n  schema 1.1\ntype user', group, ...places, ''].join('\n'),
  );
}
