import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, test } from 'vitest';
import { createEngine, systemClock } from '../../engine/index.ts';
import type { RowsPage } from '../../engine/rows/index.ts';
import { blocksOf, ROOT } from '../documents/documents.ts';
import { openModelTest } from '../support/model-test.ts';

/** The list of docs/guides/record-ownership.md as it is printed, over its model and PostgreSQL. */
const GUIDE = 'guides/record-ownership';
mkdirSync(join(ROOT, '.site'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.site/list-'));
const database = await PGlite.create();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
});

const asked: unknown[] = [];
const yaml = readFileSync(join(ROOT, `docs/examples/${GUIDE}.test.yaml`), 'utf8');
const { reader } = await openModelTest(GUIDE, yaml);
Object.assign(globalThis, {
  reader,
  engine: createEngine({ reader, clock: systemClock }),
  query: async (text: string, values: unknown[]) => {
    asked.push(values);
    return (await database.query(text, values)).rows;
  },
});
process.env.CURSOR_SECRET = 'cursors of tests are encrypted with this';
const sample = blocksOf(`docs/${GUIDE}.md`).find(({ text }) => text.includes('defineRows'));
const file = join(folder, 'notes.ts');
writeFileSync(file, String(sample?.text).replace('gatehouse-authz/rows', join(ROOT, 'engine/rows/index.ts')));
const { notesOf }: { notesOf: (subject: string) => Promise<RowsPage<{ readonly id: number }>> } =
  await import(file);
await database.exec(`
    CREATE TABLE notes (id INT PRIMARY KEY, tenant TEXT, owner TEXT, team TEXT, shared TEXT[], changed_at TEXT);
    INSERT INTO notes VALUES
      (1, 'acme', 'ann', NULL, NULL, '1'), (2, 'acme', 'ben', 'design', '{}', '2'),
      (3, 'acme', 'ben', 'sales', '{ann,cem}', '3'), (4, 'acme', 'ben', 'sales', '{annabel}', '4'),
      (5, 'other', 'ann', 'design', '{ann}', '5')`);

test.each([
  ['ann', [3, 2, 1], [1]],
  ['ben', [4, 3, 2], [4, 3, 2]],
])(
  '%s reads what is theirs, their team has, or is shared with them, and edits their own',
  async (who, reads, edits) => {
    const { rows, also, cursor } = await notesOf(`user:${who}`);
    expect(rows.map(({ id }) => id)).toEqual(reads);
    expect(rows.flatMap(({ id }, at) => (also[at]?.has('notes:edit:note') ? [id] : []))).toEqual(edits);
    expect(cursor).toBeUndefined();
  },
);

test('the query is narrowed by all three columns', () => {
  expect(asked[0]).toEqual(expect.arrayContaining(['acme', 'ann', 'design']));
});
