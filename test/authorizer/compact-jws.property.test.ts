import { expect, test } from 'vitest';
import { isCompactJws, unverifiedClaims } from '../../authorizer/credentials/verify.ts';
import * as fc from '../support/fast-check.ts';
import { base64url } from './support.ts';

/** The form as one expression: what isCompactJws does in steps. */
const PART = '(?=[\\w-])(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?';
const FORM = new RegExp(`^${PART}\\.${PART}\\.${PART}$`);

const character = fc.constantFrom(...'ABQgwEIz059_-', '.', '=', '+', '\n', 'é');
const made = fc
  .array(fc.uint8Array({ maxLength: 9 }), { minLength: 2, maxLength: 4 })
  .map((parts) => parts.map((bytes) => Buffer.from(bytes).toString('base64url')).join('.'));
const mixed = fc
  .array(fc.array(character, { maxLength: 9 }), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map((characters) => characters.join('')).join('.'));
const respelled = fc
  .tuple(made, fc.nat(40), character)
  .map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1));

test('a compact JWS is known by its form, whatever the text', () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(fc.oneof(made, mixed, respelled), (text) => {
      const expected = FORM.test(text);
      seen[`${expected}`] += 1;
      expect(isCompactJws(text)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(300);
});

test('of a payload an object is taken, and nothing else', () => {
  const claims = { iss: 'https://issuer.example', name: 'Zoë', __proto__: null };
  expect(unverifiedClaims(`e30.${base64url(claims)}.c2ln`)).toEqual({ ...claims });
  for (const other of ['null', '[]', '"text"', '7', '{', ''])
    expect(() => unverifiedClaims(`e30.${base64url(other)}.c2ln`), other).toThrow(/^token_malformed$/);
});
