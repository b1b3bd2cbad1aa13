import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMandates } from '../../provisioning/index.ts';
import { mandateUsesKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { afterWrites } from '../support/watched-writer.ts';
import { copyOf, createMemoryWorld } from '../support/world.ts';
import { verifyOn } from './findings.ts';
import { furnishMandates, MANDATE, USE } from './mandates.ts';

/** The counter of a mandate's uses against what can be said of it: its budget, its form, and the log. */
type World = ReturnType<typeof createMemoryWorld>;
const furnished = createMemoryWorld();
const KEY = mandateUsesKey('m1');
beforeAll(async () => {
  await furnishMandates(furnished);
  await furnished.run('mandate.create', { ...MANDATE, budget: { sum: 500, of: 'amount' } });
});
let world: World;
let operations = 0;
const pay = (amount: number) =>
  createMandates(world).use({ ...USE, operationId: `op-${++operations}`, properties: { amount } });
beforeEach(async () => {
  world = copyOf(furnished);
  for (const amount of [100, 200]) await pay(amount);
});

const damage = (change: Partial<Extract<Action, { kind: 'update' }>>) =>
  world.writer.send([{ kind: 'update', key: KEY, ...change }]);
const used = async () => (await world.reader.get(KEY))?.used;
const found = async (isRepairing = false) => {
  const { open, repaired } = await verifyOn(world, isRepairing);
  return (isRepairing ? repaired : open).map(({ code, key, attribute, effect, repairable }) => {
    expect(key).toEqual(KEY);
    return [code, attribute, effect, repairable ? 'repairable' : 'not repairable'].join(' ');
  });
};

test('nothing is found where the counter is what the log says', async () => {
  expect(await found()).toEqual([]);
});

describe('a counter that is lower than what was used', () => {
  test.each<[string, () => Promise<void>, string]>([
    ['is raised', () => damage({ set: { used: 120 } }), 'copy_differs used opens repairable'],
    [
      'is put back where it is gone',
      () => world.writer.send([{ kind: 'delete', key: KEY }]),
      'copy_missing used opens repairable',
    ],
  ])('%s', async (_what, change, finding) => {
    await change();
    expect(await found()).toEqual([finding]);
    expect(await found(true)).toEqual([finding]);
    expect(await found()).toEqual([]);
    expect(await world.reader.get(KEY)).toMatchObject({ used: 300, Type: 'MandateUses' });
    expect(await pay(201)).toMatchObject({ allowed: false, reason: 'budget_spent' });
    expect(await pay(200)).toMatchObject({ remaining: 0 });
  });

  test('is raised by what is missing, and not to what was seen: uses go on meanwhile', async () => {
    await damage({ set: { used: 120 } });
    let isPaid = false;
    const { reader } = world;
    const busy = {
      ...world,
      reader: {
        ...reader,
        getSnapshot: async (...asked: Parameters<typeof reader.getSnapshot>) => {
          const items = await reader.getSnapshot(...asked);
          const isOfCounter = asked[0].some(({ PK }) => PK === KEY.PK);
          if (isOfCounter && !isPaid) {
            isPaid = true;
            await pay(50);
          }
          return items;
        },
      },
    };
    const raised: unknown[] = [];
    const note = async () => raised.push(await used());
    const writer = afterWrites(world.writer, note);
    await verifyOn({ ...busy, writer }, true);
    expect([isPaid, raised]).toEqual([true, [350]]);
  });
});

test.each<[string, Partial<Extract<Action, { kind: 'update' }>>, string]>([
  ['higher than what the log has', { set: { used: 400 } }, 'copy_differs used closes not repairable'],
  ['no number', { set: { used: '300' } }, 'node_damaged used closes not repairable'],
  ['negative', { set: { used: -1 } }, 'node_damaged used closes not repairable'],
  ['a fraction', { set: { used: 0.5 } }, 'node_damaged used closes not repairable'],
  ['gone', { remove: ['used'] }, 'node_damaged used closes not repairable'],
])('a counter that is %s is found, and never lowered', async (_what, change, finding) => {
  await damage(change);
  expect(await found()).toEqual([finding]);
  const before = await world.reader.get(KEY);
  await verifyOn(world, true);
  expect(await world.reader.get(KEY)).toEqual(before);
});

test('one beyond its budget is found, also without the log', async () => {
  await damage({ set: { used: 501 } });
  const { open } = await verifyOn(world, false, { logs: false });
  expect(open).toMatchObject([{ code: 'node_damaged', key: KEY, expected: 'at most 500', effect: 'closes' }]);
});

test.each<[string, Partial<Extract<Action, { kind: 'update' }>>]>([
  ['ttl', { set: { ttl: 1_900_000_000 } }],
  ['ttl', { remove: ['ttl'] }],
  ['Type', { set: { Type: 'Other' } }],
])('a wrong %s is put right', async (attribute, change) => {
  const before = await world.reader.get(KEY);
  await damage(change);
  expect(await found()).toEqual([`copy_differs ${attribute} either repairable`]);
  await verifyOn(world, true);
  expect(await world.reader.get(KEY)).toMatchObject(before ?? {});
});

test.each([500, 5_000])(
  'uses of an earlier mandate of the same id do not count, %d ms later',
  async (later) => {
    await world.run('mandate.create', { ...MANDATE, id: 'older', budget: { uses: 5 } });
    await world.run('mandate.delete', { id: 'm1' });
    world.clock.advance(later);
    await world.run('mandate.create', { ...MANDATE, budget: { uses: 5 } });
    expect(await found()).toEqual([]);
    await pay(1);
    expect([await used(), await found()]).toEqual([1, []]);
    await damage({ set: { used: 3 } });
    // Clocks may differ by a second: what is of that time may be of either.
    expect(await found()).toEqual(later > 1_000 ? ['copy_differs used closes not repairable'] : []);
  },
);

test('a use between the reading of the log and of the counter is no finding', async () => {
  const { reader } = world;
  const busy = {
    ...world,
    reader: {
      ...reader,
      listMerged: async (...asked: Parameters<typeof reader.listMerged>) => {
        const page = await reader.listMerged(...asked);
        await pay(1);
        return page;
      },
    },
  };
  const { open } = await verifyOn(busy);
  expect(open.filter(({ key }) => key.PK === KEY.PK)).toEqual([]);
});

test('mandates are looked at a page at a time, and those without a use or that are over are left alone', async () => {
  await world.run('mandate.create', { ...MANDATE, id: 'm2', budget: { uses: 2 } });
  await world.run('mandate.create', { ...MANDATE, id: 'm3' });
  await damage({ set: { used: 0 } });
  await world.run('mandate.end', { id: 'm1' });
  expect(await found()).toEqual([]);
});
