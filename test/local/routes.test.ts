import { describe, expect, test } from 'vitest';
import { bySpecificity, matchRoute, parseRouteKey } from '../../local/gateway/routes.ts';

const compiled = (...keys: string[]) => keys.map(parseRouteKey).sort(bySpecificity);

function selected(kind: 'http-2.0' | 'rest', keys: readonly string[], line: string) {
  const [verb = '', path = ''] = line.split(' ');
  const match = matchRoute(kind, compiled(...keys), verb, path);
  return match && { key: match.route.key, ...match.pathParameters };
}

/** The example of AG http-api-develop-routes, in the worst order for the matcher. */
const PETS = ['$default', 'ANY /{proxy+}', 'GET /pets/{proxy+}', 'GET /pets/dog/{id}', 'GET /pets/dog/1'];

describe('an HTTP API selects', () => {
  test.each([
    ['GET /pets/dog/1', { key: 'GET /pets/dog/1' }],
    ['GET /pets/dog/2', { key: 'GET /pets/dog/{id}', id: '2' }],
    ['GET /pets/cat/1', { key: 'GET /pets/{proxy+}', proxy: 'cat/1' }],
    ['POST /test/5', { key: 'ANY /{proxy+}', proxy: 'test/5' }],
    ['POST /pets/dog/1', { key: 'ANY /{proxy+}', proxy: 'pets/dog/1' }],
    ['GET /', { key: '$default' }],
  ])('for %s: %j', (line, route) => {
    expect(selected('http-2.0', PETS, line)).toEqual(route);
  });

  test('nothing when no route matches and there is no $default', () => {
    expect(selected('http-2.0', ['GET /pets'], 'GET /owners')).toBeUndefined();
    expect(selected('http-2.0', ['GET /pets'], 'POST /pets')).toBeUndefined();
  });

  test('a verb before ANY, on one path', () => {
    expect(selected('http-2.0', ['ANY /pets', 'GET /pets'], 'GET /pets')).toEqual({ key: 'GET /pets' });
    expect(selected('http-2.0', ['ANY /pets', 'GET /pets'], 'PUT /pets')).toEqual({ key: 'ANY /pets' });
  });

  test('a literal segment before a variable, from the left, and before the verb', () => {
    expect(selected('http-2.0', ['GET /{a}/x', 'GET /a/{b}'], 'GET /a/x')).toEqual({
      key: 'GET /a/{b}',
      b: 'x',
    });
    expect(selected('http-2.0', ['GET /a/{b}', 'ANY /a/b'], 'GET /a/b')).toEqual({ key: 'ANY /a/b' });
  });

  test('a full match before a longer literal that ends in a greedy variable', () => {
    expect(selected('http-2.0', ['GET /a/{proxy+}', 'GET /{x}/b'], 'GET /a/b')).toEqual({
      key: 'GET /{x}/b',
      x: 'a',
    });
  });

  test('the same whatever the order of the routes', () => {
    const orders = <T>(all: readonly T[]): T[][] =>
      all.length < 2
        ? [[...all]]
        : all.flatMap((one) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));
    for (const keys of orders(['ANY /x', 'GET /x/{y}', 'ANY /x/z', 'GET /{proxy+}', 'GET /x/{proxy+}'])) {
      expect(selected('http-2.0', keys, 'GET /x/z')).toEqual({ key: 'ANY /x/z' });
      expect(selected('http-2.0', keys, 'GET /x/y/z')).toEqual({ key: 'GET /x/{proxy+}', proxy: 'y/z' });
    }
  });
});

describe('a path is compared as it was received:', () => {
  test.each([
    ['a trailing slash is another path', 'GET /pets/{id}', 'GET /pets/1/', undefined],
    ['a variable takes at least one character', 'GET /pets/{id}', 'GET /pets/', undefined],
    ['a greedy variable does not take its parent', 'GET /pets/{proxy+}', 'GET /pets', undefined],
    ['nor the parent with a slash', 'GET /pets/{proxy+}', 'GET /pets/', undefined],
    ['a greedy variable keeps a trailing slash', 'GET /pets/{proxy+}', 'GET /pets/1/', { proxy: '1/' }],
    ['an encoded slash does not separate', 'GET /pets/{id}', 'GET /pets/a%2Fb', { id: 'a%2Fb' }],
    ['an encoded literal is another literal', 'GET /pets', 'GET /p%65ts', undefined],
    ['letters count', 'GET /pets', 'GET /Pets', undefined],
    ['dots are not resolved', 'GET /pets/{id}', 'GET /pets/x/../1', undefined],
    ['a doubled slash is an empty segment', 'GET /pets/{id}', 'GET //pets/1', undefined],
  ])('%s', (_, key, line, parameters) => {
    expect(selected('http-2.0', [key], line)).toEqual(parameters && { key, ...parameters });
  });
});

describe('a REST API selects', () => {
  test('the resource by its path, then the method on it', () => {
    const keys = ['GET /pets/{id}', 'ANY /pets/{proxy+}', 'ANY /{proxy+}'];
    expect(selected('rest', keys, 'GET /pets/1')).toEqual({ key: 'GET /pets/{id}', id: '1' });
    // An HTTP API would go on to 'ANY /pets/{proxy+}'.
    expect(selected('rest', keys, 'DELETE /pets/1')).toBeUndefined();
    expect(selected('http-2.0', keys, 'DELETE /pets/1')).toEqual({ key: 'ANY /pets/{proxy+}', proxy: '1' });
  });

  test('a method on the same resource whatever its variable is called', () => {
    expect(selected('rest', ['GET /pets/{id}', 'PUT /pets/{pet}'], 'PUT /pets/1')).toEqual({
      key: 'PUT /pets/{pet}',
      pet: '1',
    });
  });
});

test('ANY does not match a verb that API Gateway does not know', () => {
  expect(selected('http-2.0', ['ANY /pets'], 'PURGE /pets')).toBeUndefined();
  expect(selected('http-2.0', ['$default'], 'PURGE /pets')).toBeUndefined();
});

test.each([
  ...['get /pets', 'GET pets', 'GET', '/pets', 'FETCH /pets', 'GET /{proxy+}/x', 'GET /pets/x{id}'],
  ...['GET /pets/{}'],
])('%j is no route key', (key) => {
  expect(() => parseRouteKey(key)).toThrow(`route "${key}"`);
});
