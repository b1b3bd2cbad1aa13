import { expect, test } from 'vitest';
import { formatFreshnessToken, readFreshnessToken } from '../../table/freshness-token.ts';
import * as fc from '../support/fast-check.ts';
import { anyText } from './support.ts';

test('a token is read back into the instant of the answer', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (answeredAt) => {
      expect(readFreshnessToken(formatFreshnessToken(answeredAt))).toBe(answeredAt);
    }),
  );
});

test('a token looks like this, also in the next release', () => {
  expect(formatFreshnessToken(Date.parse('2026-01-15T12:00:00.000Z'))).toBe('gh1.mkfedmo0');
});

test.each<readonly [what: string, text: string]>([
  ['nothing', ''],
  ['no version', 'mkfedmo0'],
  ['another version', 'gh2.mkfedmo0'],
  ['no instant', 'gh1.'],
  ['a negative instant', 'gh1.-1'],
  ['a fraction', 'gh1.1.5'],
  ['upper case', 'gh1.MKFEDMO0'],
  ['something before it', ' gh1.mkfedmo0'],
  ['something behind it', 'gh1.mkfedmo0\n'],
  ['an instant that no number holds exactly', 'gh1.zzzzzzzzzzz'],
  ['too many digits', 'gh1.000000000000'],
])('%s is no token', (_what, text) => {
  expect(readFreshnessToken(text)).toBeUndefined();
});

test('no text makes it throw, and what it reads is an instant', () => {
  const similar = fc.string({ unit: fc.constantFrom(...'gh1.z09'), maxLength: 16 });
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(),
        similar,
        similar.map((digits) => `gh1.${digits}`),
      ),
      (text) => {
        const instant = readFreshnessToken(text);
        if (instant !== undefined) expect(Number.isSafeInteger(instant) && instant >= 0).toBe(true);
      },
    ),
  );
});
