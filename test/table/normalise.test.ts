import { describe, expect, test } from 'vitest';
import { isSafeText, MAX_VALUE_BYTES } from '../../table/identifiers.ts';
import {
  normaliseCode,
  normaliseEmail,
  normaliseName,
  normalisePhone,
  normaliseUsername,
} from '../../table/normalise.ts';
import * as fc from '../support/fast-check.ts';
import { anyText, refusalNow, UNSAFE_TEXT } from './support.ts';

type Normalise = (value: string, field: string) => string;

const ALL: readonly (readonly [what: string, normalise: Normalise])[] = [
  ['email', normaliseEmail],
  ['phone', normalisePhone],
  ['username', normaliseUsername],
  ['code', normaliseCode],
  ['name', normaliseName],
];

describe('values that are the same', () => {
  test.each<readonly [what: string, normalise: Normalise, canonical: string, spellings: readonly string[]]>([
    [
      'email',
      normaliseEmail,
      'ann@example.com',
      ['Ann@Example.COM', '  ann@example.com ', 'ANN@EXAMPLE.COM'],
    ],
    [
      'email with every sign that RFC 5322 allows but the hash',
      normaliseEmail,
      "a.!$%&'*+/=?^_`{|}~-@x-y.de",
      [],
    ],
    [
      'email of an international domain',
      normaliseEmail,
      'ann@xn--bcher-kva.example',
      ['Ann@XN--Bcher-KVA.example'],
    ],
    ['phone', normalisePhone, '+4930123456', ['+49 30 123456', '+49 (30) 12-34-56', '+49.30.123456']],
    ['shortest phone', normalisePhone, '+1234567', []],
    ['longest phone', normalisePhone, '+123456789012345', []],
    ['username', normaliseUsername, 'ann.b_c-1', ['Ann.B_C-1', ' ANN.b_c-1 ']],
    ['shortest username', normaliseUsername, 'a', ['A']],
    ['longest username', normaliseUsername, 'a'.repeat(64), ['A'.repeat(64)]],
    ['code', normaliseCode, 'NYC001', ['nyc001', ' Nyc001 ']],
    ['name', normaliseName, 'acme corp', ['Acme Corp', ' ACME \t corp ', 'Acme\u00a0Corp', 'Ａｃｍｅ Corp']],
    ['name with an accent in one character or two', normaliseName, 'caf\u00e9', ['Cafe\u0301', 'CAF\u00c9']],
    ['name with a ligature', normaliseName, 'office', ['o\ufb03ce']],
    ['name with a letter that is one only in lower case', normaliseName, '\u1e96', ['H\u0331', 'h\u0331']],
  ])('%s', (_what, normalise, canonical, spellings) => {
    for (const spelling of [canonical, ...spellings]) expect(normalise(spelling, 'field')).toBe(canonical);
  });
});

describe('values that are refused, with the name of their field', () => {
  const long = (local: number, domain: number) => `${'a'.repeat(local)}@${'b.'.repeat(domain)}de`;

  test.each<readonly [what: string, normalise: Normalise, values: readonly string[]]>([
    ['email without an @, or with two', normaliseEmail, ['ann', 'ann@', '@example.com', 'a@b@example.com']],
    [
      'email without a full domain',
      normaliseEmail,
      ['ann@example', 'ann@.com', 'ann@example.', 'ann@-x.de', 'ann@x-.de'],
    ],
    [
      'email with dots out of place',
      normaliseEmail,
      ['.ann@example.com', 'ann.@example.com', 'a..b@example.com'],
    ],
    [
      'email with spaces or quotes',
      normaliseEmail,
      ['an n@example.com', '"ann"@example.com', 'ann@exam ple.com'],
    ],
    ['email with a hash', normaliseEmail, ['a#b@example.com']],
    ['email in other scripts', normaliseEmail, ['änn@example.com', 'ann@exämple.com', 'аnn@example.com']],
    ['email over 64 characters before the @', normaliseEmail, [long(65, 1)]],
    ['email over 254 characters', normaliseEmail, [long(1, 126)]],
    ['email with a label over 63 characters', normaliseEmail, [`a@${'b'.repeat(64)}.de`]],
    ['phone of a country only people know', normalisePhone, ['030123456', '0049 30 123456', '(030) 123456']],
    ['phone too short or too long', normalisePhone, ['+123456', '+1234567890123456', '+', '']],
    [
      'phone with a leading zero or letters',
      normalisePhone,
      ['+0301234567', '+49 30 CALLME', '++4930123456'],
    ],
    ['phone in other digits', normalisePhone, ['+٤٩٣٠١٢٣٤٥٦']],
    ['username with signs at its ends', normaliseUsername, ['.ann', 'ann.', '-a', 'a_', '']],
    ['username with other signs', normaliseUsername, ['an n', 'ann@b', 'ann#b', 'änn', 'a:b']],
    ['username of 65', normaliseUsername, ['a'.repeat(65)]],
    ['code with other signs', normaliseCode, ['N 1', 'N#1', 'Ñ1', '', '-N1', 'N'.repeat(65)]],
    ['name of nothing', normaliseName, ['', ' ', '\t\n', '\u3000']],
    ['name with a hash, also a full-width one', normaliseName, ['a#b', 'a＃b']],
    ['name with control characters', normaliseName, ['a\u0000b', 'a\u001bb', 'a\u007fb', 'a\u0085b']],
    ['name with half a surrogate pair', normaliseName, ['a\ud83d', '\ude00a']],
    ['name over 512 bytes', normaliseName, ['a'.repeat(513), '€'.repeat(171)]],
    ['name that grows over 512 bytes when it is folded', normaliseName, ['\ufdfa'.repeat(20)]],
  ])('%s', (_what, normalise, values) => {
    for (const value of values) {
      const refusal = refusalNow(() => normalise(value, 'the.field'));
      expect(refusal).toMatchObject({ code: 'invalid', field: 'the.field', retryable: false });
      expect(refusal.message).toContain('the.field');
      if (value.length > 3) expect(refusal.message).not.toContain(value);
    }
  });

  test.each<readonly [what: string, normalise: Normalise, values: readonly string[]]>([
    ['Kelvin sign', normaliseEmail, ['\u212aim@example.com', 'kim@\u212a.de']],
    ['Kelvin sign', normaliseUsername, ['\u212aim']],
    ['dotless i', normaliseCode, ['N\u0131']],
    ['sharp s', normaliseCode, ['STRA\u00dfE']],
    ['long s', normaliseCode, ['\u017f1']],
    ['ligature', normaliseCode, ['\ufb01']],
  ])('a %s does not turn into letters of somebody else', (_what, normalise, values) => {
    for (const value of values) expect(refusalNow(() => normalise(value, 'f')).code).toBe('invalid');
  });
});

describe.each(ALL)('%s', (_what, normalise) => {
  const given = fc.oneof(
    anyText(),
    fc.string({
      unit: fc.constantFrom(
        ...' AaZzKkIiSs09.-_+@()#\t',
        '\u212a',
        '\u0130',
        '\u0131',
        '\u017f',
        '\u03a3',
        '\ufb03',
        '\u0345',
        'H\u0331',
        '\u1e9e',
      ),
    }),
    fc.emailAddress(),
    fc.stringMatching(/^\+[1-9][0-9 .()-]{6,18}$/),
  );
  const attempt = (value: string): string | undefined => {
    try {
      return normalise(value, 'field');
    } catch {
      return undefined;
    }
  };

  test('a canonical form is its own canonical form, and fit for a key', () => {
    let seen = 0;
    fc.assert(
      fc.property(given, (value) => {
        const canonical = attempt(value);
        if (canonical === undefined) return;
        seen += 1;
        expect(normalise(canonical, 'field')).toBe(canonical);
        expect(isSafeText(canonical) && canonical !== '').toBe(true);
        expect(Buffer.byteLength(canonical)).toBeLessThanOrEqual(MAX_VALUE_BYTES);
      }),
      { numRuns: 2_000 },
    );
    expect(seen).toBeGreaterThan(10);
  });

  test('space around a value changes nothing', () => {
    fc.assert(
      fc.property(given, (value) => {
        expect(attempt(`  ${value} `)).toBe(attempt(value));
      }),
    );
  });
});

test('names fold to a fixed point for every character there is', () => {
  // Sixteen at a time, which is four times as fast as one by one.
  const isFixed = (text: string): boolean => {
    const canonical = normaliseName(text, 'name');
    return normaliseName(canonical, 'name') === canonical;
  };
  let asked = 0;
  for (let row = 0; row <= 0x10ffff; row += 16) {
    const characters = Array.from({ length: 16 }, (_, i) => `a${String.fromCodePoint(row + i)}b`);
    const safe = characters.filter((text) => isSafeText(text.normalize('NFKC')));
    if (safe.length === 0) continue;
    if (!isFixed(safe.join(''))) throw new Error(`U+${row.toString(16)}`);
    asked += safe.length;
  }
  expect(asked).toBeGreaterThan(1_000_000);
});

test.each(UNSAFE_TEXT.filter(([, text]) => text !== '' && text.length < 100))(
  '%s is not safe text',
  (_what, text) => {
    expect(isSafeText(text)).toBe(false);
  },
);
