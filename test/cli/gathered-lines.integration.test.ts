import { execFile } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
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

test('the lines of one turn are written together, at its end', async () => {
  const { writes, line } = gathered();
  line('a');
  line('b');
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toEqual(['a\nb\n']);
  line('c');
  await turn();
  await turn();
  expect(writes).toEqual(['a\nb\n', 'c\n']);
});

test('when the process ends, the rest is written, once', async () => {
  const { writes, line, exit } = gathered();
  line('a');
  exit();
  await turn();
  expect(writes).toEqual(['a\n']);
});

test.each([
  ['throws what nobody catches', "throw new Error('fatal')", 1],
  ['exits', 'process.exit(3)', 3],
])('a process that %s loses no line', async (_, end, code) => {
  const file = new URL('../../cli/gathered-lines.ts', import.meta.url);
  const script = `import { gatherLines } from ${JSON.stringify(file.href)};
    const line = gatherLines((text) => void process.stderr.write(text), (flush) => void process.once('exit', flush));
    for (let n = 0; n < 5000; n++) line(String(n));
    ${end};`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const failed = await run(process.execPath, args).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code });
  const lines = (failed as { readonly stderr: string }).stderr
    .split('\n')
    .filter((each) => /^\d+$/.test(each));
  expect(lines).toEqual(Array.from({ length: 5000 }, (_, n) => String(n)));
});
