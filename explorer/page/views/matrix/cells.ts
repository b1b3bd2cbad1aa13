import type { cellsByPlace } from '../../../../provisioning/index.ts';
import type { Results } from '../../../service/index.ts';
import type { TextColumn } from '../../parts/rows.ts';

/** A matrix as the page draws it: a part of its rows and columns at a time. */

export type Matrix = Results['matrix'];
export type Cell = Matrix['cells'][number];
export type Permission = Matrix['permissions'][number];

/** Rows and columns that are drawn at once. */
export const MOST_ROWS = 50;
export const MOST_ROLES = 20;

/** The columns of the file: as the page shows them, each cell in words. */
export const textColumns = (
  { roles }: Matrix,
  cellAt: ReturnType<typeof cellsByPlace>,
): readonly TextColumn<Permission>[] => [
  { title: 'permission', text: ({ name }) => name },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'description', text: ({ description = '' }) => description },
  ...roles.map(({ id, label }) => ({
    title: label,
    text: ({ name }: Permission) => cellAt(name, id)?.text ?? '',
  })),
];

/** Where an arrow key leads, within a table of so many rows and columns; undefined for another key. */
export function moved(
  key: string,
  [row, column]: readonly [number, number],
  [rows, columns]: readonly [number, number],
): readonly [number, number] | undefined {
  const to = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns - 1],
  }[key];
  if (!to) return undefined;
  const [nextRow = 0, nextColumn = 0] = to;
  return [Math.min(Math.max(nextRow, 0), rows - 1), Math.min(Math.max(nextColumn, 0), columns - 1)];
}
