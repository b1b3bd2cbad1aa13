import { truncateSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Files that are no text. Those that are wrong: transcripts/problems.txt. */
afterAll(removeFiles);

test.each([
  ['bytes', [0x89, 0x50, 0x4e, 0x47, 0, 1, 2], 'is no text, but a binary file: save it as text in UTF-8'],
  ['UTF-16', [0xff, 0xfe, 0x61, 0], 'is not UTF-8: save it as UTF-8'],
  ['Latin-1', [0x61, 0x3a, 0x20, 0xe4, 0x0a], 'is not UTF-8: save it as UTF-8'],
  ['a large file', undefined, 'is larger than 6291456 bytes: divide it'],
])('%s', async (_, bytes, message) => {
  const file = fileOf('');
  if (bytes) writeFileSync(file, new Uint8Array(bytes));
  else truncateSync(file, 3_000_000_000);
  expect(await gatehouse(['test', file])).toEqual({ code: 2, out: '', error: `${file}: ${message}\n` });
});

test.each([
  ['/tmp', 'is a folder'],
  ['/dev/zero', 'is larger than 6291456 bytes: divide it'],
])('%s', async (file, message) => {
  expect(await gatehouse(['test', file])).toEqual({ code: 2, out: '', error: `${file}: ${message}\n` });
});

test('what would steer a terminal is not printed as it is', async () => {
  const { error } = await gatehouse(['test', fileOf('a: *\u001b31m\n')]);
  expect(error).toContain('*\\x1b31m is an alias of nothing');
});
