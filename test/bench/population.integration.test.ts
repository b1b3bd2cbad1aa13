import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import {
  blockMarks,
  copyOf,
  isAllowedInBlock,
  PAGES,
  pageOf,
  placeRef,
  userRef,
  writeByCommands,
} from '../../bench/model/population.ts';
import type { Item } from '../../table/item.ts';
import { size } from '../support/tier.ts';
import { createWorld } from '../support/world.ts';

const USERS = size(4, 12);
const asTexts = (items: readonly Item[]): readonly string[] =>
  items.map((item) =>
    JSON.stringify(marshall(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))))),
  );

test('a copy of a block equals what commands write under its ids, and the shared items are the same', async () => {
  const [first, second] = [await createWorld(), await createWorld()];
  const now = first.clock.now();
  const mark = blockMarks(300).at(-1) ?? '';
  const copied = await writeByCommands(first.client, first.table, now, { users: USERS });
  const written = await writeByCommands(second.client, second.table, now, { users: USERS, mark });
  const copies = asTexts(copied.block).map((text) => copyOf(text, mark));
  // Each user has 16 items, their roles and groups more.
  expect(copies.length).toBeGreaterThan(USERS * 16);
  expect(copies.filter((text) => !text.includes(mark))).toEqual([]);
  expect([...copies].sort()).toEqual([...asTexts(written.block)].sort());
  expect([...asTexts(copied.common)].sort()).toEqual([...asTexts(written.common)].sort());

  second.settle();
  const engine = second.newEngine();
  for (let n = 0; n < 150; n++) {
    const [user, page, place] = [n % USERS, (n * 7) % PAGES, 1 + (n % 3)];
    const { allowed } = await engine.check(userRef(mark, user), pageOf(page), placeRef(mark, place));
    expect(allowed, `${user} ${page} ${place}`).toBe(isAllowedInBlock(user, page, place));
  }
});

test('blocks have marks of their own', () => {
  const marks = blockMarks(10_000);
  expect(new Set(marks).size).toBe(10_000);
  expect(new Set(marks.map(({ length }) => length)).size).toBe(1);
});
