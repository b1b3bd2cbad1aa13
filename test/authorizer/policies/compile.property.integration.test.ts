import { describe, expect, test } from 'vitest';
import { type Cell, compile } from '../../../authorizer/policies/compile.ts';
import { matchesPattern } from '../../../authorizer/policies/iam.ts';
import { isOfOneSpelling, match, parameterOf, type RouteRule } from '../../../authorizer/routes/rule.ts';
import { routeShape } from '../../../table/route-template.ts';
import * as fc from '../../support/fast-check.ts';
import { rule } from '../support.ts';
import { isMapped, unlimited } from './mapped.ts';

/**
 * Patterns against the meaning of the rules, path by path: read as IAM documents them, they allow what the cells allow
 * and nothing else, or there are none.
 */
const VALUES = ['v1', 'v2', 'v1x'];
const SEGMENTS = [
  ...['a', 'b', 'A', 'zz', ...VALUES, 'V1', 'v', '*', '?', 'v*', 'a@b', '$x', 'a+b'],
  ...['', '.', '..', '.a', 'a%2Fb', '%61', 'a;b', 'a\\b', 'a.b', '-a'],
];

const segment = fc.constantFrom('a', 'b', '{p}', '{q}', '{free}', '{other}');
const template = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '', '', '/{rest+}'))
  .map(([segments, rest]) => `/${segments.join('/')}${segments.length > 0 ? rest : rest.slice(1)}`)
  .filter((path) => new Set(path.match(/\{\w+/g) ?? []).size === (path.match(/\{\w+/g) ?? []).length);
const method = fc.constantFrom('GET', 'GET', 'POST', 'ANY');

/** Rules of different shapes; those that bind p or q have cells for some values of them. */
const api = fc
  .tuple(
    fc.uniqueArray(fc.tuple(method, template), {
      minLength: 1,
      maxLength: 5,
      selector: ([verb, path]) => `${verb} ${routeShape(path, 'path')}`,
    }),
    fc.infiniteStream(fc.nat({ max: 7 })),
  )
  .map(([routes, draws]) => {
    const cells: Cell[] = [];
    const rules = routes.map(([verb, path], position): RouteRule => {
      const names = ['p', 'q'].filter((name) => path.includes(`{${name}}`));
      const permission = names.length === 2 ? '{q}' : 'page';
      const scope = names.length === 0 ? 'location:here' : `location:{${names[0]}}`;
      const made = rule(`r${position}`, verb, path, permission, scope);
      let combinations: string[][] = [[]];
      for (const _ of names) combinations = combinations.flatMap((each) => VALUES.map((v) => [...each, v]));
      for (const combination of combinations) {
        if ((draws.next().value ?? 0) < 4) continue;
        cells.push({ rule: made, values: new Map(names.map((name, at) => [name, combination[at] ?? ''])) });
      }
      return made;
    });
    return { rules, cells };
  });

const paths: string[] = ['/', ''];
for (const one of SEGMENTS) {
  paths.push(`/${one}`, `/${one}/`);
  for (const two of SEGMENTS) {
    paths.push(`/${one}/${two}`, `/${one}/${two}/`);
    for (const three of ['a', 'v1', 'zz', '', '..']) {
      paths.push(`/${one}/${two}/${three}`);
      for (const four of ['b', 'v2']) paths.push(`/${one}/${two}/${three}/${four}`);
    }
  }
}

function isAllowed(cells: readonly Cell[], rules: readonly RouteRule[], verb: string, path: string): boolean {
  const found = match(rules, verb, path);
  return cells.some(
    (cell) =>
      cell.rule === found?.rule &&
      [...cell.values].every(([name, value]) => parameterOf(found, name) === value),
  );
}

const evaluate = (patterns: { allow: readonly string[]; deny: readonly string[] }, text: string): boolean =>
  patterns.allow.some((pattern) => matchesPattern(pattern, text)) &&
  !patterns.deny.some((pattern) => matchesPattern(pattern, text));

describe.each([false, true])('patterns for an API that is closed: %s', (isClosed) => {
  test('allow what the cells allow, and nothing else, or there are none', () => {
    const seen = { written: 0, wildcards: 0, refused: 0, allowed: 0, compared: 0 };
    fc.assert(
      fc.property(api, ({ rules, cells }) => {
        const patterns = compile({ rules, cells, isClosed, budget: unlimited() });
        if (!patterns) {
          seen.refused += 1;
          return;
        }
        seen.written += 1;
        if (patterns.allow.some((each) => each.includes('*'))) seen.wildcards += 1;
        for (const verb of ['GET', 'POST', 'PUT']) {
          for (const path of paths) {
            if (isClosed && !isMapped(rules, verb, path)) continue;
            const truth = isAllowed(cells, rules, verb, path);
            seen.compared += 1;
            if (truth) seen.allowed += 1;
            const says = evaluate(patterns, verb + path);
            // A path with another spelling of itself gets an answer for its route alone.
            if (isOfOneSpelling(path) ? says !== truth : says && !truth) {
              const shown = rules.map(({ id, method: own, segments }) => [id, own, segments]);
              throw new Error(`${verb} ${path}: ${truth}\n${JSON.stringify({ shown, patterns })}`);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(seen.written).toBeGreaterThan(10);
    expect(seen.wildcards).toBeGreaterThan(1);
    expect(seen.refused).toBeGreaterThan(1);
    expect(seen.allowed).toBeGreaterThan(1_000);
  });
});
