import { describe, expect, test } from 'vitest';
import { handledMethod, plainPath, routePath } from '../../middleware/matched-route.ts';

/** What a route says of a request: its path in one spelling, or nothing. */
const pathOf = (template: unknown, values: Readonly<Record<string, unknown>> = {}) =>
  routePath(template, (name) => values[name]);

describe('the path of a route', () => {
  test.each<[unknown, Record<string, unknown>, string]>([
    ['/', {}, '/'],
    ['/admin', {}, '/admin'],
    ['/admin/', {}, '/admin'],
    ['/admin/:id', { id: 'N' }, '/admin/N'],
    ['/:t/x/:id', { t: 'T', id: 'auth0|a@b+c~d.e' }, '/T/x/auth0|a@b+c~d.e'],
    ['/a/:id(\\d+)', { id: '12' }, '/a/12'],
    ['/a/:user-id', { 'user-id': 'ä b' }, '/a/ä b'],
    ['/f/*', { '*': 'a/b' }, '/f/a/b'],
    ['/f/*rest', { rest: ['a', 'b'] }, '/f/a/b'],
  ])('%s with %j is %s', (template, values, path) => {
    expect(pathOf(template, values)).toBe(path);
  });

  test.each(['', '.', '..', 'a/b', 'a\\b', 'a%b', 'a;b', 'a?b', 'a#b', 'a\0', undefined, 7, ['a'], {}])(
    'has no parameter %j, also not in a rest',
    (id) => {
      expect(pathOf('/admin/:id', { id })).toBeUndefined();
      expect(pathOf('/files/*rest', { rest: ['x', id] })).toBeUndefined();
    },
  );

  test.each([
    ...[undefined, /^\/admin$/, ['/admin', '/a'], '', 'admin', '*', '/a/:b?', '/a{/:b}', '/a/:b{x}', '/a?'],
    ...[
      '/a/*/b',
      '/:b-:b',
      '/a+',
      '/(a|b)',
      '/a/:b(x(y))',
      '/a/:b.:c',
      '/:b/:b',
      '/a%20',
      '/a\\:b',
      '/a;b',
      '/*',
      '/*/',
    ],
  ])('is not said by %s', (template) => {
    expect(pathOf(template, { b: 'x', c: 'y' })).toBeUndefined();
  });
});

test('a path without a route is taken if it is of one spelling', () => {
  for (const path of ['/', '/a', '/A/b.c/d@e|f']) expect(plainPath(path)).toBe(path);
  for (const path of [
    undefined,
    '',
    'a',
    '*',
    '/a/',
    '//a',
    '/a//b',
    '/a/../b',
    '/%61',
    '/a;b',
    '/a\\b',
    'http://x/a',
  ])
    expect(plainPath(path), path).toBeUndefined();
});

test.each<[(string | undefined)[], string, string | undefined]>([
  [['GET'], 'GET', 'GET'],
  [['GET'], 'HEAD', 'GET'],
  [['HEAD'], 'HEAD', 'HEAD'],
  [[undefined], 'HEAD', 'HEAD'],
  [[undefined, 'GET'], 'HEAD', undefined],
  [[], 'HEAD', undefined],
  [[], 'POST', 'POST'],
  [[undefined, 'POST'], 'POST', 'POST'],
])('handlers of %j that answer %s are registered for %s', (registered, sent, method) => {
  expect(handledMethod(registered, sent)).toBe(method);
});
