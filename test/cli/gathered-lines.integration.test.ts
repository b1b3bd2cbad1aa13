import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gatherLines } from '../../cli/gathered-lines.ts';

const run = promisify(execFile);

function gathered() {
  const writes: string[] = [];
  let exit: () => void = () => {};
  const line = gatherLines(
    (text) => writes.push(text),
    (flush) => (exit = flush),
  );
  return { writes, line, exit: () => exit() };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('lines are written together, within 20 ms', () => {
  const { writes, line } = gathered();
  line('a');
  vi.advanceTimersByTime(19);
  line('b');
  expect(writes).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(writes).toEqual(['a\nb\n']);
  line('c');
  vi.advanceTimersByTime(20);
  expect(writes).toEqual(['a\nb\n', 'c\n']);
});

test('when the process ends, the rest is written, once', () => {
  const { writes, line, exit } = gathered();
  line('a');
  exit();
  expect(writes).toEqual(['a\n']);
  vi.advanceTimersByTime(100);
  expect(writes).toEqual(['a\n']);
});

test.each([
  ['throws what nobody catches', "throw new Error('fatal')", 1],
  ['exits', 'process.exit(3)', 3],
])('a process that %s loses no line', async (_, end, code) => {
  vi.useRealTimers();
  const file = new URL('../../cli/gathered-lines.ts', import.meta.url);
  const { code: module } = await transform(await readFile(file, 'utf8'), { loader: 'ts' });
  const script = `${module}
    const line = gatherLines((text) => void process.stderr.write(text), (flush) => void process.once('exit', flush));
    for (let n = 0; n < 5000; n++) line(n % 2 ? String(n) : () => String(n));
    ${end};`;
  const args = ['--input-type=module', '--eval', script];
  const failed = await run(process.execPath, args).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code });
  const lines = (failed as { readonly stderr: string }).stderr.match(/^\d+$/gm);
  expect(lines).toEqual(Array.from({ length: 5000 }, (_, n) => String(n)));
});
