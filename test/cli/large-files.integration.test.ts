import { afterAll, expect, test } from 'vitest';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Files with ten thousand errors, or that would take long to read: a short answer, and little work before it. */
afterAll(removeFiles);

const repeated = (lineOf: (n: number) => string, by = '\n') =>
  Array.from({ length: 10_000 }, (_, n) => lineOf(n)).join(by);
/** Each level names the one before nine times. */
const bomb = (levels: number) =>
  Array.from(
    { length: levels },
    (_, n) => `a${n}: &a${n} [${Array(9).fill(n === 0 ? 'x' : `*a${n - 1}`)}]`,
  ).join('\n');
const WITHOUT_LIMIT = / its aliases expand to more than 6291456 characters$/;

const FILES: readonly (readonly [string, string, RegExp])[] = [
  ['aliases', `a: &a {}\nb: [${repeated(() => '*a', ', ')}]`, /:2:\d+: there are more than 1000 aliases$/],
  ['aliases of nothing', `b: [${repeated((n) => `*a${n}`, ', ')}]`, / is an alias of nothing: put quotes/],
  ['an alias bomb', bomb(9), WITHOUT_LIMIT],
  ['a part that contains itself', 'a: &a { b: *a }', WITHOUT_LIMIT],
  ['unknown keys', repeated((n) => `key${n}: 1`), / unknown key: /],
  ['keys that occur twice', repeated((n) => `key${n % 5_000}: 1`), / the same key is above already$/],
  [
    'users with an unknown key',
    `users:\n${repeated((n) => `  u${n}: { emial: x }`)}`,
    / unknown key|there are no tests/,
  ],
  ['brackets', '['.repeat(10_000), / is nested too deeply$/],
  ['errors of YAML', '%x\n'.repeat(10_000), / only the directive %YAML 1.2 is read: leave the line out$/],
];

test.each(
  // All are read by one reader: of the others, what each makes of it.
  ['plan', 'test', 'route import'].flatMap((command) =>
    FILES.filter((_, n) => command === 'plan' || n % 4 === 0).map((each) => [command, ...each] as const),
  ),
)('%s: %s', async (command, _, text, message) => {
  const file = fileOf(text);
  const { code, out, error } = await gatehouse([...command.split(' '), file, '--table', 'none']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  const lines = error.trimEnd().split('\n');
  if (command === 'plan') expect(lines[0]).toMatch(message);
  expect(lines.length).toBeLessThanOrEqual(51);
  if (lines.length === 51) expect(lines[50]).toBe('… only the first 50 problems are listed');
});
