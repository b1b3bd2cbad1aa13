import { expect, test } from 'vitest';
import { createCollection, replay, type Sent } from '../../provisioning/replay/index.ts';

/** The removals of a tree of scopes, from below, at one instant: the ids of the records do not tell their order. */
function collectionOf(scopes: readonly string[]) {
  const at = '2026-01-01T00:00:00.000Z';
  const collection = createCollection(Date.parse(at));
  for (const [index, id] of scopes.entries()) {
    const entity = { type: 'location', id };
    const record = { id: `record-${index}`, action: 'location.delete', entity, at, before: { id } };
    collection.add({ kind: 'change', record });
  }
  return collection;
}

/** A table of scopes, each with its parent; a scope with a child is not deleted. */
function tableOf(parents: ReadonlyMap<string, string | undefined>) {
  const left = new Map(parents);
  const calls: unknown[] = [];
  return {
    left,
    calls,
    read: async ({ input }: Sent) => (left.has(String(input.id)) ? { id: input.id } : undefined),
    write: async ({ input: { id } }: Sent) => {
      calls.push(id);
      if ([...left.values()].includes(String(id))) return { message: 'it has children' };
      return left.delete(String(id)) ? ('done' as const) : ('gone' as const);
    },
  };
}

const TREE = new Map([
  ['top', undefined],
  ['middle', 'top'],
  ['bottom', 'middle'],
]);

test('removals of one instant that stand in the wrong order are all carried out', async () => {
  const { left, ...table } = tableOf(TREE);
  const { replayed, refused } = await replay(collectionOf(['top', 'middle', 'bottom']), table);
  expect(replayed.map(({ input }) => input.id)).toEqual(['bottom', 'middle', 'top']);
  expect(refused).toEqual([]);
  expect(left.size).toBe(0);
});

test('what stays refused is reported once, and is sent again only while something else succeeds', async () => {
  const { calls, ...table } = tableOf(TREE);
  const { replayed, refused } = await replay(collectionOf(['top', 'middle']), table);
  expect(replayed).toEqual([]);
  expect(refused).toEqual([
    { command: 'location.delete', input: { id: 'top' }, message: 'it has children' },
    { command: 'location.delete', input: { id: 'middle' }, message: 'it has children' },
  ]);
  expect(calls).toEqual(['top', 'middle', 'top', 'middle']);
});
