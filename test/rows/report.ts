import { mostOf, type Operation } from './operations.ts';
import { ROWS } from './table.ts';

/** The rows as a table for people and as JSON for programs. */

/** What is known of one test of a row once it has run. */
export interface Run {
  readonly id: string;
  readonly passed: boolean;
  readonly operations: readonly Operation[];
}

export type Status = 'pass' | 'fail' | 'no test';

export interface RowReport {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly operations: readonly Operation[];
}

/** Every row of the specification, in its order, with what its tests came to. All of them must have passed. */
export function reportOf(runs: readonly Run[]): readonly RowReport[] {
  return [...ROWS].map(([id, { title }]) => {
    const own = runs.filter((run) => run.id === id);
    const status = own.length === 0 ? 'no test' : own.every(({ passed }) => passed) ? 'pass' : 'fail';
    return { id, title, status, operations: mostOf(own.flatMap(({ operations }) => operations)) };
  });
}

const shown = ({ operation, index, calls }: Operation): string =>
  [operation, ...(index === null ? [] : [index]), ...(calls === 1 ? [] : [`×${calls}`])].join(' ');

/** A table of all rows, then how many passed. */
export function formatTable(rows: readonly RowReport[]): string {
  const cells = rows.map(
    ({ id, title, operations }) => [id, title, operations.map(shown).join(', ')] as const,
  );
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((cell) => cell[column]?.length ?? 0)));
  const lines = rows.map(({ status }, place) => {
    const padded = (cells[place] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return [...padded, status].join('  ');
  });
  return [...lines, '', `${countPassed(rows)} of ${rows.length}`].join('\n');
}

export const countPassed = (rows: readonly RowReport[]): number =>
  rows.filter(({ status }) => status === 'pass').length;

/** The same as JSON: `[{ id, title, passed, operations: [{ operation, index, calls }] }]`. */
export const formatJson = (rows: readonly RowReport[]): string =>
  `${JSON.stringify(
    rows.map(({ id, title, status, operations }) => ({ id, title, passed: status === 'pass', operations })),
    null,
    2,
  )}\n`;
