import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../../local/embedded-engine.ts';
import type { Target } from '../load/connection.ts';
import type { Question, World } from '../model/world.ts';
import { type PeerServer, post, postJson, type Staleness } from './peer.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** The version that figures are of, and how to build it; the path of another binary in `SPICEDB`. */
const SPICEDB = 'git clone --branch v1.56.0 https://github.com/authzed/spicedb && go build ./cmd/spicedb';

const KEY = 'bench';
/** Relationships of one write: the most that it takes by default. */
const AT_ONCE = 1_000;
const STEP_MS = 500;

/**
 * SpiceDB's server with the same world, in its own memory, asked through its HTTP API. With a
 * staleness, all questions of one interval are answered at one revision, and its caches hold what was found at it.
 */
export async function startSpiceDb(world: World, { ttlSeconds }: Staleness): Promise<PeerServer> {
  const [http, grpc] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const command = process.env.SPICEDB ?? 'spicedb';
  const server = await startServer({
    command,
    words: [
      'serve',
      '--datastore-engine=memory',
      `--grpc-preshared-key=${KEY}`,
      '--telemetry-endpoint=',
      '--http-enabled',
      `--http-addr=127.0.0.1:${http}`,
      `--grpc-addr=127.0.0.1:${grpc}`,
      '--metrics-enabled=false',
      '--dispatch-cluster-enabled=false',
      ...(ttlSeconds === 0
        ? ['--dispatch-cache-enabled=false', '--datastore-revision-quantization-interval=0s']
        : [
            `--datastore-revision-quantization-interval=${ttlSeconds}s`,
            '--datastore-revision-quantization-max-staleness-percent=0',
          ]),
    ],
    hint: `build it with: ${SPICEDB}`,
    isServing: async () => (await fetch(new URL('/healthz', url))).ok,
  });
  try {
    const loadedInMs = await fill(url, world);
    return await serving(server, url, world, loadedInMs, 2 * ttlSeconds);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function fill(url: string, world: World): Promise<number> {
  const begun = performance.now();
  await postJson(`${url}/v1/schema/write`, KEY, { schema: schemaOf(world) });
  const updates = relationshipsOf(world).map((relationship) => ({
    operation: 'OPERATION_CREATE',
    relationship,
  }));
  for (let from = 0; from < updates.length; from += AT_ONCE)
    await postJson(`${url}/v1/relationships/write`, KEY, { updates: updates.slice(from, from + AT_ONCE) });
  return performance.now() - begun;
}

/** Waits until the revision at which questions are answered has the whole world. */
async function serving(
  server: ServerProcess,
  url: string,
  world: World,
  loadedInMs: number,
  patienceSeconds: number,
): Promise<PeerServer> {
  const target: Target = {
    url: `${url}/v1/permissions/check`,
    token: KEY,
    field: ['permissionship'],
    allowed: 'PERMISSIONSHIP_HAS_PERMISSION',
  };
  const last = relationshipsOf(world).at(-1);
  const body = { consistency: { minimizeLatency: true }, relationshipFilter: filterOf(last) };
  for (let waitedMs = 0; ; waitedMs += STEP_MS) {
    const read = await post(`${url}/v1/relationships/read`, KEY, body);
    if (read.length > 0) break;
    if (waitedMs > patienceSeconds * 1_000 + 5_000) throw new Error('SpiceDB does not show what was written');
    await after(STEP_MS);
  }
  return { ...server, target, bodyOf, loadedInMs };
}

const filterOf = (of: Relationship | undefined) => ({
  resourceType: of?.resource.objectType,
  optionalResourceId: of?.resource.objectId,
});

interface SpiceObject {
  readonly objectType: string;
  readonly objectId: string;
}

interface Relationship {
  readonly resource: SpiceObject;
  readonly relation: string;
  readonly subject: { readonly object: SpiceObject; readonly optionalRelation?: string };
}

const objectOf = (ref: string): SpiceObject => {
  const colon = ref.indexOf(':');
  return { objectType: ref.slice(0, colon), objectId: ref.slice(colon + 1) };
};

const bodyOf = ({ subject, permission, scope }: Question): string =>
  JSON.stringify({
    consistency: { minimizeLatency: true },
    resource: objectOf(scope),
    permission: permissionOf(permission),
    subject: { object: objectOf(subject) },
  });

/** Names of relations and permissions are of lower-case letters, digits and underscores. */
const permissionOf = (permission: string): string =>
  `can_${(permission.split(':')[1] as string).replaceAll('-', '_')}`;
const roleOf = (id: string): string => `role_${id.toLowerCase()}`;
const inheritedOf = (id: string): string => `has_${roleOf(id)}`;

/**
 * The model of OpenFGA (openfga.ts) in its own words: a role is a relation of a place that groups have, there or at the
 * place above; a permission is the union of the roles that have it.
 */
function schemaOf({ roles, pages }: World): string {
  const place = (type: string, parent: string | undefined): string => {
    const relations = roles.map(({ id }) => `  relation ${roleOf(id)}: group#member`);
    const inherited = roles.map(({ id }) => {
      const above = parent === undefined ? '' : ` + parent->${inheritedOf(id)}`;
      return `  permission ${inheritedOf(id)} = ${roleOf(id)}${above}`;
    });
    const permissions = pages.map((page) => {
      const having = roles.filter((role) => role.pages.includes(page)).map(({ id }) => inheritedOf(id));
      return `  permission ${permissionOf(page)} = ${having.length > 0 ? having.join(' + ') : 'nil'}`;
    });
    return [
      `definition ${type} {`,
      ...(parent === undefined ? [] : [`  relation parent: ${parent}`]),
      ...relations,
      ...inherited,
      ...(type === 'building' ? permissions : []),
      '}',
    ].join('\n');
  };
  return [
    'definition user {}',
    'definition group {\n  relation member: user\n}',
    place('client', undefined),
    place('project', 'client'),
    place('building', 'project'),
  ].join('\n\n');
}

const relationshipsOf = ({ users, groups, places }: World): readonly Relationship[] => [
  ...users.flatMap((user) =>
    user.groups.map((id) => ({
      resource: { objectType: 'group', objectId: id },
      relation: 'member',
      subject: { object: objectOf(user.ref) },
    })),
  ),
  ...groups.flatMap(({ id, place, roles }) =>
    roles.map((role) => ({
      resource: objectOf(place),
      relation: roleOf(role),
      subject: { object: { objectType: 'group', objectId: id }, optionalRelation: 'member' },
    })),
  ),
  ...places.flatMap(({ ref, parent }) =>
    parent === undefined
      ? []
      : [{ resource: objectOf(ref), relation: 'parent', subject: { object: objectOf(parent) } }],
  ),
];
