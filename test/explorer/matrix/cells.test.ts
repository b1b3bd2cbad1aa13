import { describe, expect, test } from 'vitest';
import { csvOf, startOf } from '../../../explorer/page/parts/rows.ts';
import { type Matrix, moved, textColumns } from '../../../explorer/page/views/matrix/cells.ts';
import { cellsByPlace, signsOf } from '../../../provisioning/index.ts';

/** A matrix as the page draws it. */
test.each([
  [{ effect: 'ALLOW' }, '✓'],
  [{ effect: 'DENY', when: 'x' }, '✕?'],
  [{ effect: 'ALLOW', from: 'a', pattern: '*:*:*', when: 'x' }, '✓↑≈?'],
] as const)('%j is %s', (mark, signs) => {
  expect(signsOf(mark)).toBe(signs);
});

describe('the part that is drawn', () => {
  test.each([
    [undefined, 120, 0],
    ['50', 120, 50],
    ['99', 120, 50],
    ['5000', 120, 100],
    ['100', 100, 50],
    ['-50', 120, 0],
    ['many', 120, 0],
    ['50', 0, 0],
  ])('begins for %s of %i at %i', (text, total, start) => {
    expect(startOf(text, 50, total)).toBe(start);
  });
});

test.each([
  ['ArrowDown', [1, 1]],
  ['ArrowUp', [0, 1]],
  ['ArrowRight', [0, 2]],
  ['ArrowLeft', [0, 0]],
  ['Home', [0, 0]],
  ['End', [0, 2]],
])('%s stays within the table', (key, to) => {
  expect(moved(key, [0, 1], [2, 3])).toEqual(to);
});

test('another key leads nowhere', () => expect(moved('Tab', [0, 0], [2, 3])).toBeUndefined());

test('the file has each cell in words, and no formula', () => {
  const matrix: Matrix = {
    combination: 'allow-overrides',
    roles: [{ id: 'r', name: '=r', scope: 'global', label: '=r (global)' }],
    permissions: [
      { name: 'home', kind: 'page', description: 'Begins, here' },
      { name: 'grades', kind: 'page' },
    ],
    cells: [{ role: 'r', permission: 'home', marks: [{ effect: 'DENY' }], text: 'DENY' }],
  };
  const csv = csvOf(matrix.permissions, textColumns(matrix, cellsByPlace(matrix.cells)));
  expect(csv).toBe(
    'permission,kind,description,\'=r (global)\r\nhome,page,"Begins, here",DENY\r\ngrades,page,,\r\n',
  );
});
