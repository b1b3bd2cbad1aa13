import { describe, expect, test } from 'vitest';
import { MAX_RESOURCE_LENGTH, readAnswer } from '../../local/gateway/authorizer-answer.ts';
import { policy } from './support.ts';

const rest = { kind: 'rest', simpleResponses: false } as const;
const v1 = { kind: 'http-1.0', simpleResponses: false } as const;
const v2 = { kind: 'http-2.0', simpleResponses: false } as const;
const simple = { kind: 'http-2.0', simpleResponses: true } as const;

const withStatement = (statement: unknown) => ({
  principalId: 'u',
  policyDocument: { Version: '2012-10-17', Statement: statement },
});
const good = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: 'arn:aws:execute-api:*:*:*' };

describe('a policy answer is read', () => {
  test('with its statements made into lists', () => {
    expect(readAnswer(policy('Allow', '*'), rest)).toEqual({
      form: 'policy',
      statements: [{ effect: 'Allow', actions: ['execute-api:Invoke'], resources: ['*'] }],
      principalId: 'user-1',
      context: undefined,
    });
  });

  test('with one statement in place of a list, with a Sid, with lists of actions and resources', () => {
    const statement = { Sid: 'x', Effect: 'Deny', Action: ['a:b', '*'], Resource: ['*', 'arn:aws:x'] };
    expect(readAnswer(withStatement(statement), rest)).toMatchObject({
      statements: [{ effect: 'Deny', actions: ['a:b', '*'], resources: ['*', 'arn:aws:x'] }],
    });
  });

  test('in the older version of the language, and with keys that are for others', () => {
    const answer = { ...policy('Allow', '*'), usageIdentifierKey: 'k' };
    answer.policyDocument.Version = '2008-10-17';
    expect(readAnswer(answer, rest)).toMatchObject({ form: 'policy' });
  });

  test.each([
    ['null', null, 'not an object'],
    ['text', 'allow', 'not an object'],
    ['a list', [], 'not an object'],
    ['no policyDocument', { principalId: 'u' }, 'policyDocument is not an object'],
    ['no Version', { principalId: 'u', policyDocument: { Statement: [good] } }, 'policyDocument.Version'],
    [
      'no Statement',
      { principalId: 'u', policyDocument: { Version: '2012-10-17' } },
      'Statement[0] is not an object',
    ],
    ['an empty Statement', withStatement([]), 'policyDocument.Statement is empty'],
    ['a Statement of text', withStatement('x'), 'Statement[0] is not an object'],
    ['Effect in small letters', withStatement([good, { ...good, Effect: 'allow' }]), 'Statement[1].Effect'],
    ['no Action', withStatement({ ...good, Action: undefined }), 'Action is not a string'],
    ['an empty list of actions', withStatement({ ...good, Action: [] }), 'Action is empty'],
    ['a number among the actions', withStatement({ ...good, Action: ['*', 1] }), 'Action is not a string'],
    ['no Resource', withStatement({ ...good, Resource: undefined }), 'Resource is not a string'],
    [
      'a Resource that is no ARN',
      withStatement({ ...good, Resource: '/pets' }),
      'Resource is neither "*" nor an ARN',
    ],
    ['a Condition', withStatement({ ...good, Condition: {} }), 'Condition is not supported'],
    ['NotResource', withStatement({ ...good, NotResource: '*' }), 'NotResource is not supported'],
    ['a simple verdict', { isAuthorized: true }, 'principalId is not a string'],
  ])('but not with %s', (_, answer, problem) => {
    expect(() => readAnswer(answer, rest)).toThrow(problem);
  });

  test(`up to ${MAX_RESOURCE_LENGTH} characters of a Resource`, () => {
    const arn = 'arn:aws:execute-api:'.padEnd(MAX_RESOURCE_LENGTH, 'x');
    expect(readAnswer(policy('Allow', arn), rest)).toMatchObject({ form: 'policy' });
    expect(() => readAnswer(policy('Allow', `${arn}x`), rest)).toThrow('longer than 512');
  });
});

describe('principalId', () => {
  const anonymous = { ...policy('Allow', '*'), principalId: undefined };

  test('is required by a REST API', () => {
    expect(() => readAnswer(anonymous, rest)).toThrow('principalId is not a string');
    expect(() => readAnswer({ ...anonymous, principalId: '' }, rest)).toThrow('principalId is not a string');
    expect(() => readAnswer({ ...anonymous, principalId: 7 }, rest)).toThrow('principalId is not a string');
  });

  test('may be left out in an HTTP API, but not be something else', () => {
    expect(readAnswer(anonymous, v1)).toMatchObject({ principalId: undefined });
    expect(readAnswer(anonymous, v2)).toMatchObject({ principalId: undefined });
    expect(() => readAnswer({ ...anonymous, principalId: 7 }, v2)).toThrow('principalId is not a string');
  });
});

describe('context', () => {
  const answer = (context: unknown) => ({ ...policy('Allow', '*'), context });
  const scalars = { text: 'a', number: 1, flag: false };

  test.each([rest, v1, v2])('of scalars is taken by %j', (rules) => {
    expect(readAnswer(answer(scalars), rules)).toMatchObject({ context: scalars });
  });

  test.each([
    ['a list', { list: ['a'] }],
    ['a map', { map: { a: 1 } }],
    ['null', { nothing: null }],
  ])('with %s is taken by format 2.0 only', (_, context) => {
    expect(readAnswer(answer(context), v2)).toMatchObject({ context });
    expect(() => readAnswer(answer(context), v1)).toThrow('is not a string, a number or a boolean');
    expect(() => readAnswer(answer(context), rest)).toThrow('is not a string, a number or a boolean');
  });

  test.each([rest, v1, v2])('must not hold `claims` in %j', (rules) => {
    expect(() => readAnswer(answer({ claims: 'x' }), rules)).toThrow('context.claims is reserved');
  });

  test.each([[['a']], ['a'], [null]])('is an object, not %j', (context) => {
    expect(() => readAnswer(answer(context), v2)).toThrow('context is not an object');
  });
});

describe('a simple answer', () => {
  test.each([true, false])('carries isAuthorized: %s', (isAuthorized) => {
    const context = { list: [1] };
    expect(readAnswer({ isAuthorized, context }, simple)).toMatchObject({
      form: 'simple',
      isAuthorized,
      context,
    });
  });

  test.each(['true', 'false', 1, 0, null, undefined])(
    'with isAuthorized: %j is malformed',
    (isAuthorized) => {
      expect(() => readAnswer({ isAuthorized }, simple)).toThrow('isAuthorized is not a boolean');
    },
  );

  test('is malformed where a policy is expected, and a policy where it is expected', () => {
    expect(() => readAnswer({ isAuthorized: true }, v2)).toThrow('policyDocument is not an object');
    expect(() => readAnswer(policy('Allow', '*'), simple)).toThrow('isAuthorized is not a boolean');
  });
});
