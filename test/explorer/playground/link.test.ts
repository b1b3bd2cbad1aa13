import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  BrokenLink,
  MAX_PACKED,
  MAX_UNPACKED,
  packTexts,
  unpackTexts,
} from '../../../explorer/page/playground/link.ts';

const packedOf = (data: unknown): string =>
  deflateRawSync(Buffer.from(typeof data === 'string' ? data : JSON.stringify(data))).toString('base64url');

test('texts come out of a link as they went in, whatever is in them', async () => {
  const texts = { manifest: 'scopes:\n  "Schüle & 学校 ‮": { type: tenant }\n'.repeat(50), tests: '' };
  const packed = await packTexts(texts);
  expect(packed).toMatch(/^[\w-]+$/);
  expect(packed?.length).toBeLessThan(200);
  expect(await unpackTexts(String(packed))).toEqual(texts);
});

test('a link that is cut, changed or of something else is broken', async () => {
  const packed = String(await packTexts({ manifest: 'pages: [grades]', tests: 'tests: []' }));
  const links = [
    ...[packed.slice(0, -4), '', '***', 'AAAA'],
    ...[packedOf('not JSON'), packedOf({ manifest: 'a' }), packedOf(['a']), packedOf(['a', 'b', 'c'])],
    deflateRawSync(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])).toString('base64url'),
  ];
  for (const link of links) await expect(unpackTexts(link), link).rejects.toThrow(BrokenLink);
});

test('a short link of very much is not unpacked', async () => {
  const bomb = packedOf(['a'.repeat(MAX_UNPACKED * 20), '']);
  expect(bomb.length).toBeLessThan(MAX_PACKED);
  await expect(unpackTexts(bomb)).rejects.toThrow('too large');
});

test('texts that are too long for a link have none', async () => {
  const noise = Array.from({ length: MAX_PACKED }, (_, at) => String.fromCharCode(33 + ((at * at * 7) % 89)));
  const random = noise.map((each, at) => `${each}${Math.imul(at, 2_654_435_761) >>> 7}`).join('');
  expect(await packTexts({ manifest: random, tests: '' })).toBeUndefined();
  expect(await packTexts({ manifest: 'a'.repeat(MAX_UNPACKED), tests: '' })).toBeUndefined();
  await expect(unpackTexts('A'.repeat(MAX_PACKED + 1))).rejects.toThrow('too long');
});
