import { describe, expect, test } from 'vitest';
import {
  isPermissionPattern,
  parsePermissionName,
  patternsCovering,
  readPermissionName,
} from '../../table/permission-name.ts';
import * as fc from '../support/fast-check.ts';
import { anyName, anyText, refusalNow } from './support.ts';

describe('a permission that can be checked', () => {
  test.each([
    ['dashboard', 'page'],
    ['Page.v2_new-1', 'page'],
    ['reports:read:monthly', 'permission'],
    ['a:b:c', 'permission'],
  ])('%s is a %s', (text, kind) => {
    expect(readPermissionName(text)).toEqual({ kind, text });
    expect(parsePermissionName(text, 'permission')).toEqual({ kind, text });
  });

  test.each<readonly [what: string, text: string]>([
    ['nothing', ''],
    ['two parts', 'a:b'],
    ['four parts', 'a:b:c:d'],
    ['an empty part', 'a::c'],
    ['a wildcard', 'a:*:c'],
    ['everything', '*:*:*'],
    ['a star', '*'],
    ['a hash', 'a#b'],
    ['a space', 'a b'],
    ['a slash', 'a:b:c/d'],
    ['a sign first', 'a:-b:c'],
    ['a part over 128 characters', `a:${'b'.repeat(129)}:c`],
    ['10 KB', 'a'.repeat(10_240)],
  ])('is not one: %s', (_what, text) => {
    expect(readPermissionName(text)).toBeUndefined();
    expect(refusalNow(() => parsePermissionName(text, 'permission'))).toMatchObject({
      code: 'invalid',
      field: 'permission',
    });
  });
});

describe('a pattern', () => {
  test.each(['a:*:c', 'a:b:*', 'a:*:*', '*:*:*'])('%s', (text) => {
    expect(isPermissionPattern(text)).toBe(true);
  });

  test.each([
    ...['', '*', 'a:b:c', '*:b:c', '*:*:c', '*:b:*', 'a:*', 'a:*:*:*', 'a:b*:c', 'a:**:c', ':*:*', '*:*:*\n'],
  ])('is not %j', (text) => {
    expect(isPermissionPattern(text)).toBe(false);
  });
});

/** Whether a pattern covers a permission, by SPEC section 1, without any look-up. */
function covers(pattern: string, permission: string): boolean {
  if (pattern === '*:*:*') return true;
  if (!permission.includes(':')) return false;
  const parts = permission.split(':');
  return pattern.split(':').every((part, i) => part === '*' || part === parts[i]);
}

describe('the patterns that cover a permission', () => {
  test('are these four for module:action:resource', () => {
    expect(new Set(patternsCovering('reports:read:monthly'))).toEqual(
      new Set(['reports:read:*', 'reports:*:monthly', 'reports:*:*', '*:*:*']),
    );
  });

  test('are just everything for a page', () => expect(patternsCovering('dashboard')).toEqual(['*:*:*']));

  const word = fc.oneof(fc.constantFrom('a', 'b', 'ab', 'a.b'), anyName);
  const permission = fc.oneof(
    word,
    fc.tuple(word, word, word).map((parts) => parts.join(':')),
  );
  const star = fc.constant('*');
  const part = fc.oneof(word, star);
  const pattern = fc
    .tuple(part, part, part)
    .map((parts) => parts.join(':'))
    .filter(isPermissionPattern);

  test('are exactly those that match it part by part', () => {
    fc.assert(
      fc.property(permission, fc.array(pattern, { maxLength: 20 }), (name, patterns) => {
        const covering = new Set(patternsCovering(name));
        for (const each of patterns) expect([each, covering.has(each)]).toEqual([each, covers(each, name)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('are patterns that a role may hold, every one', () => {
    fc.assert(
      fc.property(permission, (name) => {
        for (const each of patternsCovering(name)) {
          expect(isPermissionPattern(each)).toBe(true);
          expect(covers(each, name)).toBe(true);
        }
      }),
    );
  });
});

test('no text is a permission and a pattern at once', () => {
  const text = fc.oneof(anyText(), fc.string({ unit: fc.constantFrom('a', ':', '*', '.'), maxLength: 8 }));
  fc.assert(
    fc.property(text, (each) => {
      expect(readPermissionName(each) !== undefined && isPermissionPattern(each)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
