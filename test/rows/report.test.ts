import { describe, expect, test } from 'vitest';
import { expectedNames, namesOf } from './operations.ts';
import { countPassed, type Run, reportOf } from './report.ts';
import { ROWS } from './table.ts';

/** How rows are counted and shown; no row is run here. */
const run = (id: string, passed = true): Run => ({ id, passed, operations: [] });
const statuses = (runs: readonly Run[], ...ids: readonly string[]) =>
  reportOf(runs).flatMap(({ id, status }) => (ids.includes(id) ? [status] : []));

describe('the report', () => {
  test('has the 83 rows of the specification, each once, whatever has run', () => {
    const rows = reportOf([run('RB-01'), run('XX-01')]);
    expect(rows).toHaveLength(83);
    expect(rows.map(({ id }) => id)).toEqual([...ROWS.keys()]);
    expect(countPassed(rows)).toBe(1);
  });

  test('a row has passed when all of its tests have; without a test it has not', () => {
    const runs = [run('RB-01'), run('RB-02', false), run('RB-03'), run('RB-03', false)];
    expect(statuses(runs, 'RB-01', 'RB-02', 'RB-03', 'RB-04')).toEqual(['pass', 'fail', 'fail', 'no test']);
    expect(countPassed(reportOf(runs))).toBe(1);
  });
});

describe('operations', () => {
  test('a Query may go out again, a GetItem may not', () => {
    const [query, item] = [{ operation: 'Query' }, { operation: 'GetItem' }];
    expect(namesOf([query, query, item, item, query])).toEqual(['Query', 'GetItem', 'GetItem', 'Query']);
    expect(namesOf([query, { ...query, index: 'GSI1' }])).toEqual(['Query', 'Query GSI1']);
  });

  test('all that is declared must go out, unless nothing was found on the way', () => {
    const declared = ['Query GSI2', 'BatchGetItem'];
    const first = declared.slice(0, 1);
    expect(expectedNames(declared, first, false)).toEqual(['Query GSI2', 'BatchGetItem']);
    expect(expectedNames(declared, first, true)).toEqual(['Query GSI2']);
    expect(expectedNames(declared, [], true)).toEqual(['Query GSI2']);
    expect(expectedNames(declared, declared, true)).toEqual(['Query GSI2', 'BatchGetItem']);
  });
});
