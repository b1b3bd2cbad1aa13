import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  byteLength,
  compareBytes,
  fromBase64Url,
  isLongerThan,
  sha256,
  textFromBase64Url,
  textToBase64Url,
  toBase64Url,
} from '../../table/bytes.ts';
import * as fc from '../support/fast-check.ts';

/** Held against Node's own, which the table does without. */
const encoder = new TextEncoder();
const anyText = fc.string({ unit: 'binary', maxLength: 20 });

test('texts are compared by their UTF-8 bytes, also beyond U+FFFF', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(encoder.encode(a), encoder.encode(b)));
    }),
  );
  expect(compareBytes('\uFF5E', '\u{1F600}')).toBeLessThan(0);
  expect('\uFF5E' < '\u{1F600}').toBe(false);
});

test('bytes are counted as UTF-8 has them', () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 60 }), (text, max) => {
      const bytes = Buffer.byteLength(text);
      expect(byteLength(text)).toBe(bytes);
      expect(isLongerThan(text, max)).toBe(bytes > max);
    }),
  );
});

test('base64url, there and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = toBase64Url(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64url'));
      expect([...fromBase64Url(text)]).toEqual([...bytes]);
    }),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      expect(textFromBase64Url(textToBase64Url(text))).toBe(text);
    }),
  );
});

test('what is no base64url, or no UTF-8, is refused', () => {
  expect(() => fromBase64Url('%%%')).toThrow();
  expect(() => textFromBase64Url(Buffer.from([0xff, 0xfe]).toString('base64url'))).toThrow();
});

test('SHA-256 as everybody computes it', async () => {
  for (const text of ['', 'abc', 'ä'.repeat(1_000)])
    expect(await sha256(text)).toBe(createHash('sha256').update(text).digest('base64url'));
});
