import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSampleWorld } from '../../local/sample/world.ts';
import { gatehouse } from '../cli/support.ts';
import { createMemoryWorld } from '../support/world.ts';
import { ROOT, textOf } from './documents.ts';

/** What docs/auditor.md shows of a command. */
function sampleOf(letter: string) {
  const section = textOf('docs/auditor.md').split(`**${letter}. `)[1] ?? '';
  const [, commands = '', , answer = ''] = section.split(/^```\w*\n/m);
  return { commands: commands.trim().split('\n'), lines: answer.trimEnd().split('\n') };
}

/** Each line is of the real output, in its order; `…` stands for any text, alone for any lines. */
function expectLines(lines: readonly string[], real: readonly string[]): void {
  let from = 0;
  for (const line of lines.filter((each) => each !== '…')) {
    const pattern = new RegExp(`^${line.split('…').map(literal).join('.*')}$`);
    const found = real.findIndex((each, position) => position >= from && pattern.test(each));
    expect(found, `${line}\nin\n${real.join('\n')}`).toBeGreaterThanOrEqual(from);
    from = found + 1;
  }
}
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Of other samples the output is in test/cli/transcripts, where the same command is asked. */
test.each([
  ['E', 'usage'],
  ['F', 'plan-against'],
  ['G', 'prove'],
])('sample %s is of the real output, line by line', (letter, transcript) => {
  const { commands, lines } = sampleOf(letter);
  const real = readFileSync(join(ROOT, `test/cli/transcripts/${transcript}.txt`), 'utf8').split('\n');
  const [first = '', second = ''] = String(commands[0]).split(' ');
  expect(real.some((line) => line.startsWith(`$ ${first} ${second}`))).toBe(true);
  expect(lines.length).toBeGreaterThan(3);
  expectLines(lines, real);
});

describe('of the local stack', () => {
  const world = createMemoryWorld([], Date.parse('2026-11-29T15:00:00.000Z'));
  const JOINED = '2026-11-29T15:16:37.237Z';
  const NOW = Date.parse('2026-11-29T16:00:00.000Z');
  const OPERATION = '01M8KY2A6S2GFNKWG7MAT9RF0D';

  async function run(command: string, now = NOW): Promise<readonly string[]> {
    const words = (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
    const args = words.slice(words.findIndex((word) => word.startsWith('gatehouse')) + 1);
    const { code, out, error } = await gatehouse(args, { env: { TABLE_NAME: world.table }, now: () => now });
    expect(code, error).toBe(0);
    return out.split('\n');
  }

  beforeAll(async () => {
    await createSampleWorld(world.provision);
    await run(
      `gatehouse command membership.create user=victor@school.example group=01M8000000000TEACHERSN0RTH --actor hr --operation ${OPERATION}`,
      Date.parse(JOINED),
    );
  });

  test.each(['A', 'B', 'C', 'D'])('sample %s is what its commands print', async (letter) => {
    const { commands, lines } = sampleOf(letter);
    const real: string[] = [];
    for (const command of commands) real.push(...(await run(command)));
    expect(lines.length).toBeGreaterThan(1);
    expectLines(lines, real);
  });
});
