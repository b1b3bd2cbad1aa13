import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { answersOf, exampleText, textOf } from './coming-from.ts';

const PROGRAM = fileURLToPath(new URL('cedar.ts', import.meta.url));
// Node 20 aborts when calls into WebAssembly are inlined.
const OPTIONS = ['--no-turbo-inline-js-wasm-calls', '--import', 'tsx'];

const run = (input: unknown): Promise<readonly boolean[]> =>
  new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [...OPTIONS, PROGRAM], (error, out) =>
      error ? reject(error) : resolve(JSON.parse(out)),
    );
    child.stdin?.end(JSON.stringify(input));
  });

test("Cedar's answers of docs/coming-from/cedar.md are ours", async () => {
  const ours = await answersOf('cedar');
  const theirs = await run({
    policies: exampleText('cedar.cedar'),
    entities: JSON.parse(exampleText('cedar.entities.json')),
    questions: ours.map(([{ subject, permission, scope }]) => [subject, permission.split(':')[1], scope]),
  });
  const listed = (answers: readonly boolean[]) =>
    ours.map(([question], position) => `${textOf(question)}: ${answers[position]}`);
  expect(listed(theirs)).toEqual(listed(ours.map(([, allowed]) => allowed)));
});
