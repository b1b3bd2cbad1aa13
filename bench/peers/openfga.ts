import { freePort } from '../../local/embedded-engine.ts';
import type { Target } from '../load/connection.ts';
import type { Question, World } from '../model/world.ts';
import { type PeerServer, postJson, type Staleness } from './peer.ts';
import { startServer } from './server-process.ts';

/** The version that figures are of, and how to install it; the path of another binary in `OPENFGA`. */
const OPENFGA = 'go install github.com/openfga/openfga/cmd/openfga@v1.22.1';

const KEY = 'bench';
/** The most tuples of one write, by default. */
const AT_ONCE = 100;
/** Entries of its cache: as many as there are questions. */
const CACHED = 1_000_000;

/**
 * OpenFGA's server with the same world, in its own memory. With a staleness, all its caches of checks
 * are on, with room for all questions: by default they are off, and smaller than these questions need.
 */
export async function startOpenFga(world: World, { ttlSeconds }: Staleness): Promise<PeerServer> {
  const [http, grpc] = [await freePort(), await freePort()];
  const ttl = `${ttlSeconds}s`;
  const url = `http://127.0.0.1:${http}`;
  const command = process.env.OPENFGA ?? 'openfga';
  const server = await startServer({
    command,
    words: [
      'run',
      '--datastore-engine=memory',
      `--http-addr=127.0.0.1:${http}`,
      `--grpc-addr=127.0.0.1:${grpc}`,
      '--playground-enabled=false',
      '--metrics-enabled=false',
      '--authn-method=preshared',
      `--authn-preshared-keys=${KEY}`,
      ...(ttlSeconds === 0
        ? []
        : [
            '--check-query-cache-enabled',
            `--check-query-cache-ttl=${ttl}`,
            `--check-cache-limit=${CACHED}`,
            '--check-iterator-cache-enabled',
            `--check-iterator-cache-ttl=${ttl}`,
          ]),
    ],
    hint: `install it with: ${OPENFGA}`,
    isServing: async () => (await fetch(new URL('/healthz', url))).ok,
  });
  try {
    return { ...server, ...(await filled(url, world)) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function filled(url: string, world: World) {
  const post = (path: string, body: unknown) => postJson(url + path, KEY, body);
  const begun = performance.now();
  const { id: store } = await post('/stores', { name: 'bench' });
  const { authorization_model_id: model } = await post(
    `/stores/${store}/authorization-models`,
    modelOf(world),
  );
  const tuples = tuplesOf(world);
  for (let from = 0; from < tuples.length; from += AT_ONCE)
    await post(`/stores/${store}/write`, {
      writes: { tuple_keys: tuples.slice(from, from + AT_ONCE) },
      authorization_model_id: model,
    });
  const target: Target = {
    url: `${url}/stores/${store}/check`,
    token: KEY,
    field: ['allowed'],
    allowed: true,
  };
  const bodyOf = ({ subject, permission, scope }: Question): string =>
    JSON.stringify({
      tuple_key: { user: subject, relation: relationOf(permission), object: scope },
      authorization_model_id: model,
    });
  return { target, bodyOf, loadedInMs: performance.now() - begun };
}

interface Tuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
}

/**
 * As its guide models roles: each role is a relation of a place that groups have, there or at the place above;
 * a permission is the union of the roles that have it.
 */
function modelOf({ roles, pages }: World) {
  const union = (child: readonly object[]) => (child.length === 1 ? child[0] : { union: { child } });
  const relation = (name: string) => ({ computedUserset: { relation: name } });
  const permissions = pages.flatMap((page) => {
    const having = roles.filter((role) => role.pages.includes(page)).map(({ id }) => relation(roleOf(id)));
    // A permission that no role has is nobody's.
    return [[relationOf(page), having.length > 0 ? union(having) : relation(NOBODY)] as const];
  });
  const place = (type: string, parent: string | undefined) => ({
    type,
    relations: {
      [NOBODY]: { this: {} },
      ...(parent === undefined ? {} : { parent: { this: {} } }),
      ...Object.fromEntries(
        roles.map(({ id }) => {
          const above = {
            tupleToUserset: { tupleset: { relation: 'parent' }, computedUserset: { relation: roleOf(id) } },
          };
          return [roleOf(id), union([{ this: {} }, ...(parent === undefined ? [] : [above])])];
        }),
      ),
      ...(type === 'building' ? Object.fromEntries(permissions) : {}),
    },
    metadata: {
      relations: {
        [NOBODY]: { directly_related_user_types: [{ type: 'user' }] },
        ...(parent === undefined ? {} : { parent: { directly_related_user_types: [{ type: parent }] } }),
        ...Object.fromEntries(
          roles.map(({ id }) => [
            roleOf(id),
            { directly_related_user_types: [{ type: 'group', relation: 'member' }] },
          ]),
        ),
      },
    },
  });
  return {
    schema_version: '1.1',
    type_definitions: [
      { type: 'user' },
      {
        type: 'group',
        relations: { member: { this: {} } },
        metadata: { relations: { member: { directly_related_user_types: [{ type: 'user' }] } } },
      },
      place('client', undefined),
      place('project', 'client'),
      place('building', 'project'),
    ],
  };
}

/** A relation's name has no colon: the action. */
const relationOf = (permission: string): string => permission.split(':')[1] as string;

const NOBODY = 'nobody';
const roleOf = (id: string): string => `role_${id}`;

const tuplesOf = ({ users, groups, places }: World): readonly Tuple[] => [
  ...users.flatMap((user) =>
    user.groups.map((id) => ({ user: user.ref, relation: 'member', object: `group:${id}` })),
  ),
  ...groups.flatMap(({ id, place, roles }) =>
    roles.map((role) => ({
      user: ['group:', id, '#member'].join(''),
      relation: roleOf(role),
      object: place,
    })),
  ),
  ...places.flatMap(({ ref, parent }) =>
    parent === undefined ? [] : [{ user: parent, relation: 'parent', object: ref }],
  ),
];
