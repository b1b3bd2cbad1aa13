import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * The name of a test file says in which tier it runs (vitest.config.ts). That a unit test starts no process is held
 * by test/support/no-process.ts, that it reaches no DynamoDB engine by there being none.
 */
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
);
const textOf = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');
const named = (pattern: RegExp) => FILES.filter((name) => pattern.test(name));

test('random values come from the seed of the run', () => {
  const drawn = FILES.filter((name) => /from 'fast[-]check'|Date\.now\(\) %/.test(textOf(name)));
  expect(drawn).toEqual([]);
});

describe('the tier of a test file', () => {
  test('there are files of each', () => {
    expect(named(/\.integration\.test\.ts$/).length).toBeGreaterThan(10);
    expect(named(/\.soak\.test\.ts$/).length).toBeGreaterThan(1);
    expect(FILES.length).toBeGreaterThan(200);
  });

  test('is that of one suffix', () => {
    expect(named(/\.(?!property|integration|soak|package|browser)[a-z]+\.test\.ts$/)).toEqual([]);
    expect(named(/\.(?:integration|soak|package|browser)\.(?:integration|soak|package|browser)/)).toEqual([]);
  });

  test('no unit test imports what starts processes or is DynamoDB itself', () => {
    const unit = FILES.filter((name) => !/\.(?:integration|soak|package|browser)\.test\.ts$/.test(name));
    const isEngine = /from '(?:node:child_process|node:worker_threads|.*\/embedded-engine\.ts)'/;
    expect(unit.filter((name) => isEngine.test(textOf(name)))).toEqual([]);
  });
});
