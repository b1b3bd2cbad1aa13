import { describe, expect, test } from 'vitest';
import { formatRef, isId, isName, isRef, isType, parseRef } from '../../table/identifiers.ts';
import fc from '../support/fast-check.ts';
import { anyId, anyName, anyText, anyType, ID, refusalNow, UUID } from './support.ts';

describe('an id', () => {
  test.each([ID, UUID, '00000000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'])('%s', (id) => {
    expect(isId(id)).toBe(true);
  });

  test.each<readonly [what: string, text: string]>([
    ['nothing', ''],
    ['a number', '1'],
    ['a ULID in lower case: it would be another key', ID.toLowerCase()],
    ['a ULID past the last instant', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    ['a ULID with a letter that Crockford left out', `${ID.slice(0, 25)}U`],
    ['a ULID one digit short', ID.slice(1)],
    ['a ULID one digit long', `${ID}0`],
    ['a ULID with a line feed behind it', `${ID}\n`],
    ['a UUID in upper case: it would be another key', UUID.toUpperCase()],
    ['a UUID in braces', `{${UUID}}`],
    ['a UUID without dashes', UUID.replaceAll('-', '')],
    ['a key', `${ID}#META`],
    ['10 KB', 'A'.repeat(10_240)],
  ])('is not %s', (_what, text) => {
    expect(isId(text)).toBe(false);
  });
});

describe('a type', () => {
  test.each(['user', 'technical-user', 'a', 'zone2', 'a'.repeat(32)])('%s', (type) => {
    expect(isType(type)).toBe(true);
  });

  test.each([
    '',
    'User',
    '2zone',
    '-user',
    'user-',
    'a--b',
    'a_b',
    'a b',
    'a#b',
    'user\n',
    'ü',
    'a'.repeat(33),
  ])('is not %j', (text) => {
    expect(isType(text)).toBe(false);
  });
});

describe('a name', () => {
  test.each(['dashboard', 'Page-1', 'a.b_c', '0', 'a'.repeat(128)])('%s', (name) => {
    expect(isName(name)).toBe(true);
  });

  test.each([
    '',
    '.',
    '..',
    '-a',
    '_a',
    'a:b',
    'a/b',
    'a b',
    'a#b',
    '*',
    'a*',
    'é',
    'a\n',
    'a%62',
    'a'.repeat(129),
  ])('is not %j', (text) => {
    expect(isName(text)).toBe(false);
  });
});

describe('a reference', () => {
  test('is read back into what it was formatted from', () => {
    fc.assert(
      fc.property(anyType, anyId, (type, id) => {
        fc.pre(type.length <= 32);
        const text = formatRef({ type, id });
        expect(isRef(text)).toBe(true);
        expect(parseRef(text, 'scope')).toEqual({ type, id });
      }),
    );
  });

  test.each<readonly [text: string, says: string]>([
    ['', 'form type:id'],
    ['user', 'form type:id'],
    [ID, 'form type:id'],
    [`:${ID}`, 'form type:id'],
    [`User:${ID}`, 'form type:id'],
    [`user#x:${ID}`, 'form type:id'],
    [`${'a'.repeat(33)}:${ID}`, 'form type:id'],
    ['user:', 'neither a ULID nor a UUID'],
    ['user:ann', 'neither a ULID nor a UUID'],
    [`user:${ID} `, 'neither a ULID nor a UUID'],
    [`user::${ID}`, 'neither a ULID nor a UUID'],
    [`user:${ID}:${ID}`, 'neither a ULID nor a UUID'],
    [`user:${'A'.repeat(10_240)}`, 'neither a ULID nor a UUID'],
  ])('%.40j is none, and the field is named', (text, says) => {
    expect(isRef(text)).toBe(false);
    const refusal = refusalNow(() => parseRef(text, 'scope'));
    expect(refusal).toMatchObject({ code: 'invalid', field: 'scope' });
    expect(refusal.message).toContain(says);
    expect(refusal.message.length).toBeLessThan(100);
  });

  test('asking whether a text is one and reading it never disagree', () => {
    const similar = fc.tuple(
      fc.oneof(anyType, anyText(5)),
      fc.constantFrom(':', '', '::', '#'),
      fc.oneof(anyId, anyName),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          similar.map((parts) => parts.join('')),
        ),
        (text) => {
          if (isRef(text)) expect(formatRef(parseRef(text, 'f'))).toBe(text);
          else expect(refusalNow(() => parseRef(text, 'f')).code).toBe('invalid');
        },
      ),
    );
  });
});
