import { describe, expect, test } from 'vitest';
import { formatRef, isId, isName, isRef, isType, parseRef } from '../../table/identifiers.ts';
import * as fc from '../support/fast-check.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { anyId, anyName, anyText, anyType, ID, refusalNow, UUID } from './support.ts';

describe('an id', () => {
  test.each([ID, UUID, '00000000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'])('%s', (id) => {
    expect(isId(id)).toBe(true);
  });

  test.each(SAMPLE_ROWS)('is %s: %s', (_what, id) => {
    expect(isId(id)).toBe(true);
    expect(parseRef(`user:${id}`, 'user')).toEqual({ type: 'user', id });
  });

  test.each(['_', 'a.b~c|d@e=f+g-h_', 'alice@example.org', 'A'.repeat(128)])('%s', (id) => {
    expect(isId(id)).toBe(true);
  });

  test('counts the case of its letters', () => {
    expect(formatRef(parseRef('user:Alice', 'user'))).not.toBe(formatRef(parseRef('user:alice', 'user')));
  });

  test.each<readonly [what: string, text: string]>([
    ['nothing', ''],
    ['a ULID with a line feed behind it', `${ID}\n`],
    ['a UUID in braces', `{${UUID}}`],
    ['a key', `${ID}#META`],
    ['a reference', `user:${ID}`],
    ['a path', 'a/b'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['what begins with a dash: an option', '-v'],
    ['what begins with a sign: a formula', '=1+1'],
    ['what begins with a separator', '|a'],
    ['what holds a space', 'a b'],
    ['what holds an escape', 'a%7Cb'],
    ['what holds a wildcard', 'a*'],
    ['what holds any one character', 'a?'],
    ['what holds a variable of IAM', `a$${'{aws:username}'}`],
    ['what holds a letter beyond ASCII', 'jörg'],
    ['what holds a null character', 'a\u0000'],
    ['129 characters', 'A'.repeat(129)],
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
    ...['', 'User', '2zone', '-user', 'user-', 'a--b', 'a_b', 'a b', 'a#b', 'user\n', 'ü', 'a'.repeat(33)],
  ])('is not %j', (text) => {
    expect(isType(text)).toBe(false);
  });
});

describe('a name', () => {
  test.each(['dashboard', 'Page-1', 'a.b_c', '0', 'a'.repeat(128)])('%s', (name) => {
    expect(isName(name)).toBe(true);
  });

  test.each([
    ...['', '.', '..', '-a', '_a', 'a:b', 'a/b', 'a b', 'a#b', '*', 'a*', 'é', 'a\n', 'a%62'],
    ...['a'.repeat(129)],
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
    ['user:', 'not 1 to 128 of'],
    ['user:-ann', 'the first a letter, a digit or _'],
    [`user:${ID} `, 'not 1 to 128 of'],
    [`user::${ID}`, 'not 1 to 128 of'],
    [`user:${ID}:${ID}`, 'not 1 to 128 of'],
    [`user:${'A'.repeat(10_240)}`, 'not 1 to 128 of'],
  ])('%.40j is none, and the field is named', (text, says) => {
    expect(isRef(text)).toBe(false);
    const refusal = refusalNow(() => parseRef(text, 'scope'));
    expect(refusal).toMatchObject({ code: 'invalid', field: 'scope' });
    expect(refusal.message).toContain(says);
    expect(refusal.message.length).toBeLessThan(120);
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
