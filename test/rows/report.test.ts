import { describe, expect, test } from 'vitest';
import { expectedNames, isNothing, mostOf, namesOf, tally } from './operations.ts';
import { countPassed, formatJson, formatTable, type Run, reportOf } from './report.ts';
import { ROWS } from './titles.ts';

/** How rows are counted and shown; no row is run here. */
const get = { operation: 'GetItem', index: null, calls: 1 };
const queries = { operation: 'Query', index: 'GSI2', calls: 2 };
const run = (id: string, passed = true, operations: Run['operations'] = [get]): Run => ({
  id,
  passed,
  operations,
});
const statuses = (runs: readonly Run[], ...ids: readonly string[]) =>
  reportOf(runs).flatMap(({ id, status }) => (ids.includes(id) ? [status] : []));

describe('the report', () => {
  test('has the 83 rows of the specification, each once, whatever has run', () => {
    const rows = reportOf([run('RB-01'), run('XX-01')]);
    expect(rows).toHaveLength(83);
    expect(rows.map(({ id }) => id)).toEqual(ROWS.map(({ id }) => id));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(83);
    expect(countPassed(rows)).toBe(1);
  });

  test('a row has passed when all of its tests have; without a test it has not', () => {
    const runs = [run('RB-01'), run('RB-02', false), run('RB-03'), run('RB-03', false)];
    expect(statuses(runs, 'RB-01', 'RB-02', 'RB-03', 'RB-04')).toEqual(['pass', 'fail', 'fail', 'no test']);
    expect(countPassed(reportOf(runs))).toBe(1);
  });

  test('all passed is all passed', () => {
    expect(formatTable(reportOf(ROWS.map(({ id }) => run(id))))).toMatch(/\n83 of 83$/);
  });
});

describe('the table', () => {
  const rows = reportOf([run('RB-01'), run('PL-05', false, [queries, get])]);
  const lines = formatTable(rows).split('\n');

  test('has a line a row, and the count at the end', () => {
    expect(lines).toHaveLength(85);
    expect(lines.slice(-2)).toEqual(['', '1 of 83']);
    const line = (id: string) => lines.find((each) => each.startsWith(id))?.replace(/ {2,}/g, ' | ');
    expect(line('RB-01')).toBe('RB-01 | email to user id (one GetItem, provider kept) | GetItem | pass');
    expect(line('PL-05')).toBe('PL-05 | users of an account | Query GSI2 ×2, GetItem | fail');
    expect(line('AM-04')).toBe('AM-04 | client | no test');
  });
});

test('as JSON, a row is its id, title, whether it passed, and its operations', () => {
  const text = formatJson(reportOf([run('AM-01', true, [queries])]));
  const parsed = JSON.parse(text) as readonly unknown[];
  expect(parsed).toHaveLength(83);
  expect(parsed.slice(0, 2)).toEqual([
    { id: 'AM-01', title: 'user by email', passed: true, operations: [queries] },
    { id: 'AM-02', title: "a user's permissions at a scope", passed: false, operations: [] },
  ]);
  expect(text.endsWith(']\n')).toBe(true);
});

describe('operations', () => {
  const calls = [{ operation: 'Query', index: 'GSI2' }, { operation: 'GetItem' }, { operation: 'Query' }];

  test('are counted by name and index', () => {
    expect(tally([...calls, ...calls.slice(0, 1)])).toEqual([queries, get, { ...get, operation: 'Query' }]);
    expect(tally([])).toEqual([]);
  });

  test('of several answers are the most that one of them took', () => {
    const one = { ...queries, calls: 1 };
    expect(mostOf([one, get, queries, one])).toEqual([queries, get]);
  });

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

  test.each([
    [undefined, true],
    [{ items: [] }, true],
    [{ items: [{}] }, false],
    [{ id: 'x' }, false],
    [false, false],
  ])('%j is nothing: %s', (answer, nothing) => {
    expect(isNothing(answer)).toBe(nothing);
  });
});
