import { expect, test } from 'vitest';
import { readSource } from '../../../cli/bulk/source.ts';
import { columnsOf, piecesOf } from './loading.ts';

/** What a file may cost before anything of it is sent. */
const columns = columnsOf('email', 'username');

async function problemOf(text: string, size?: number): Promise<string> {
  try {
    const { rows } = await readSource(piecesOf(text, size), columns);
    for await (const _ of rows);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('a first line of 60 KB in pieces of 512 bytes is decoded piece by piece', async () => {
  let decoded = 0;
  const { decode } = TextDecoder.prototype;
  TextDecoder.prototype.decode = function (...given) {
    decoded += (given[0] as Uint8Array | undefined)?.byteLength ?? 0;
    return decode.apply(this, given);
  };
  try {
    const text = `email,${'x'.repeat(60_000)}\nann@example.com,y\n`;
    expect(await problemOf(text, 512)).toMatch(/^there is no column "x{128}…"$/);
    // Each piece once for its line ends, and the head once as a whole.
    expect(decoded).toBeLessThan(5 * text.length);
  } finally {
    TextDecoder.prototype.decode = decode;
  }
});

test('a header of 100,000 columns is refused by their number', async () => {
  const header = `email,${Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(',')}\n`;
  expect(await problemOf(header)).toBe('has 100001 columns, and a header has at most 500');
});

test('of many unknown columns the first are listed', async () => {
  const header = `email,${Array.from({ length: 400 }, (_, n) => `column ${n}`).join(',')}\n`;
  const problem = await problemOf(header);
  expect(problem.split('; ')).toHaveLength(21);
  expect(problem.length).toBeLessThan(4_000);
});
