import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';
import { createRefusedFile } from '../../../cli/bulk/refused.ts';
import { readSource } from '../../../cli/bulk/source.ts';
import { defused, restored } from '../../../table/formulas.ts';
import * as fc from '../../support/fast-check.ts';
import { columnsOf, piecesOf } from './loading.ts';

/** What a file of refused rows holds is what was loaded, and nothing in it runs in a spreadsheet. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-refused-'));
afterAll(() => rmSync(folder, { recursive: true }));

const COLUMNS = columnsOf('a', 'b', 'c');
const cell = fc.oneof(
  fc.constantFrom('=1+1', '+49', '-1', '@x', '\t=1', '\r=1', "'=1", "''+1", "'", "'plain", '"', ' ', ''),
  fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n\'",; ab') }),
);

test('cells come back as they were, whatever they begin with', () => {
  fc.assert(
    fc.property(cell, (text) => {
      expect(restored(defused(text))).toBe(text);
      expect(defused(text)).not.toMatch(/^[=+\-@\t\r\n]/);
    }),
  );
});

test('rows come back as they were, through the file', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(',', ';', '\t'),
      fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1, maxLength: 3 }),
      async (delimiter, rows) => {
        const path = join(folder, 'refused.csv');
        const header = ['a', 'b', 'c'];
        const source = { format: 'csv', header, delimiter, rows: (async function* () {})() } as const;
        const file = createRefusedFile(path, source, 0);
        for (const original of rows)
          file.write(
            { line: 1, bytes: 0, values: {}, original },
            { line: 1, code: 'invalid', message: '=cmd()' },
          );
        file.close();
        const read = await readSource(piecesOf(readFileSync(path, 'utf8')), COLUMNS);
        const found: unknown[] = [];
        for await (const { original } of read.rows) found.push(original);
        expect(found).toEqual(rows);
        expect(readFileSync(path, 'utf8')).not.toMatch(/(?:^|[,;\t\n])"?=cmd/);
      },
    ),
  );
});

test('a file that is not one of refused rows is read as it is', async () => {
  const read = await readSource(piecesOf("a,b\n'=1,+2\n"), COLUMNS);
  for await (const { values } of read.rows) expect(values).toEqual({ a: "'=1", b: '+2' });
});
