import { expect, test } from 'vitest';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey, parseKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { createMemoryWorld } from '../support/world.ts';
import { linesOf, verifyOn } from './findings.ts';
import { isRecord } from './support.ts';

/** A node that is damaged or lost while what repeats it is still right: a repair that follows the node would open access. */
const MANIFEST = `
modules: { sold: { sold: true } }
pages: { home: {}, free: {}, paid: { module: sold }, ask: {}, sign: {} }
scopes:
  C: { id: c, type: client, combination: deny-overrides }
  D: { id: d, type: client }
  P: { id: p, type: project, parent: C }
  Q: { id: q, type: project, parent: C }
  B: { id: b, type: building, parent: P }
  S: { id: s, type: zone, kind: office, parent: B }
  Z: { id: z, type: zone, kind: office, parent: B }
roles:
  any: { id: any, allow: [home, free, paid] }
  own: { id: own, owner: C, deny: [home] }
  all: { id: all, deny: [free] }
groups:
  ofOwn: { id: own, scope: C, roles: [own] }
invariants: [{ id: two, name: two, scope: C, separate: [ask, sign] }]
users:
  ann: { id: ann, groups: [ofOwn], grants: { C: [any] } }
  bob: { id: bob, grants: { C: [any, all] } }
  cid: { id: cid, grants: { D: [any] } }
  dan: { id: dan, assignments: [{ role: any, scope: P }] }
  eve: { id: eve, assignments: [{ role: any, scope: Q }] }
  fay: { id: fay, assignments: [{ role: any, scope: S }] }
`;
type World = ReturnType<typeof createMemoryWorld>;

const QUESTIONS = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'].flatMap((id) =>
  ['client:c', 'client:d', 'building:b', 'zone:z'].flatMap((scope) =>
    ['home', 'free', 'paid'].map((permission) => ({ subject: `user:${id}`, permission, scope })),
  ),
);

async function allowedIn(world: World): Promise<readonly string[]> {
  world.settle();
  const { decisions } = await world.newEngine().checkMany(QUESTIONS);
  return QUESTIONS.filter((_, n) => decisions[n]?.allowed).map((question) =>
    Object.values(question).join(' '),
  );
}

const set = (ref: Ref, changes: Readonly<Record<string, string | readonly string[]>>): Action => ({
  kind: 'update',
  key: nodeKey(ref),
  set: changes,
});
const building = { type: 'building', id: 'b' };

test.each<[string, Action, string]>([
  [
    'the path of a scope in another place',
    set(building, { ancestors: ['project:q', 'client:c'] }),
    'node_of_other_place ancestors',
  ],
  [
    'the path of a scope in another tenant',
    set(building, { ancestors: ['client:d'] }),
    'node_of_other_place ancestors',
  ],
  [
    'the parent of a scope, which is one beside it',
    set({ type: 'zone', id: 'z' }, { parent: 'zone:s' }),
    'node_of_other_place ancestors',
  ],
  [
    'the root of a role that denies',
    set({ type: 'role', id: 'own' }, { scope: 'client:d' }),
    'decision_more role|own',
  ],
  [
    'the root of a role that denies in every tenant',
    set({ type: 'role', id: 'all' }, { scope: 'client:d' }),
    'decision_more role|all',
  ],
])('a repair follows no node in doubt: %s', async (_, damage, finding) => {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  const whole = await allowedIn(world);
  await world.writer.send([damage]);
  expect(await allowedIn(world)).toEqual(whole);
  const { open } = await verifyOn(world, true, { logs: false });
  expect(await allowedIn(world)).toEqual(whole);
  expect(
    open.filter(({ repairable }) => !repairable).map(({ code, attribute }) => `${code} ${attribute ?? ''}`),
  ).toContain(finding);
});

test('a deep tree is put right from its root down, and what a walk has not found whole stays open', async () => {
  const world = createMemoryWorld();
  // The list of zones names the deepest first.
  const zones = Array.from({ length: 9 }, (_, n) => `z${9 - n}`);
  const lines = zones.map(
    (id, n) => `  ${id}: { id: ${id}, type: zone, kind: office, parent: ${zones[n - 1] ?? 'B'} }`,
  );
  await world.apply(`
scopes:
  C: { id: c, type: client }
  P: { id: p, type: project, parent: C }
  B: { id: b, type: building, parent: P }
${lines.join('\n')}
`);
  const whole = await world.reader.getMany(zones.map((id) => nodeKey({ type: 'zone', id })));
  await world.writer.send(zones.slice(1).map((id) => set({ type: 'zone', id }, { ancestors: [] })));
  const lost = { ...world, writer: { ...world.writer, send: async () => {} } };
  const found = linesOf((await verifyOn(world, false, { logs: false })).open);
  expect(found.length).toBeGreaterThan(8);
  expect(linesOf((await verifyOn(lost, true, { logs: false })).open)).toEqual(found);
  expect((await verifyOn(world, true, { logs: false })).open).toEqual([]);
  expect(
    (await world.reader.getMany(whole.map((item) => item as Item))).map((item) => item?.ancestors),
  ).toEqual(whole.map((item) => item?.ancestors));
});

test('a time-to-live that is past is found on each kind of item that must have none, and taken off', async () => {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  const whole = world.items().filter((item) => !isRecord(item) && item.ttl === undefined);
  const kinds = new Map(whole.map((item) => [`${item.Type} ${parseKey(item)?.form} ${item.PK[0]}`, item]));
  expect(kinds.size).toBeGreaterThan(15);
  const silent: string[] = [];
  for (const [kind, item] of kinds) {
    const damaged = createMemoryWorld(
      whole.map((each) => (each === item ? { ...each, ttl: 1 } : each)),
      world.clock.now(),
    );
    const { open, repaired } = await verifyOn(damaged, true, { logs: false });
    const isWhole = (await damaged.reader.get(item))?.ttl === undefined;
    if (repaired.length === 0 || open.length > 0 || !isWhole) silent.push(kind);
  }
  expect(silent).toEqual([]);
});

test.each([
  ['module', 'sold'],
  ['group', 'own'],
  ['role', 'own'],
  ['role', 'all'],
  ['invariant', 'two'],
])('a lost node takes nothing along, which a repair says and leaves: %s %s', async (type, id) => {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  await world.writer.send([{ kind: 'delete', key: nodeKey({ type, id }) }]);
  const left = world.items().filter((item) => item.Type === 'Decision' || item.Type === 'Guard');
  const { open } = await verifyOn(world, true, { logs: false });
  expect(open.filter(({ code }) => code === 'decision_more')).toMatchObject([{ repairable: false }]);
  expect(await world.reader.getMany(left)).toEqual(left);
});
