import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { readDocument } from '../../testing/document.ts';
import { gatehouse } from './support.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

/** What needs no terminal: transcripts/init*.txt. Runs it at a terminal: each line is typed as an answer. */
async function atTerminal(folder: string, typed: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let asked = '';
  output.on('data', (chunk) => (asked += chunk));
  for (const line of typed) input.write(line);
  const ran = await gatehouse(['init', folder], { isTerminal: true, terminal: { input, output } });
  return { ...ran, asked };
}

test('at a terminal it asks what is not given; Enter takes the answer in brackets', async () => {
  const folder = emptyFolder();
  const { code, asked } = await atTerminal(folder, ['company\n', '\n', 'bea@example.com\n']);
  expect(code).toBe(0);
  expect(asked).toMatch(/\[tenant\].*\[reports\].*\[ann@example\.com\]/s);
  const { data } = readDocument('m', read(folder, 'authz/manifest.yaml')) as { data: Record<string, object> };
  expect([data.pages, Object.keys(data.users ?? {})]).toEqual([['reports'], ['bea@example.com']]);
});

test('a wrong answer is said, and asked for again', async () => {
  const { code, asked } = await atTerminal(emptyFolder(), ['building\n', 'school\n', 'a b\n', '\n', '\n']);
  expect(code).toBe(0);
  expect(asked).toContain('a building is always below project: give another word');
  expect(asked).toContain('a b is neither a page nor module:action:resource');
});

test('Ctrl-C at a question: nothing is written', async () => {
  const folder = emptyFolder();
  const { code, error } = await atTerminal(folder, ['company\n', '\u0003']);
  expect({ code, error }).toEqual({ code: 1, error: 'gatehouse init: nothing was written: no answer\n' });
  expect(existsSync(join(folder, 'authz'))).toBe(false);
});

test('a model test names the file of its manifest; what is wrong with that is said where it is', async () => {
  const folder = emptyFolder();
  await gatehouse(['init', folder, '--yes']);
  const tests = join(folder, 'authz/model.test.yaml');
  const manifest = join(folder, 'authz/manifest.yaml');
  writeFileSync(manifest, read(folder, 'authz/manifest.yaml').replace('acme: [manager]', 'acme: [manger]'));
  const wrong = await gatehouse(['test', tests]);
  expect(wrong.code).toBe(2);
  expect(wrong.error).toMatch(
    /^\S+authz\/manifest\.yaml:\d+:\d+: users.*there is no role manger: did you mean manager\?/,
  );
  rmSync(manifest);
  expect((await gatehouse(['test', tests])).error).toBe(`${manifest}: there is no such file\n`);
  // Its tests are there: nothing is written over them, nor beside them.
  expect((await gatehouse(['init', folder, '--yes'])).code).toBe(1);
  expect(existsSync(manifest)).toBe(false);
});
