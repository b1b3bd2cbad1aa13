import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, textOf } from './documents.ts';

/** What docs/auditor.md shows of answers, in test/cli/transcripts, where the same command is asked. */
test.each([
  ['E', 'usage'],
  ['F', 'plan-against'],
  ['G', 'prove'],
])('sample %s is of the real output, line by line', (letter, transcript) => {
  const section = textOf('docs/auditor.md').split(`**${letter}. `)[1] ?? '';
  const [, command = '', , answer = ''] = section.split(/^```\w*\n/m);
  const real = readFileSync(join(ROOT, `test/cli/transcripts/${transcript}.txt`), 'utf8').split('\n');
  const [first = '', second = ''] = command.trim().split(' ');
  expect(real.some((line) => line.startsWith(`$ ${first} ${second}`))).toBe(true);
  const lines = answer.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(3);
  let from = 0;
  for (const line of lines) {
    const found = real.indexOf(line, from);
    expect(found, line).toBeGreaterThanOrEqual(from);
    from = found + 1;
  }
});
