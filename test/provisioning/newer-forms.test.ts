import { describe, expect, test } from 'vitest';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { verify } from '../../provisioning/verify/index.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, parseKey } from '../../table/keys.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { createSampleWorld, NOW, toJson } from '../releases/world.ts';
import { size } from '../support/tier.ts';
import { afterWrites, watchWrites } from '../support/watched-writer.ts';
import { isRecord } from './support.ts';

/**
 * Verification and migration of a table in which a later release has written: one item of each kind is of form 3, with
 * attributes that nobody knows here, or without those that everybody knows.
 */
const clock = { now: () => NOW };
const items = (await createSampleWorld()).items();

const kindOf = (item: Item) => {
  const parsed = parseKey(item);
  return `${parsed?.form} ${item.Type} ${parsed && 'type' in parsed ? parsed.type : ''}`;
};
/** What an apply notes of itself is gone within a day: nobody verifies or migrates it. */
const state = items.filter((item) => !isRecord(item) && item.Type !== 'Applied');
/** All of them in the soak tier, otherwise some. */
const oneOfEach = [...new Map(state.map((item) => [kindOf(item), item])).entries()].filter(
  (_, n) => n % size(12, 1) === 0,
);
const withItem = (changed: Item) =>
  items.map((item) => (item.PK === changed.PK && item.SK === changed.SK ? changed : item));

const newerBy = (item: Item): readonly Item[] => {
  const kept = Object.entries(item).filter(([name]) => /^(PK|SK|Type|GSI\d[PS]K)$/.test(name));
  return [
    { ...item, v: 3, ofTomorrow: 'x' },
    { ...(Object.fromEntries(kept) as unknown as Item), v: 3, whole: { of: 'tomorrow' } },
  ];
};

/** As the release before wrote it: only decision items say their form. */
const asBefore = state.map(({ v, ...item }) => (item.Type === 'Decision' ? { ...item, v } : item) as Item);

const repairing = ({ reader, writer }: ReturnType<typeof createMemoryTable>) =>
  verify({ reader, clock, graceMs: 0, repair: { writer, newId } });
let ids = 0;
const newId = () => {
  ids += 1;
  return `01J8Z0E2Z8D2A3J7A7Y2HA${String(ids).padStart(4, '0')}`;
};
const inOrder = (all: readonly Item[]) =>
  toJson([...all].sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1)));

describe('verify --repair', () => {
  test.each(oneOfEach)(
    'leaves one of a newer form alone, and what is derived from it: %s',
    async (_, item) => {
      for (const newer of newerBy(item)) {
        const table = createMemoryTable({ items: withItem(newer) });
        const before = inOrder(table.items());
        const { open, repaired } = await repairing(table);
        expect(repaired).toEqual([]);
        expect(inOrder(table.items())).toEqual(before);
        expect(open.map(({ code, key, repairable }) => ({ code, key, repairable }))).toEqual([
          { code: 'newer_form', key: { PK: item.PK, SK: item.SK }, repairable: false },
        ]);
      }
    },
  );

  test('makes no decision item anew while there is a newer form, and does so when there is none', async () => {
    const wrong = (item: Item) =>
      item.PK === 'USER#bea' && item.SK === 'DECISION' ? { ...item, status: 'off' } : item;
    const newer = (item: Item) =>
      item.PK === 'LICENSE#lic' && item.SK === 'META' ? { ...item, v: 3 } : item;
    const codesOf = async (all: readonly Item[]) => {
      const { open, repaired } = await repairing(createMemoryTable({ items: all }));
      return { open: open.map(({ code }) => code).sort(), repaired: repaired.map(({ code }) => code) };
    };
    const left = { open: ['decision_differs', 'newer_form'], repaired: [] };
    expect(await codesOf(items.map(wrong).map(newer))).toEqual(left);
    expect(await codesOf(items.map(wrong))).toEqual({ open: [], repaired: ['decision_differs'] });
  });

  test('says what of it refuses decisions', async () => {
    const effects = new Map<string, string>();
    const table = createMemoryTable({ items: state.map((item) => ({ ...item, v: 3 })) });
    const { open } = await verify({ reader: table.reader, clock, graceMs: 0 });
    for (const { key, effect } of open)
      effects.set(String(state.find((item) => item.PK === key.PK && item.SK === key.SK)?.Type), effect);
    const closing = [...effects].filter(([, effect]) => effect === 'closes').map(([type]) => type);
    expect(closing.sort()).toEqual(['Decision', 'Guard', 'RouteRule']);
  });

  test('takes what says no form for the first one, and a form that is none for damage', async () => {
    const wrong: Readonly<Record<string, unknown>> = { ann: 0, bea: -1, carl: 0.5, dora: 'x', root: null };
    const changed = asBefore.map((item) => {
      const v = item.SK === 'META' ? wrong[item.PK.replace(/^USER#/, '')] : undefined;
      return v === undefined ? item : { ...item, v };
    });
    const { open, repaired } = await repairing(createMemoryTable({ items: changed }));
    expect(open).toEqual([]);
    expect(repaired.map(({ code, key, attribute }) => [code, key.PK, attribute])).toEqual(
      Object.keys(wrong).map((id) => ['node_damaged', `USER#${id}`, 'v']),
    );
  });
});

describe('migrate', () => {
  test('brings every item to the form, changes nothing else, and then finds nothing left', async () => {
    const table = createMemoryTable({ items: asBefore });
    const dry = await migrate({ newId, reader: table.reader, clock });
    const missing = asBefore.filter(({ v }) => v === undefined).length;
    expect(dry).toMatchObject({ migrated: 0, older: missing, newer: 0 });
    expect(inOrder(table.items())).toEqual(inOrder(asBefore));
    const done = await migrate({ newId, ...table, clock });
    expect(done).toMatchObject({ migrated: missing, older: 0, newer: 0 });
    expect(inOrder(table.items())).toEqual(inOrder(state));
    expect(await migrate({ newId, ...table, clock })).toMatchObject({ migrated: 0, older: 0 });
  });

  test('goes on where it was killed', async () => {
    const table = createMemoryTable({ items: asBefore });
    const killed = watchWrites(table.writer, (number) => {
      if (number > 3) throw new Error('killed');
    });
    const first = migrate({ newId, reader: table.reader, writer: killed, clock, width: 1 });
    await expect(first).rejects.toThrow('killed');
    const { migrated, older } = await migrate({ newId, ...table, clock });
    expect(migrated).toBeLessThan(asBefore.filter(({ v }) => v === undefined).length);
    expect(older).toBe(0);
    expect(inOrder(table.items())).toEqual(inOrder(state));
  });

  test('loses no write that comes between its reading and its writing', async () => {
    const table = createMemoryTable({ items: asBefore });
    const key = { PK: 'USER#ann', SK: 'META' };
    const ann = (await table.reader.get(key)) as Item;
    let raced = false;
    const racing = watchWrites(table.writer, (_, actions) => {
      if (raced || !actions.some((action) => action.kind === 'update' && action.key.PK === key.PK)) return;
      raced = true;
      table.put({ ...ann, title: 'Dr', v: 3 });
      table.remove({ PK: 'USER#bea', SK: 'META' });
    });
    const { older, newer } = await migrate({ newId, reader: table.reader, writer: racing, clock });
    expect([raced, older, newer]).toEqual([true, 0, 1]);
    expect(await table.reader.get(key)).toEqual({ ...ann, title: 'Dr', v: 3 });
    expect(await table.reader.get({ PK: 'USER#bea', SK: 'META' })).toBeUndefined();
  });

  test('says what is left while an older release still writes', async () => {
    const table = createMemoryTable({ items: asBefore });
    const key = { PK: 'USER#ann', SK: 'META' };
    const ann = (await table.reader.get(key)) as Item;
    const writer = afterWrites(table.writer, () => table.put(ann));
    expect(await migrate({ newId, reader: table.reader, writer, clock })).toMatchObject({ older: 1 });
  });

  test('leaves a decision item without its form to verify: it is damaged', async () => {
    const damaged = state.map((item) =>
      item.PK === 'USER#ann' && item.SK === 'DECISION' ? { ...item, v: undefined } : item,
    );
    const table = createMemoryTable({ items: damaged });
    expect(await migrate({ newId, ...table, clock })).toMatchObject({ migrated: 0, older: 0, newer: 0 });
  });
});
