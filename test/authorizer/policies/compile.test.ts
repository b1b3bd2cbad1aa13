import { describe, expect, test } from 'vitest';
import { type Cell, compile } from '../../../authorizer/policies/compile.ts';
import { type RouteRule, VERBS } from '../../../authorizer/routes/rule.ts';
import { rule } from '../support.ts';
import { unlimited } from './mapped.ts';

/**
 * Which patterns are written for routes of which the caller may use some: `+` may be used, `-` may not, `t=v,w` only with
 * these values of a parameter that the scope is made of.
 */
const ALWAYS_DENIED = ['*%*', '*\\*', '*;*', '*//*', '*/.*', '*/?*/'];

function apiOf(routes: readonly string[]): { readonly rules: RouteRule[]; readonly cells: Cell[] } {
  const cells: Cell[] = [];
  const rules = routes.map((route, position) => {
    const [use = '', method = '', path = ''] = route.split(' ');
    const bound = use.includes('=') ? use.slice(0, use.indexOf('=')) : undefined;
    const scope = bound === undefined ? 'location:here' : `location:{${bound}}`;
    const made = rule(`route-${position}`, method, path, 'page', scope);
    const values = bound === undefined ? [] : use.slice(bound.length + 1).split(',');
    if (use === '+') cells.push({ rule: made, values: new Map() });
    for (const value of values) cells.push({ rule: made, values: new Map([[bound as string, value]]) });
    return made;
  });
  return { rules, cells };
}

type Case = readonly [
  what: string,
  routes: readonly string[],
  allow: readonly string[],
  deny: readonly string[],
];

/** What is written; what every policy with a wildcard denies is left out of `deny`. */
function written(routes: readonly string[], isClosed: boolean) {
  const patterns = compile({ ...apiOf(routes), isClosed, budget: unlimited() });
  const hasWildcard = patterns?.allow.some((each) => each.includes('*'));
  const always = patterns?.deny.filter((each) => ALWAYS_DENIED.includes(each));
  if (patterns) expect(always).toEqual(hasWildcard ? ALWAYS_DENIED : []);
  return patterns && { ...patterns, deny: patterns.deny.filter((each) => !ALWAYS_DENIED.includes(each)) };
}

describe('an API whose unmapped paths reach the authorizer', () => {
  test.each<Case>([
    ['nothing for nobody', ['- GET /a'], [], []],
    ['the root', ['+ GET /'], ['GET/'], []],
    ['a literal with a dollar sign', ['+ POST /odata/$batch'], ['POST/odata/$batch'], []],
    ['each verb for itself', ['+ GET /a', '+ POST /b'], ['GET/a', 'POST/b'], []],
    ['the value of a parameter that is bound', ['t=T1 GET /t/{t}'], ['GET/t/T1'], []],
    ['a wildcard for one that is free, and nothing deeper', ['+ GET /a/{x}'], ['GET/a/?*'], ['GET/a/?*/?*']],
    [
      'nothing deeper at either of two',
      ['+ GET /{x}/b/{y}'],
      ['GET/?*/b/?*'],
      ['GET/?*/?*/b/?*', 'GET/?*/b/?*/?*'],
    ],
    [
      'not the route beside it that goes before',
      ['+ GET /a/{x}', '- GET /a/special'],
      ['GET/a/?*'],
      ['GET/a/?*/?*', 'GET/a/special'],
    ],
    [
      'both, where both may be used',
      ['+ GET /a/{x}', '+ GET /a/special'],
      ['GET/a/?*', 'GET/a/special'],
      ['GET/a/?*/?*'],
    ],
    [
      'no word of routes elsewhere, of other verbs, deeper ones, or those that go after',
      ['+ GET /a/{x}', '- GET /b/special', '- POST /a/special', '- GET /a/{x}/c', '- GET /{y}/{x}'],
      ['GET/a/?*'],
      ['GET/a/?*/?*'],
    ],
    [
      'only what both have in common of one that goes before',
      ['+ GET /{x}/b', '- GET /a/{y}'],
      ['GET/?*/b'],
      ['GET/?*/?*/b', 'GET/a/b'],
    ],
    [
      'a value that is bound in a route that goes before',
      ['+ GET /{x}/v', 't=v GET /a/{t}'],
      ['GET/?*/v', 'GET/a/v'],
      ['GET/?*/?*/v'],
    ],
    [
      'not another value than the one that is bound there',
      ['+ GET /{x}/v', 't=w GET /a/{t}'],
      ['GET/?*/v', 'GET/a/w'],
      ['GET/?*/?*/v', 'GET/a/v'],
    ],
    [
      'each value of those that are bound there',
      ['+ GET /{x}/v', 't=v,w GET /a/{t}'],
      ['GET/?*/v', 'GET/a/v', 'GET/a/w'],
      ['GET/?*/?*/v'],
    ],
    [
      'not the paths of one that goes before, with the texts of both',
      ['+ GET /{x}/b/{y}', '- GET /a/{z}/{w}'],
      ['GET/?*/b/?*'],
      ['GET/?*/?*/b/?*', 'GET/?*/b/?*/?*', 'GET/a/b/?*'],
    ],
    [
      'not the route for ANY that goes before',
      ['+ GET /a/{x}', '- ANY /a/b'],
      ['GET/a/?*'],
      ['GET/a/?*/?*', 'GET/a/b'],
    ],
    ['all paths', ['+ GET /{rest+}'], ['GET/?*'], []],
    ['all that is left of a path', ['+ GET /a/{rest+}'], ['GET/a/?*'], []],
    ['all that is left of a longer one', ['+ GET /a/b/{rest+}'], ['GET/a/b/?*'], []],
    ['all of it from a segment that is free', ['+ GET /{x}/{rest+}'], ['GET/?*/?*'], []],
    [
      'not the full matches, which go before the rest',
      ['+ GET /a/{rest+}', '- GET /a/b', '- GET /c/d'],
      ['GET/a/?*'],
      ['GET/a/b'],
    ],
  ])('%s', (_, routes, allow, deny) => {
    expect(written(routes, false)).toEqual({ allow, deny });
  });

  test.each([
    ['a deeper route may be used as well', ['+ GET /a/{x}', '+ GET /a/{x}/c']],
    ['only one value of a route that goes before may be used', ['+ GET /{x}/{y}', 't=v GET /a/{t}']],
    ['the rest of a path comes after a text that comes after a parameter', ['+ GET /{x}/a/{rest+}']],
    ['a Deny would take away deeper paths of the rest', ['+ GET /a/{rest+}', '- GET /a/{x}/c']],
    [
      'a Deny would take away the route that goes before both',
      ['+ GET /{x}/b', '- GET /a/{y}', '+ GET /a/b'],
    ],
  ])('none where %s', (_, routes) => {
    expect(written(routes, false)).toBeUndefined();
  });
});

describe('an API that refuses unmapped paths itself', () => {
  test.each<Case>([
    ['deeper paths need no Deny', ['+ GET /a/{x}', '- GET /b/{rest+}'], ['GET/a/?*'], []],
    [
      'deeper routes are denied one by one',
      ['+ GET /a/{x}', '- GET /a/{x}/c', '- GET /a/b/{y}/d', '- GET /b/{x}/c'],
      ['GET/a/?*'],
      ['GET/a/?*/c', 'GET/a/b/?*/d'],
    ],
    [
      'deeper ones that may be used are not',
      ['+ GET /a/{x}', '+ GET /a/{x}/c'],
      ['GET/a/?*', 'GET/a/?*/c'],
      [],
    ],
    [
      'deeper routes are denied as a whole, where their segments may stand elsewhere in the pattern',
      ['+ GET /{x}/b/{z}', '- GET /a/{y}/{u}/{v}'],
      ['GET/?*/b/?*'],
      ['GET/a/?*/?*/?*'],
    ],
    [
      'the texts before the first wildcard are told, where a deeper route has parameters',
      ['+ GET /a/{x}', '- GET /{y}/{x}/c'],
      ['GET/a/?*'],
      ['GET/a/?*/c'],
    ],
  ])('%s', (_, routes, allow, deny) => {
    expect(written(routes, true)).toEqual({ allow, deny });
  });

  test.each([
    ['the rest of a path has the same form', ['+ GET /a/{x}', '- GET /a/{rest+}']],
    ['the rest of a shorter path would be denied', ['+ GET /a/b/{x}', '- GET /a/{rest+}']],
    ['a Deny would take away what is longer', ['+ GET /a/{x}', '- GET /a/{x}/c', '+ GET /a/{x}/{y}/c']],
    ['a Deny would take away a value of the route denied', ['+ GET /{x}/b', 't=w GET /a/{y}/{t}']],
    ['a deeper route is bound to one value', ['+ GET /a/{x}', 't=v GET /a/{t}/c']],
    ['a Deny would take away what goes before it', ['+ GET /a/{x}', '- GET /a/{x}/c', '+ GET /a/s/c']],
  ])('none where %s', (_, routes) => {
    expect(written(routes, true)).toBeUndefined();
  });
});

describe('ANY', () => {
  const all = (path: string) => VERBS.map((verb) => `${verb}/${path}`);
  const butGet = (path: string) => all(path).filter((each) => !each.startsWith('GET'));

  test.each<Case>([
    ['is every verb', ['+ ANY /a'], all('a'), []],
    ['has none that a route of its own has', ['+ ANY /a', '- GET /a'], butGet('a'), []],
    ['has none at the root that a route of its own has', ['+ ANY /', '- GET /'], butGet(''), []],
    [
      'has none of all paths that a route of its own has',
      ['+ ANY /{all+}', '- GET /{rest+}'],
      butGet('?*'),
      [],
    ],
    ['has it on other paths', ['+ ANY /a', '- GET /b', '- GET /a/{x}', '- GET /{x}'], all('a'), []],
    [
      'gives no value to a route of a verb that has all',
      ['t=v ANY /a/{t}', '- GET /a/{x}'],
      butGet('a/v'),
      [],
    ],
    [
      'gives no value to a route for it alone',
      ['t=v ANY /a/{t}', '- GET /a/v', '- GET /a/w'],
      butGet('a/v'),
      [],
    ],
    [
      'has the rest of a path but where a verb has it',
      ['+ ANY /a/{rest+}', '- GET /a/{rest+}'],
      butGet('a/?*'),
      [],
    ],
    ['has the rest but one segment', ['+ ANY /a/{rest+}', '- GET /a/b'], all('a/?*'), ['GET/a/b']],
  ])('%s', (_, routes, allow, deny) => {
    expect(written(routes, false)).toEqual({ allow, deny });
  });

  test.each([
    ['longer than a path', ['+ ANY /a/{rest+}', '- GET /a/b/{rest+}']],
    ['of one segment', ['+ ANY /a/{rest+}', '- GET /a/{x}']],
  ])('none where a verb has a route %s', (_, routes) => {
    expect(written(routes, false)).toBeUndefined();
  });
});
