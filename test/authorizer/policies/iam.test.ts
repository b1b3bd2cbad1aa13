import { describe, expect, test } from 'vitest';
import { evaluate, INVOKE_ACTION, matchesPattern, type Statement } from '../../../authorizer/policies/iam.ts';
import * as fc from '../../support/fast-check.ts';

const API = 'arn:aws:execute-api:eu-central-1:123456789012:abc123';

describe('a pattern', () => {
  test.each([
    // pattern, text, fits
    ['*', 'anything/at:all', true],
    ['?', '', false],
    ['a*c', 'abbbcd', false],
    ['a?c', 'a/c', true],
    ['*a*b*', 'xxbxa', false],
    ['a.c', 'abc', false],
    ['a+', 'aa', false],
    ['(a|b)', 'a', false],
    ['[ab]', 'a', false],
    ['a\\*', 'a*', false],
    ['^a$', 'a', false],
    ['$default', '$default', true],
    ['A', 'a', false],
  ])('%j on %j: %s', (pattern, text, fits) => {
    expect(matchesPattern(pattern, text)).toBe(fits);
  });

  test('agrees with a simple matcher', () => {
    const naive = (pattern: string, text: string): boolean => {
      if (pattern === '') return text === '';
      const rest = pattern.slice(1);
      if (pattern[0] === '*') return naive(rest, text) || (text !== '' && naive(pattern, text.slice(1)));
      return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && naive(rest, text.slice(1));
    };
    // Few letters, so that patterns nearly match their texts.
    const word = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 9 });
    fc.assert(
      fc.property(word('ab/*?'), word('ab/*'), (pattern, text) => {
        expect(matchesPattern(pattern, text)).toBe(naive(pattern, text));
      }),
      { numRuns: 3_000 },
    );
  });

  test('with many stars has bounded backtracking', () => {
    const text = 'a'.repeat(1_600);
    expect(matchesPattern('*a'.repeat(250).concat('b'), text)).toBe(false);
    expect(matchesPattern('*a'.repeat(250), text)).toBe(true);
  });
});

describe('a policy', () => {
  const called = `${API}/prod/GET/pets/1`;
  const statement = (effect: 'Allow' | 'Deny', resource: string, action = INVOKE_ACTION): Statement => ({
    effect,
    actions: [action],
    resources: [resource],
  });
  const allow = statement('Allow', `${API}/prod/GET/*`);
  const deny = statement('Deny', called);

  test.each([
    ['no statement', [], 'implicit-deny'],
    ['one Allow that fits', [allow], 'allow'],
    ['one Allow for another path', [statement('Allow', `${API}/prod/GET/owners/*`)], 'implicit-deny'],
    ['Deny after Allow', [allow, deny], 'explicit-deny'],
    ['Deny before Allow', [deny, allow], 'explicit-deny'],
    [
      'a Deny for another path beside an Allow',
      [statement('Deny', `${API}/prod/GET/owners`), allow],
      'allow',
    ],
    ['Allow for every action', [statement('Allow', '*', '*')], 'allow'],
    ['Allow for the service', [statement('Allow', '*', 'execute-api:*')], 'allow'],
    ['Allow for part of the action', [statement('Allow', '*', 'execute-api:Inv?ke')], 'allow'],
    ['Allow with the action in other letters', [statement('Allow', '*', 'Execute-API:invoke')], 'allow'],
    ['Allow for another action', [statement('Allow', '*', 'execute-api:InvalidateCache')], 'implicit-deny'],
    ['Allow for the resource in other letters', [statement('Allow', called.toUpperCase())], 'implicit-deny'],
  ] as const)('with %s: %s', (_, statements, decision) => {
    expect(evaluate(statements, INVOKE_ACTION, called).decision).toBe(decision);
  });

  test('applies a statement when any of its actions and resources match', () => {
    const wide: Statement = {
      effect: 'Allow',
      actions: ['s3:*', INVOKE_ACTION],
      resources: ['arn:aws:s3:::x', called],
    };
    expect(evaluate([wide], INVOKE_ACTION, called)).toEqual({
      decision: 'allow',
      statement: wide,
      resource: called,
    });
  });
});
