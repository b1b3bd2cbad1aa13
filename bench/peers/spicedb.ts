import { setTimeout as after } from 'node:timers/promises';
import { batchesOf } from '../../table/reader.ts';
import type { World } from '../model/world.ts';
import { type Asking, type PeerServer, post, startPeer } from './peer.ts';
import { PLACES, relationOf, roleOf, rolesByPermission, type Tuple, tuplesOf } from './relations.ts';

const KEY = 'bench';
/** Relationships of one write: the most that it takes by default. */
const AT_ONCE = 1_000;
const STEP_MS = 500;

/**
 * SpiceDB's server with the same world, in its own memory, asked through its HTTP API. With a
 * staleness, all questions of one interval are answered at one revision, and its caches hold what was found at it.
 *
 * @param ttlSeconds how old an answer may be; 0: its caches are off
 */
export function startSpiceDb(world: World, ttlSeconds: number): Promise<PeerServer> {
  async function fill(url: string): Promise<Asking> {
    await post(`${url}/v1/schema/write`, KEY, { schema: schemaOf(world) });
    const updates = tuplesOf(world).map((tuple) => ({
      operation: 'OPERATION_CREATE',
      relationship: relationshipOf(tuple),
    }));
    for (const part of batchesOf(updates, AT_ONCE))
      await post(`${url}/v1/relationships/write`, KEY, { updates: part });
    // Waits until the revision at which questions are answered has the whole world.
    const { objectType, objectId } = objectOf((tuplesOf(world).at(-1) as Tuple).object);
    const relationshipFilter = { resourceType: objectType, optionalResourceId: objectId };
    const last = { consistency: { minimizeLatency: true }, relationshipFilter };
    for (
      let waitedMs = 0;
      (await post(`${url}/v1/relationships/read`, KEY, last)) === '';
      waitedMs += STEP_MS
    ) {
      if (waitedMs > 2_000 * ttlSeconds + 5_000) throw new Error('SpiceDB does not show what was written');
      await after(STEP_MS);
    }
    return {
      target: {
        url: `${url}/v1/permissions/check`,
        token: KEY,
        allowed: /"PERMISSIONSHIP_HAS_PERMISSION"/,
      },
      bodyOf: ({ subject, permission, scope }) =>
        JSON.stringify({
          consistency: { minimizeLatency: true },
          resource: objectOf(scope),
          permission: relationOf(permission),
          subject: { object: objectOf(subject) },
        }),
    };
  }
  return startPeer({
    binary: 'spicedb',
    hint: 'git clone --branch v1.56.0 https://github.com/authzed/spicedb && go build ./cmd/spicedb',
    words: (http, grpc) => [
      'serve',
      '--datastore-engine=memory',
      `--grpc-preshared-key=${KEY}`,
      '--telemetry-endpoint=',
      '--http-enabled',
      `--http-addr=127.0.0.1:${http}`,
      `--grpc-addr=127.0.0.1:${grpc}`,
      '--metrics-enabled=false',
      '--dispatch-cluster-enabled=false',
      `--datastore-revision-quantization-interval=${ttlSeconds}s`,
      ttlSeconds === 0
        ? '--dispatch-cache-enabled=false'
        : '--datastore-revision-quantization-max-staleness-percent=0',
    ],
    health: '/healthz',
    fill,
  });
}

const objectOf = (ref: string) => {
  const [objectType = '', objectId = ''] = ref.split(':');
  return { objectType, objectId };
};

function relationshipOf({ user, relation, object }: Tuple) {
  const [ref = '', optionalRelation] = user.split(/#/);
  return { resource: objectOf(object), relation, subject: { object: objectOf(ref), optionalRelation } };
}

const inherited = (role: string): string => `has_${roleOf(role)}`;

function schemaOf(world: World): string {
  const permissions = rolesByPermission(world).map(
    ([page, having]) => `  permission ${relationOf(page)} = ${having.map(inherited).join(' + ') || 'nil'}`,
  );
  const places = Object.entries(PLACES).flatMap(([type, parent]) => [
    `definition ${type} {`,
    ...(parent ? [`  relation parent: ${parent}`] : []),
    ...world.roles.flatMap(({ id }) => [
      `  relation ${roleOf(id)}: group#member`,
      `  permission ${inherited(id)} = ${roleOf(id)}${parent ? ` + parent->${inherited(id)}` : ''}`,
    ]),
    ...(type === 'building' ? permissions : []),
    '}',
  ]);
  return ['definition user {}', 'definition group {\n  relation member: user\n}', ...places].join('\n');
}
