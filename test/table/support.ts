import { GatehouseError } from '../../table/errors.ts';
import * as fc from '../support/fast-check.ts';
import { SAMPLE_IDS } from '../support/ids.ts';

/** Two ULIDs and a UUID that mean nothing. */
export const ID = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
export const OTHER_ID = '01J8X2W3Y4Z5A6B7C8D9E0F1G2';
export const UUID = '6f1f4c1e-2b7a-4c59-9c58-0d8a2b1c3d4e';

/** The GatehouseError that a call throws or rejects with. Anything else fails the test. */
export async function refusalOf(call: () => unknown): Promise<GatehouseError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof GatehouseError) return error;
    throw error;
  }
  throw new Error('the call was expected to be refused');
}

/** The same for a function that throws at once. */
export function refusalNow(call: () => unknown): GatehouseError {
  try {
    call();
  } catch (error) {
    if (error instanceof GatehouseError) return error;
    throw error;
  }
  throw new Error('the call was expected to be refused');
}

/** Text that no part of a key may be. */
export const UNSAFE_TEXT: readonly (readonly [what: string, text: string])[] = [
  ['nothing', ''],
  ['a hash', 'a#b'],
  ['a hash alone', '#'],
  ['a null character', 'a\u0000b'],
  ['a line feed', 'a\nb'],
  ['a delete character', 'a\u007fb'],
  ['a C1 control character', 'a\u0085b'],
  ['a line separator', 'a\u2028b'],
  ['half a surrogate pair', 'a\ud83d'],
  ['513 bytes', 'a'.repeat(513)],
  ['513 bytes in 171 characters', '€'.repeat(171)],
];

/** Characters of every plane, halves of surrogate pairs among them; ASCII and its neighbours more often. */
export const anyText = (maxLength = 40) => {
  const character = fc.oneof(
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0, max: 0x2fff }),
    fc.integer({ min: 0, max: 0x10ffff }),
  );
  return fc.array(character, { maxLength }).map((codes) => String.fromCodePoint(...codes));
};

const ULID_DIGITS = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];

const anyUlid = fc
  .tuple(
    fc.constantFrom(...'01234567'),
    fc.array(fc.constantFrom(...ULID_DIGITS), { minLength: 25, maxLength: 25 }),
  )
  .map(([first, rest]) => first + rest.join(''));

const ID_START = [...'aZ09_'];

/** Ids of every form: what their grammar allows, its separators more often, up to its greatest length. */
const anyNamedId = fc
  .tuple(
    fc.constantFrom(...ID_START),
    fc.oneof(
      fc.array(fc.constantFrom(...ID_START, ...'.~|@=+-'), { maxLength: 8 }),
      fc.array(fc.constantFrom(...'|=@'), { minLength: 127, maxLength: 127 }),
    ),
  )
  .map(([first, rest]) => first + rest.join(''));

export const anyId = fc.oneof(anyUlid, fc.uuid(), anyNamedId, fc.constantFrom(...Object.values(SAMPLE_IDS)));

const lower = (letters: string) => fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 6 });

/** `zone`, `technical-user`, `a1-b2`. */
export const anyType = fc
  .array(lower('abcxyz019'), { minLength: 1, maxLength: 3 })
  .map((words) => words.map((word) => word.join('')).join('-'))
  .filter((type) => /^[a-z]/.test(type));

/** A page name, or one part of a permission. */
export const anyName = fc
  .tuple(fc.constantFrom(...'aZ9'), fc.array(fc.constantFrom(...'aZ9._-'), { maxLength: 8 }))
  .map(([first, rest]) => first + rest.join(''));
