import { describe, expect, test } from 'vitest';
import { createColumns } from '../../../cli/bulk/columns.ts';
import { readSource } from '../../../cli/bulk/source.ts';
import { columnsOf, piecesOf } from './loading.ts';

/** What spreadsheets, exports and DOS add to a file is read for what it is, and no value is lost with it. */
const COLUMNS = columnsOf('id', 'email', 'title');

/** Lines, values and bytes of the rows, and what the file of refused rows would take over. */
async function read(text: string, size = 65_536) {
  const source = await readSource(piecesOf(text, size), COLUMNS);
  const rows: unknown[] = [];
  let last = 0;
  for await (const { line, values, bytes } of source.rows) {
    rows.push([line, values]);
    last = bytes;
  }
  return { header: source.header, delimiter: source.delimiter, rows, last };
}

const problemOf = (text: string) =>
  read(text).then(
    () => undefined,
    (error: { message: string; line?: number }) => `${error.line}: ${error.message}`,
  );

const ANN = { id: 'a', email: 'ann@b.de' };

describe.each([65_536, 1, 3])('in pieces of %i bytes', (size) => {
  test.each<[string, string, number]>([
    ['a padded header and padded rows', 'id,email,,\na,ann@b.de,,\n', 2],
    ['a header that alone is padded', 'id,email,,\na,ann@b.de\n', 2],
    ['rows that alone are padded', 'id,email\na,ann@b.de, ,\n', 2],
    ['a column without a name or values', 'id,,email\na,,ann@b.de\n', 2],
    ['sep=', 'sep=;\r\nid;email\r\na;ann@b.de\r\n', 3],
    ['sep= after a byte order mark, for a delimiter of its own', '\ufeffsep=|\nid|email\na|ann@b.de\n', 3],
    ['sep= in quotes', '"sep=,"\nid,email\na,ann@b.de\n', 3],
    ['comments', '# users; of all schools;\n#\n\n  # 2026\nid,email\na,ann@b.de\n', 6],
    ['comments and sep=', '\ufeff# users\rsep=;\rid;email\ra;ann@b.de\r', 4],
    ['a last line of blanks', 'id,email\na,ann@b.de\n   \n', 2],
    ['a line of blank cells', 'id,email\n , \na,ann@b.de\n , \n', 3],
    ['a DOS end of file', 'id,email\r\na,ann@b.de\r\n\u001a', 2],
    ['a DOS end of file in the last row, and after it', 'id,email\na,ann@b.de\u001a\u001a\u001a', 2],
    ['both in JSON Lines', '# users\n{"id":"a","email":"ann@b.de"}\n\u001a', 2],
  ])('%s', async (_, text, line) => {
    expect((await read(text, size)).rows).toEqual([[line, ANN]]);
  });
});

test('the refused rows have the named columns, and the delimiter of the file', async () => {
  expect(await read('sep=|\nid|email||\na|ann@b.de||\n')).toMatchObject({
    header: ['id', 'email'],
    delimiter: '|',
  });
});

test('line numbers are those of an editor, whatever ends a line', async () => {
  const { rows } = await read('id,title\r\n"a\r\nb",\r\n\r\n"c\r\nd\r\ne",x\r\nlast,\r\n');
  expect((rows as [number][]).map(([line]) => line)).toEqual([2, 5, 8]);
});

test('bytes count from the beginning of the file', async () => {
  for (const text of ['# users\nid,email\na,ann@b.de\n', '# users\n{"id":"a"}\n'])
    expect((await read(text)).last).toBe(text.length);
});

test.each([
  [
    'a value in a column without a name',
    'id,,email\na,x,ann@b.de\n',
    'has a value in column 2, which has no',
  ],
  ['a value beyond a padded header', '# users\nid,email,,\na,ann@b.de,,x\n', 'has 4 columns, the header 2'],
  ['a row that lacks a cell', 'id,email,,\n\na\n', 'has 1 columns, the header 2'],
  [
    'a comment after the header',
    'id,email\n# of 2026\n',
    'is a comment: comments stand before the header only',
  ],
])('%s is named with its line', async (_, text, message) => {
  expect(await problemOf(text)).toContain(`${text.trimEnd().split('\n').length}: ${message}`);
});

test('a hash in a row, and a DOS end of file within a text, are values', async () => {
  const { rows } = await read('id,email\n#a,x\u001ay\n#b,\n');
  expect(rows).toEqual([
    [2, { id: '#a', email: 'x\u001ay' }],
    [3, { id: '#b' }],
  ]);
});

test('choices are read in any case, in CSV and in JSON Lines', async () => {
  const status = { type: 'string', enum: ['active', 'disabled'] };
  const columns = createColumns([
    { name: 'id', property: { type: 'string' }, isRequired: false },
    { name: 'status', property: status, isRequired: false },
  ]);
  for (const text of [
    'id,status\nA,Active\nB,none\n',
    '{"id":"A","status":"ACTIVE"}\n{"id":"B","status":"none"}\n',
  ]) {
    const { rows } = await readSource(piecesOf(text), columns);
    const found: unknown[] = [];
    for await (const { values } of rows) found.push(values);
    expect(found).toEqual([
      { id: 'A', status: 'active' },
      { id: 'B', status: 'none' },
    ]);
  }
});

test('a file of comments alone is empty', async () => {
  expect(await problemOf('# users\n# none\n')).toBe(
    'undefined: is empty: it needs a header with the names of the columns',
  );
});
