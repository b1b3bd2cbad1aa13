import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  CLOCK_SKEW_MS,
  COHERENCE_MARGIN_MS,
  LATE_ARRIVAL_MS,
  READ_DEADLINE_MS,
  WRITE_DEADLINE_MS,
} from '../../../table/timing.ts';

/** The constants of the code and of its model are the same (test/proof/formal/caching, ADR 0035). */
const FOLDER = fileURLToPath(new URL('./caching', import.meta.url));
const SPECIFICATION = readFileSync(join(FOLDER, 'caching.tla'), 'utf8');
const CONFIGURATIONS = readdirSync(FOLDER).filter((file) => file.endsWith('.cfg'));

/** A definition of the specification, up to the next comment or definition. */
const definitionOf = (name: string): string =>
  new RegExp(`^${name} == ([\\s\\S]*?)\\n(?=\\(\\*|\\w|\\n)`, 'm').exec(SPECIFICATION)?.[1] ?? '';

/** What a configuration gives to a constant. */
const ticksOf = (text: string, constant: string): number =>
  Number(new RegExp(`^ {2}${constant} = (\\d+)$`, 'm').exec(text)?.[1]);

test.each(CONFIGURATIONS)('%s: the times are those of the code, in ticks of one length', (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const tickMs = WRITE_DEADLINE_MS / ticksOf(text, 'Deadline');
  const inMs = (constant: string) => ticksOf(text, constant) * tickMs;
  expect([1_000, 500]).toContain(tickMs);
  expect([inMs('Late'), inMs('Skew'), inMs('ReadDeadline')]).toEqual([
    ...[LATE_ARRIVAL_MS, CLOCK_SKEW_MS, READ_DEADLINE_MS],
  ]);
});

test('the margin is the sum of the same three times', () => {
  const terms = [...definitionOf('Margin').matchAll(/THEN (\w+) ELSE 0/g)].map(([, name = '']) => name);
  const times = { Deadline: WRITE_DEADLINE_MS, Late: LATE_ARRIVAL_MS, Skew: CLOCK_SKEW_MS };
  expect(terms).toEqual(Object.keys(times));
  expect(Object.values(times).reduce((sum, each) => sum + each)).toBe(COHERENCE_MARGIN_MS);
});

test('each rule that a configuration removes is one of the specification, and each is removed by one', () => {
  const rules = new Set([...SPECIFICATION.matchAll(/Has\("([^"]+)"\)/g)].map(([, rule]) => rule));
  const removed = CONFIGURATIONS.flatMap((file) => {
    const list = /^ {2}Without = \{(.*)\}$/m.exec(readFileSync(join(FOLDER, file), 'utf8'))?.[1] ?? '';
    return [...list.matchAll(/"([^"]+)"/g)].map(([, rule]) => rule);
  });
  expect(rules.size).toBeGreaterThan(10);
  expect([...new Set(removed)].sort()).toEqual([...rules].sort());
});

test('each file that an action names in a comment is there', () => {
  const named = [...SPECIFICATION.matchAll(/\b((?:engine|table|provisioning)\/[\w/-]+\.ts)\b/g)];
  const files = new Set(named.map(([, path = '']) => path));
  expect(files.size).toBeGreaterThan(5);
  for (const path of files)
    expect(readFileSync(join(FOLDER, '../../../..', path), 'utf8').length, path).toBeGreaterThan(0);
});
