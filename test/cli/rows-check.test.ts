import { expect, test } from 'vitest';
import { tableInMemory } from '../support/store.ts';
import { createMemoryWorld } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

/** What `gatehouse rows check` prints: transcripts/rows-check.txt. */
test('reads the scopes of 500 rows together', async () => {
  const world = createMemoryWorld();
  await world.apply(`
scopes:
  acme: { id: acme, type: client }
  north: { id: north, type: project, parent: acme }
`);
  const row = { scope: 'project:north', path: { client: 'x' } };
  const rows = Array.from({ length: 1_200 }, (_, id) => ({ id, ...row }));
  const file = fileOf(rows.map((each) => JSON.stringify(each)).join('\n'), 'jsonl');
  let reads = 0;
  const counted = (name: string) => {
    const store = tableInMemory(name);
    if (!store) throw new Error('the world is on no table in memory');
    const getMany: typeof store.reader.getMany = (...args) => {
      reads += 1;
      return store.reader.getMany(...args);
    };
    return { ...store, reader: { ...store.reader, getMany } };
  };
  const env = { TABLE_NAME: world.table };
  const { out } = await gatehouse(['rows', 'check', file, '--json'], { env, tableInMemory: counted });
  expect(JSON.parse(out)).toMatchObject({ rows: 1_200, findings: 1_200 });
  expect(reads).toBe(6);
});
