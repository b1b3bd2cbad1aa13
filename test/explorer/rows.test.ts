import { expect, test } from 'vitest';
import { countOf, csvOf, filtered } from '../../explorer/page/parts/rows.ts';
import { defused } from '../../table/formulas.ts';

interface Row {
  readonly name: string;
  readonly ref: string;
}

const COLUMNS = [
  { title: 'Name', text: ({ name }: Row) => name },
  { title: 'Reference', text: ({ ref }: Row) => ref },
];
const ANN: Row = { name: 'Ann', ref: 'user:ann' };
const BEN: Row = { name: 'Ben', ref: 'user:BEN' };

test('the filter looks at every column, in whatever case', () => {
  expect(filtered([ANN, BEN], COLUMNS, ' aNn ')).toEqual([ANN]);
  expect(filtered([ANN, BEN], COLUMNS, 'user:ben')).toEqual([BEN]);
  expect(filtered([ANN, BEN], COLUMNS, ' ')).toEqual([ANN, BEN]);
  expect(filtered([ANN, BEN], COLUMNS, 'carl')).toEqual([]);
});

test('the count says what the filter leaves, what is loaded, and whether there is more', () => {
  expect(countOf(0, 0, false, true)).toBe('Loading…');
  expect(countOf(1, 1, false, false)).toBe('1 row');
  expect(countOf(3, 1200, true, false)).toBe('3 of 1,200 rows; there are more');
});

test('CSV quotes what it must, and nothing in it is a formula to a spreadsheet', () => {
  const rows = [
    { name: 'Ann "A", of\nNorth', ref: 'user:ann' },
    { name: '=HYPERLINK("http://x")', ref: '-1' },
  ];
  expect(csvOf(rows, COLUMNS)).toBe(
    'Name,Reference\r\n"Ann ""A"", of\nNorth",user:ann\r\n"\'=HYPERLINK(""http://x"")",\'-1\r\n',
  );
});

test('a cell is written as the command line writes it', () => {
  for (const cell of ['=1', '+1', '-1', '@x', "'=1", "''+x", 'plain', "it's", '']) {
    const [, line] = csvOf([{ name: cell, ref: '' }], COLUMNS).split('\r\n');
    expect(line).toBe(`${defused(cell)},`);
  }
});
