import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds, createProvisioning } from '../../provisioning/index.ts';
import { replayOf } from '../../provisioning/replay/rules.ts';
import { decisionKey, edgeKey, type Key } from '../../table/keys.ts';
import { watchReads } from '../support/watched-reader.ts';
import { applyOn, exportOn, planOn } from './apply/support.ts';
import { findingsOn, linesOf, repairOn } from './findings.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/** A membership knows who gives it, and ends with the last of them. */
const WORLD = `
pages: [grades]
scopes: { school: { type: tenant, id: school } }
roles: { reader: { id: reader, allowOnly: true, allow: [grades] } }
groups: { staff: { id: staff, scope: school, allowOnly: true, roles: [reader] } }
users: { ann: { id: ann, tenant: school } }
`;
const [ANN, STAFF] = [
  { type: 'user', id: 'ann' },
  { type: 'group', id: 'staff' },
];
const KEYS: readonly [Key, Key] = [edgeKey(ANN, STAFF), edgeKey(STAFF, ANN)];
const EDGE = { user: 'ann', group: 'staff' };

let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(WORLD);
});

const isMember = async (): Promise<boolean> => {
  const item = await world.reader.get(decisionKey(ANN));
  return item?.groups instanceof Set && item.groups.has('staff');
};
const edge = () => world.reader.get(KEYS[0]);

/** The membership as connections give it. */
async function given(origins: readonly string[], suspended: readonly string[] = []): Promise<void> {
  await world.run('membership.create', EDGE);
  const set = { origins, ...(suspended.length > 0 ? { suspended } : {}) };
  const isSuspended = origins.every((origin) => suspended.includes(origin));
  await world.writer.send([
    ...KEYS.map((key) => ({ kind: 'update' as const, key, set })),
    ...(isSuspended
      ? [{ kind: 'update' as const, key: decisionKey(ANN), takeOut: { groups: new Set(['staff']) } }]
      : []),
  ]);
  expect(await findingsOn(world)).toEqual([]);
}

describe('by hand', () => {
  afterEach(async () => expect(await findingsOn(world)).toEqual([]));

  test('one that a connection gives is given too, and stays the connection’s when that is taken back', async () => {
    await given(['okta']);
    expect(await world.run('membership.create', EDGE)).toMatchObject({ origins: ['hand', 'okta'] });
    expect(await world.refused('membership.create', EDGE)).toMatchObject({ code: 'conflict' });
    expect(await world.run('membership.create', { ...EDGE, ifExists: 'keep' })).toMatchObject({
      kept: true,
      origins: ['hand', 'okta'],
    });
    expect(await world.run('membership.delete', EDGE)).toEqual({
      ...EDGE,
      deleted: true,
      origins: ['okta'],
    });
    expect(await isMember()).toBe(true);
    expect(await world.listed('membership.list', { user: 'ann' })).toMatchObject([{ origins: ['okta'] }]);
  });

  test.each([
    ['alone', { command: 'membership.create', input: EDGE }],
    ['in a batch', { batch: [{ command: 'membership.create', input: EDGE }] }],
    [
      'in a transaction',
      { command: 'transaction.write', input: { commands: [{ command: 'membership.create', input: EDGE }] } },
    ],
  ])('one that a connection gives is found by the refusal of a creation, %s', async (_sent, event) => {
    const reads: Key[] = [];
    const reader = watchReads(world.reader, (method, asked: Key | readonly Key[]) => {
      if (method.startsWith('get')) reads.push(...[asked].flat());
    });
    const provision = createProvisioning({ ...world, reader, newId: createIds() });
    const isEdgeRead = () => reads.some(({ PK, SK }) => PK === KEYS[0].PK && SK === KEYS[0].SK);
    expect(await provision({ ...event, dryRun: true })).toMatchObject({ ok: true });
    expect(isEdgeRead()).toBe(false);
    await given(['okta']);
    expect(await provision({ ...event, dryRun: true })).toMatchObject({ ok: true });
    expect(await provision(event)).toMatchObject({ ok: true });
    expect([isEdgeRead(), (await edge())?.origins]).toEqual([true, ['hand', 'okta']]);
  });

  test('one that is suspended counts, until that is taken back', async () => {
    await given(['okta'], ['okta']);
    await world.run('membership.create', EDGE);
    expect([await isMember(), (await edge())?.suspended]).toEqual([true, ['okta']]);
    await world.run('membership.delete', EDGE);
    expect([await isMember(), (await edge())?.origins]).toEqual([false, ['okta']]);
  });

  test('nobody takes away what a connection gives without naming it', async () => {
    await given(['entra', 'okta']);
    expect(await world.refused('membership.delete', EDGE)).toMatchObject({
      code: 'conflict',
      field: 'origin',
      message: 'nobody gives this membership by hand, but entra, okta: name one as origin',
    });
    await world.run('membership.delete', { ...EDGE, origin: 'okta' });
    expect(await world.outcome('membership.delete', { ...EDGE, origin: 'okta' })).toBe('not_found origin');
    expect(await isMember()).toBe(true);
    await world.run('membership.delete', { ...EDGE, origin: 'entra' });
    expect([await isMember(), await edge()]).toEqual([false, undefined]);
  });

  test('an edge from before origins is by hand, and is written as before', async () => {
    await world.run('membership.create', EDGE);
    expect(await edge()).not.toHaveProperty('origins');
    await world.run('membership.delete', { ...EDGE, origin: 'hand' });
    expect(await edge()).toBeUndefined();
  });

  test.each(['user', 'group'])('a %s goes with its suspended memberships', async (type) => {
    await given(['okta'], ['okta']);
    await world.run(`${type}.delete`, { id: type === 'user' ? 'ann' : 'staff' });
    expect(await edge()).toBeUndefined();
  });

  test.each([
    ['while it is created', 'membership.create', ['hand', 'okta']],
    ['while it is deleted', 'membership.delete', ['okta']],
  ])('a connection gives it %s: neither is lost', async (_, command, origins) => {
    if (command === 'membership.delete') await world.run('membership.create', EDGE);
    const answer = await world.provisionAround({ command, input: EDGE }, async () => {
      if (command === 'membership.create') return given(['okta']);
      const set = { origins: ['hand', 'okta'] };
      return world.writer.send(KEYS.map((key) => ({ kind: 'update', key, set })));
    });
    expect(answer).toMatchObject({ ok: true });
    expect([await isMember(), (await edge())?.origins]).toEqual([true, origins]);
  });
});

test('a manifest states what is given by hand, and takes nothing else away', async () => {
  await given(['okta']);
  const has = { users: { ann: { groups: ['staff'] } } };
  expect(await exportOn(world)).not.toMatchObject(has);
  expect((await planOn(world, WORLD)).steps).toEqual([]);
  const stated = WORLD.replace('tenant: school }', 'tenant: school, groups: [staff] }');
  expect((await planOn(world, stated)).steps).toMatchObject([{ command: 'membership.create' }]);
  await applyOn(world, stated);
  expect(await exportOn(world)).toMatchObject(has);
  expect((await planOn(world, stated)).steps).toEqual([]);
  await applyOn(world, WORLD);
  expect([await isMember(), (await edge())?.origins]).toEqual([true, ['okta']]);
});

test('a replay takes away the origins that ended since', () => {
  const record = (after: Input | undefined) => ({
    id: 'record',
    action: after ? 'membership.create' : 'membership.delete',
    entity: { type: 'membership', id: 'ann staff' },
    at: '2026-11-01T00:00:00.000Z',
    before: EDGE,
    after,
  });
  const sent = (after: Input | undefined, current: Input | undefined) =>
    replayOf(record(after), current, new Set()).commands.map(({ input }) => input);
  const all = { ...EDGE, origins: ['entra', 'hand', 'okta'] };
  expect(sent(undefined, all)).toEqual([{ ...EDGE, origin: 'entra' }, EDGE, { ...EDGE, origin: 'okta' }]);
  expect(sent({ ...EDGE, origins: ['okta'] }, all)).toEqual([{ ...EDGE, origin: 'entra' }, EDGE]);
  expect(sent(EDGE, EDGE)).toEqual([]);
  expect(sent(undefined, EDGE)).toEqual([EDGE]);
  expect(replayOf(record(all), EDGE, new Set()).lost).toHaveLength(1);
});

describe('verify', () => {
  const [mine, theirs] = KEYS;
  const damage = (key: Key, set: Input) =>
    world.writer.send([{ kind: 'update', key, set: set as Record<string, readonly string[]> }]);

  test('finds a suspended membership that counts, and takes it out of what decides', async () => {
    await given(['okta'], ['okta']);
    await world.writer.send([{ kind: 'update', key: decisionKey(ANN), add: { groups: new Set(['staff']) } }]);
    expect((await repairOn(world)).open).toEqual([]);
    expect([await isMember(), await findingsOn(world)]).toEqual([false, []]);
  });

  test.each<[counts: boolean, first: Key]>([
    [true, mine],
    [true, theirs],
    [false, mine],
    [false, theirs],
  ])('believes the copy that says what decides: %s, %o', async (counts, key) => {
    await given(['okta'], counts ? [] : ['okta']);
    await damage(key, { origins: ['okta'], suspended: counts ? ['okta'] : [] });
    if (!counts) await world.writer.send([{ kind: 'update', key, remove: ['suspended'] }]);
    expect(await findingsOn(world)).not.toEqual([]);
    expect(linesOf((await repairOn(world)).open)).toEqual([]);
    expect([await isMember(), await findingsOn(world)]).toEqual([counts, []]);
  });

  test.each([
    { origins: ['okta', 'entra'] },
    { origins: [] },
    { origins: ['okta'], suspended: ['entra'] },
    { origins: 'okta' },
  ])('finds what is no origins: %o', async (set) => {
    await given(['okta']);
    await damage(mine, set);
    expect(await findingsOn(world)).toContainEqual(expect.stringContaining('edge_damaged USER#ann'));
    await repairOn(world);
    expect([await isMember(), await findingsOn(world)]).toEqual([true, []]);
  });
});
