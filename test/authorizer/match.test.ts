import { describe, expect, it } from 'vitest';
import {
  idIn,
  isEncodedTwice,
  match,
  parametersOf,
  precedes,
  type RouteRule,
} from '../../authorizer/routes/rule.ts';
import { isId } from '../../table/identifiers.ts';
import * as fc from '../support/fast-check.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { rule } from './support.ts';

const RULES = [
  rule('home', 'GET', '/'),
  rule('page', 'GET', '/locations/{id}/pages/{page}'),
  rule('list', 'GET', '/locations/{id}/pages'),
  rule('mine', 'GET', '/locations/mine/pages'),
  rule('write', 'POST', '/locations/{id}/pages'),
  rule('any', 'ANY', '/locations/{id}/pages'),
  rule('files', 'ANY', '/files/{rest+}'),
  rule('colon', 'GET', '/accounts/@me/{id}'),
];

const found = (method: string, path: string, rules = RULES) => match(rules, method, path)?.rule.id;

describe('matching a request to a route', () => {
  it.each([
    ['GET', '/', 'home'],
    ['GET', '/locations/L1/pages/roster', 'page'],
    ['GET', '/accounts/@me/7', 'colon'],
    ['GET', '/locations/mine/pages', 'mine'],
    ['GET', '/locations/L1/pages', 'list'],
    ['POST', '/locations/L1/pages', 'write'],
    ['DELETE', '/locations/L1/pages', 'any'],
    ['PUT', '/files/a', 'files'],
    ['PUT', '/files/a/b.txt', 'files'],
  ])('%s %s is %s', (method, path, id) => {
    expect(found(method, path)).toBe(id);
  });

  it('returns the parameters of the path', () => {
    const handedOver = (path: string) => {
      const best = match(RULES, 'GET', path);
      return best && parametersOf(best);
    };
    expect(handedOver('/locations/L1/pages/roster')).toEqual({ id: 'L1', page: 'roster' });
    expect(handedOver('/files/a/b.txt')).toEqual({ rest: 'a/b.txt' });
  });

  it.each([
    ['another verb', 'POST', '/'],
    ['a connection, by ANY', 'CONNECT', '/files/a'],
    ['AppSync, by ANY', 'GRAPHQL', '/files/a'],
    ['no verb at all, by ANY', '', '/files/a'],
    ['a verb in lower case', 'get', '/'],
    ['no path', 'GET', ''],
    ['a path without its slash', 'GET', 'locations/L1/pages'],
    ['something in place of its slash', 'GET', '.locations/L1/pages'],
    ['a trailing slash', 'GET', '/locations/L1/pages/'],
    ['a doubled slash', 'GET', '/locations//pages'],
    ['a doubled slash in front', 'GET', '//locations/L1/pages'],
    ['an encoded slash', 'GET', '/locations/L1%2Fpages'],
    ['an encoded letter in a literal', 'GET', '/locations/L1/p%61ges'],
    ['another case', 'GET', '/Locations/L1/pages'],
    ['a longer path', 'GET', '/locations/L1/pages/roster/x'],
    ['a shorter path', 'GET', '/locations'],
    ['a dot segment', 'GET', '/locations/../pages'],
    ['a dot segment in the rest', 'GET', '/files/a/../b'],
    ['an encoded dot segment in the rest', 'GET', '/files/a/%2e%2e/b'],
    ['an empty segment in the rest', 'GET', '/files/a//b'],
    ['an empty rest', 'GET', '/files/'],
    ['no rest', 'GET', '/files'],
    ['a wildcard', 'GET', '/locations/*/pages'],
    ['a question mark', 'GET', '/locations/L?/pages'],
    ['a colon in a value', 'GET', '/locations/location:L1/pages'],
    ['a hash', 'GET', '/locations/L1#x/pages'],
    ['a semicolon', 'GET', '/locations/L1;x=y/pages'],
    ['a line feed', 'GET', '/locations/L1\n/pages'],
    ['letters of another script', 'GET', '/locations/Ł1/pages'],
    ['a value of 129 characters', 'GET', `/locations/${'a'.repeat(129)}/pages`],
    ['a path longer than API Gateway passes', 'GET', `/files/${'a/'.repeat(5_117)}b`],
    ['the template itself', 'GET', '/locations/{id}/pages'],
  ])('finds none for %s', (_, method, path) => {
    expect(found(method, path)).toBeUndefined();
  });

  it('takes the longest path that API Gateway passes', () => {
    expect(found('GET', `/files/${'a/'.repeat(5_116)}b`)).toBe(found('GET', '/files/a/b'));
  });

  it('takes a value of 128 characters', () => {
    expect(found('GET', `/locations/${'a'.repeat(128)}/pages`)).toBe('list');
  });

  it('takes as the value of a parameter of the decision exactly the ids, as they are or encoded', () => {
    const similar = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'aZ09._-~|@=+', ':', '%', '\n', 'é'), maxLength: 6 }),
      fc.integer({ min: 126, max: 130 }).map((length) => 'x'.repeat(length)),
      fc.string().filter((text) => !text.includes('/')),
    );
    fc.assert(
      fc.property(similar, (text) => {
        const encoded = text.isWellFormed() ? encodeURIComponent(text) : '';
        expect(idIn(encoded)).toBe(isId(text) ? text : undefined);
        expect(idIn(encodeURIComponent(encoded)) === undefined || encoded === text).toBe(true);
      }),
    );
  });
});

describe('an id in a path', () => {
  const encodings = SAMPLE_ROWS.flatMap(([what, id]) => [
    [what, 'as it is', id, id] as const,
    [what, 'encoded', encodeURIComponent(id), id] as const,
  ]);

  it.each(encodings)('%s, %s, fills a parameter: %s', (_what, _how, given, id) => {
    const request = match(RULES, 'GET', `/locations/${given}/pages`);
    expect(request?.rule.id).toBe('list');
    expect(request && parametersOf(request)).toEqual({ id });
  });

  it.each(SAMPLE_ROWS)('%s may stand where the decision does not look', (_what, id) => {
    expect(found('GET', `/accounts/@me/${encodeURIComponent(id)}`)).toBe('colon');
    expect(found('GET', `/files/a/${encodeURIComponent(id)}`)).toBe('files');
  });

  it.each([
    ['lower-case digits', 'auth0%7cabc', 'auth0|abc'],
    ['what need not be encoded', '%61lice%40example%2Eorg', 'alice@example.org'],
  ])('may be spelled with %s', (_what, given, id) => {
    const request = match(RULES, 'GET', `/locations/${given}/pages`);
    expect(request && parametersOf(request)).toEqual({ id });
  });

  it.each([
    ['a slash', 'auth0%2Fabc'],
    ['a null character', 'auth0%00abc'],
    ['an escape', 'auth0%257Cabc'],
    ['an escape of the percent sign alone', 'auth0%25'],
    ['an escape that is cut off', 'auth0%7'],
    ['an escape without digits', 'auth0%zz'],
    ['an overlong form of a slash', 'a%C0%AFb'],
    ['dots', '%2e%2e'],
    ['a colon', 'record%3Aabc'],
    ['a letter beyond ASCII', 'j%C3%B6rg'],
    ['a plus sign for a space', 'a%20b'],
    ['a wildcard', 'a%2A'],
  ])('is refused if it holds %s', (_what, given) => {
    expect(found('GET', `/locations/${given}/pages`)).toBeUndefined();
    expect(found('GET', `/accounts/@me/${given}`)).toBeUndefined();
    expect(found('GET', `/files/a/${given}`)).toBeUndefined();
  });

  it('does not evade the route of a literal, which a backend may choose after decoding', () => {
    expect(found('GET', '/locations/m%69ne/pages')).toBeUndefined();
    const files = [rule('files', 'GET', '/{rest+}'), rule('secret', 'GET', '/files/secret')];
    expect(found('GET', '/files/s%65cret', files)).toBeUndefined();
    expect(found('GET', '/files/other%2Dfile', files)).toBe('files');
  });

  it('was encoded twice if API Gateway, which decodes it, hands over another parameter', () => {
    const path = '/locations/auth0%7Cabc/pages';
    const request = match(RULES, 'GET', path) as NonNullable<ReturnType<typeof match>>;
    expect(isEncodedTwice(path, request, [])).toBe(false);
    expect(isEncodedTwice(path, request, ['auth0|abc'])).toBe(false);
    expect(isEncodedTwice(path, request, ['auth0%7Cabc'])).toBe(true);
  });
});

describe('of several matching routes', () => {
  /** From the last to the one that goes before all others. */
  const FITTING = [
    rule('rest-any', 'ANY', '/{rest+}'),
    rule('rest', 'GET', '/{rest+}'),
    rule('deep-rest', 'GET', '/a/{rest+}'),
    rule('both', 'GET', '/{x}/{y}'),
    rule('second-literal', 'GET', '/{x}/b'),
    rule('first-literal', 'GET', '/a/{y}'),
    rule('exact-any', 'ANY', '/a/b'),
    rule('exact', 'GET', '/a/b'),
  ];

  it('a literal precedes a parameter, a parameter the rest, and on one path the verb ANY', () => {
    for (const [place, { id }] of FITTING.entries())
      expect(found('GET', '/a/b', FITTING.slice(0, place + 1))).toBe(id);
  });

  it('a closed path stays closed beside an open verb', () => {
    const rules = [rule('open', 'GET', '/{rest+}'), rule('closed', 'ANY', '/admin/{id}')];
    expect(found('GET', '/admin/7', rules)).toBe('closed');
  });

  it('the result does not depend on the order in which they were read', () => {
    const twins = [...FITTING, rule('twin-2', 'GET', '/t'), rule('twin-1', 'GET', '/t')];
    const shuffled = fc.shuffledSubarray(twins, { minLength: twins.length });
    fc.assert(
      fc.property(shuffled, fc.constantFrom('/a/b', '/a/c', '/c/b', '/t', '/a/b/c'), (rules, path) => {
        expect(found('GET', path, rules)).toBe(found('GET', path, twins));
      }),
    );
    expect(found('GET', '/t', twins)).toBe('twin-1');
  });

  it('of all that match, the one that precedes the others is chosen', () => {
    const segment = fc.constantFrom('a', 'b', '{x}');
    const path = fc
      .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', 'a', '{rest+}'))
      .map(([parts, last]) =>
        [...parts.map((part, at) => (part === '{x}' ? `{x${at}}` : part)), last].filter(Boolean),
      );
    const one = fc.tuple(fc.constantFrom('GET', 'ANY'), path);
    const asked = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 });
    const fits = ({ segments }: RouteRule, given: readonly string[]): boolean => {
      const pattern = segments.map(({ kind, ...rest }) =>
        kind === 'literal' && 'text' in rest ? rest.text : kind === 'rest' ? '.+' : '[^/]+',
      );
      return new RegExp(`^/${pattern.join('/')}$`).test(`/${given.join('/')}`);
    };
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), asked, (made, given) => {
        const rules = made.map(([method, parts], at) =>
          rule(`r${at}`, method, `/${parts.join('/')}`, 'page', 'location:here'),
        );
        const fitting = rules.filter((each) => fits(each, given));
        const best = fitting.find((each) =>
          fitting.every((other) => other === each || precedes(each, other)),
        );
        expect(found('GET', `/${given.join('/')}`, rules)).toBe(best?.id);
        expect(best === undefined).toBe(fitting.length === 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
