import { beforeEach, describe, expect, test } from 'vitest';
import { stampOf } from '../../table/decision/decode.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, edgePrefix, guardKey, partitionOf } from '../../table/keys.ts';
import { findingsOn, verifyOn } from './findings.ts';
import { createLedgerWorld, type Input, type Result } from './support.ts';

/**
 * Each API has one item that every change of its routes writes anew: of a route that is gone nothing else is left, and
 * rules count only with the revision that they were read with (SPEC section 2).
 */
let api: string;
let apis = 0;
const world = await createLedgerWorld();
beforeEach(() => {
  api = `api-${++apis}`;
});

const revision = async (name = api): Promise<Item | undefined> => world.reader.get(apiRevisionKey(name));
const stamp = async (name = api) => stampOf((await revision(name)) as Item);
const writeIds = new Set<string>();
/** The revision is of a write that it was not of before. */
async function expectAnother(): Promise<void> {
  const { writtenAt, writeId } = (await stamp()) ?? {};
  expect(writtenAt).toBe(world.clock.now());
  expect(writeIds.has(String(writeId))).toBe(false);
  writeIds.add(String(writeId));
}

const route = (path: string, more: Input = {}): Input => ({
  api,
  method: 'GET',
  path,
  permission: 'dashboard',
  scope: 'location:{header:x-location}',
  ...more,
});
const create = (path: string): Promise<Result> => world.run('route.create', route(path));
const rules = () =>
  world.reader.listAll({ ranges: [{ partition: partitionOf(apiRef(api)), prefix: edgePrefix('route') }] });

test('a route that comes, changes and goes', async () => {
  expect(await revision()).toBeUndefined();
  const { id } = await create('/one');
  await expectAnother();
  await world.run('route.update', { id, permission: 'reports' });
  await expectAnother();
  await world.run('route.delete', { id });
  await expectAnother();
  // It stays, to tell those who still have the rule.
  expect(await rules()).toEqual([]);
  expect(await revision()).toBeDefined();
});

test('is nothing but its stamp, and of the transaction that changed the route', async () => {
  await create('/one');
  const stamped = { writtenAt: world.clock.now(), writeId: expect.any(String) };
  expect(await revision()).toEqual({ ...apiRevisionKey(api), Type: 'Decision', v: 1, ...stamped });
  const guard = await world.reader.get(guardKey('API_ROUTE', '/one', `${api} GET`));
  expect(stampOf(guard as Item)).toEqual(await stamp());
});

test('is no rule, where rules are read', async () => {
  const { id } = await create('/one');
  expect((await rules()).map((rule) => rule.id)).toEqual([id]);
  expect((await world.listed('route.list', { api })).map((each) => each.id)).toEqual([id]);
});

test('is of one API: the others keep theirs', async () => {
  const other = `${api}-other`;
  await world.run('route.create', route('/one', { api: other }));
  const before = await stamp(other);
  await create('/one');
  expect(await stamp(other)).toEqual(before);
  expect((await stamp())?.writeId).not.toBe(before?.writeId);
});

test('routes that are not written change nothing', async () => {
  await create('/one');
  const before = await revision();
  expect(await world.refused('route.create', route('/one'))).toMatchObject({ code: 'conflict' });
  const dry = { command: 'route.create', input: route('/two'), dryRun: true };
  expect(await world.provision(dry)).toMatchObject({ ok: true });
  expect(await revision()).toEqual(before);
});

test('many changes of one transaction write it once', async () => {
  const { id } = await create('/one');
  await expectAnother();
  const { id: gone } = await create('/two');
  await expectAnother();
  const first = world.transactions.length;
  await world.run('transaction.write', {
    commands: [
      ...['/three', '/four', '/five'].map((path) => ({ command: 'route.create', input: route(path) })),
      { command: 'route.update', input: { id, permission: 'reports' } },
      { command: 'route.delete', input: { id: gone } },
    ],
  });
  await expectAnother();
  const sent = world.transactions.slice(first).flat();
  expect(sent.filter(({ key }) => key.PK === `API#${api}` && key.SK === 'DECISION')).toHaveLength(1);
  expect(await rules()).toHaveLength(4);
  expect(await findingsOn(world)).toEqual([]);
});

test('changes at the same time are all made, one after the other', async () => {
  const paths = Array.from({ length: 8 }, (_, n) => `/at-once-${n}`);
  await Promise.all(paths.map(create));
  expect(await rules()).toHaveLength(paths.length);
});

describe('verify', () => {
  const look = (isRepairing = false) => verifyOn(world, isRepairing);

  test('has nothing against one without routes', async () => {
    const { id } = await create('/one');
    await world.run('route.delete', { id });
    expect((await look()).open).toEqual([]);
  });

  test.each(['decision_damaged', 'decision_missing'])('makes one anew: %s', async (code) => {
    await create('/one');
    const { writeId: _, ...unstamped } = (await revision()) as Item;
    const key = apiRevisionKey(api);
    // Past the stamping.
    await world.writer.send([
      code === 'decision_missing' ? { kind: 'delete', key } : { kind: 'put', item: unstamped as Item },
    ]);
    expect((await look()).open).toMatchObject([{ code, key }]);
    expect((await look(true)).open).toEqual([]);
    expect(await stamp()).toBeDefined();
  });

  test('writes it anew with a rule that it puts right', async () => {
    await create('/one');
    await expectAnother();
    const [rule] = await rules();
    await world.writer.send([{ kind: 'put', item: { ...(rule as Item), permission: 'reports' } }]);
    world.clock.advance(1);
    expect((await look(true)).open).toEqual([]);
    expect((await rules())[0]).toEqual(rule);
    await expectAnother();
  });
});
