import { describe, expect, test } from 'vitest';
import { findConfigurations, isAsExpected, readHeader, readOutput } from './models.ts';

describe('the header of a configuration', () => {
  test.each([
    ['\\* expect: holds\nSPECIFICATION Spec\n', { expected: 'holds', isInCi: false }],
    ['\\* expect: holds\n\\* share: ci\n', { expected: 'holds', isInCi: true }],
    ['\\* expect: violates OneInstant\n', { expected: { violates: 'OneInstant' }, isInCi: false }],
  ])('%j', (text, header) => expect(readHeader(text, 'a/b')).toEqual(header));

  test.each(['', '\\* expect: violates\n', '\\* expect: hold\n', 'SPECIFICATION Spec\n'])(
    'one that does not say what is expected is refused: %j',
    (text) => expect(() => readHeader(text, 'a/b')).toThrow('a/b does not begin with'),
  );
});

describe("the checker's output", () => {
  const counts = '11,234 states generated, 2,345 distinct states found, 0 states left on queue.\n';

  test('no violation, after all states', () => {
    const output = `Model checking completed. No error has been found.\n${counts}`;
    expect(readOutput(output)).toEqual({ outcome: 'holds', states: 2_345 });
  });

  test('a violation of a named property', () => {
    const output = `Error: Invariant OneInstant is violated.\nError: The behavior up to this point is:\n${counts}`;
    expect(readOutput(output)).toEqual({ outcome: { violates: 'OneInstant' }, states: 2_345 });
  });

  test.each(['', 'Error: Deadlock reached.\n', 'Error: Parsing or semantic analysis failed.\n', counts])(
    'neither is a failure: %j',
    (output) => expect(readOutput(output).outcome).toBe('failed'),
  );
});

test('what is found is as expected only if it is the same, down to the property', () => {
  const violates = (property: string) => ({ violates: property });
  expect(isAsExpected('holds', 'holds')).toBe(true);
  expect(isAsExpected(violates('A'), violates('A'))).toBe(true);
  expect(isAsExpected(violates('A'), violates('B'))).toBe(false);
  expect(isAsExpected('holds', violates('A'))).toBe(false);
  expect(isAsExpected(violates('A'), 'holds')).toBe(false);
  expect(isAsExpected('failed', 'holds')).toBe(false);
});

test('each model has configurations that hold and ones that must not, and CI checks some of both', () => {
  const all = findConfigurations();
  for (const model of new Set(all.map(({ specification }) => specification))) {
    const configurations = all.filter(({ specification }) => specification === model);
    for (const some of [configurations, configurations.filter(({ isInCi }) => isInCi)])
      expect([...new Set(some.map(({ expected }) => typeof expected))].sort(), model).toEqual([
        'object',
        'string',
      ]);
  }
});
