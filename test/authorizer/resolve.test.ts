import { describe, expect, it } from 'vitest';
import { prefetchedScopes, resolve } from '../../authorizer/routes/resolve.ts';
import { match } from '../../authorizer/routes/rule.ts';
import { rule } from './support.ts';

interface Given {
  readonly path?: string;
  readonly permission?: string;
  readonly scope?: string;
  readonly claims?: Record<string, unknown>;
  readonly headers?: Record<string, readonly string[]>;
  readonly query?: Record<string, readonly string[]>;
}

function resolved({
  path = '/l/L1/roster/a/b',
  permission = 'page',
  scope = 'location:{id}',
  claims = {},
  headers = {},
  query = {},
}: Given) {
  const found = match([rule('r', 'GET', '/l/{id}/{page}/{rest+}', permission, scope)], 'GET', path);
  if (!found) throw new Error('the route does not match');
  const sources = {
    claims,
    header: (name: string) => headers[name] ?? [],
    query: (name: string) => query[name] ?? [],
  };
  return resolve(found, sources);
}

describe('the permission and scope of a route', () => {
  const tenantOf = (name: string, tenant: string): Given => ({
    scope: `tenant:{claim:${name}}`,
    claims: { [name]: tenant },
  });
  it.each<[Given, string]>([
    [{}, 'page at location:L1'],
    [{ permission: '{page}' }, 'roster at location:L1'],
    [{ permission: 'tickets:{page}:ticket' }, 'tickets:roster:ticket at location:L1'],
    [tenantOf('tenant_id', 'T1'), 'page at tenant:T1'],
    [tenantOf('https://example.com/tenant', 'T1'), 'page at tenant:T1'],
    [tenantOf('t', 'auth0|a@b'), 'page at tenant:auth0|a@b'],
    [{ scope: 'tenant:{header:T}', headers: { t: ['auth0|a@b'] } }, 'page at tenant:auth0|a@b'],
    [{ scope: 'tenant:{header:t}', headers: { t: ['T1', 'T1'] } }, 'page at tenant:T1'],
    [{ scope: 'tenant:{query:t}', query: { t: ['T1'] }, headers: { t: ['T2'] } }, 'page at tenant:T1'],
    [{ permission: '{query:Page}', query: { Page: ['p', 'p'] } }, 'p at location:L1'],
    [{ scope: 'tenant:T1' }, 'page at tenant:T1'],
  ])('%j is %s', (given, question) => {
    const { permission, scope } = resolved(given) ?? {};
    expect(`${permission} at ${scope}`).toBe(question);
  });

  const fromHeader = 'location:{header:x-location}';
  const fromQuery = 'location:{query:at}';
  const fromClaim = 'tenant:{claim:tenant}';
  it.each<[string, Given]>([
    ['a parameter that the path does not have', { permission: '{other}' }],
    ['a rest of several segments', { permission: '{rest}' }],
    ['a missing claim', { scope: fromClaim }],
    ['a claim that is a number', { scope: fromClaim, claims: { tenant: 7 } }],
    ['a claim that is a list', { scope: fromClaim, claims: { tenant: ['T1'] } }],
    ['an empty claim', { scope: fromClaim, claims: { tenant: '' } }],
    ['a claim that would name another type', { scope: fromClaim, claims: { tenant: 'T1:x' } }],
    ['a claim with a wildcard', { permission: 'a:{claim:tenant}:c', claims: { tenant: '*' } }],
    ['a claim that is not its own', { scope: fromClaim, claims: Object.create({ tenant: 'T1' }) }],
    ['a claim that is encoded', { scope: fromClaim, claims: { tenant: 'auth0%7Cabc' } }],
    ['a permission that is no name', { path: '/l/L1/read%7Cwrite/a', permission: '{page}' }],
    ['a header that is encoded', { scope: fromHeader, headers: { 'x-location': ['auth0%7Cabc'] } }],
    ['a missing header', { scope: fromHeader }],
    ['a header twice with different values', { scope: fromHeader, headers: { 'x-location': ['L1', 'L2'] } }],
    ['a header joined by a comma', { scope: fromHeader, headers: { 'x-location': ['L1,L2'] } }],
    [
      'a header joined by a comma, twice the same',
      { scope: fromHeader, headers: { 'x-location': ['L1, L1'] } },
    ],
    ['a header with a space', { scope: fromHeader, headers: { 'x-location': [' L1'] } }],
    ['a missing query parameter', { scope: fromQuery, headers: { at: ['L1'] } }],
    ['a query parameter of another case', { scope: fromQuery, query: { At: ['L1'] } }],
    ['a query parameter twice with different values', { scope: fromQuery, query: { at: ['L1', 'L2'] } }],
    ['a query parameter joined by a comma', { scope: fromQuery, query: { at: ['L1,L1'] } }],
    ['a query parameter that would name another type', { scope: fromQuery, query: { at: ['L1:x'] } }],
    ['a query parameter with a wildcard', { scope: fromQuery, query: { at: ['*'] } }],
    ['an empty query parameter', { scope: fromQuery, query: { at: [''] } }],
    ['an empty header', { scope: fromHeader, headers: { 'x-location': [''] } }],
  ])('cannot be determined, and are denied, with %s', (_, given) => {
    expect(resolved(given)).toBeUndefined();
  });
});

describe('ancestors of the scope in a path', () => {
  const id = (n: number): string => `01J8Z3Q3TQ6T0C9J2W0G7N2B${String(n).padStart(2, '0')}`;
  const UUID = '0b8ff7f4-8a0b-4f0c-9d5e-2f8a6a1f3c11';

  /** @param path with the values of its parameters, as `/buildings/{building=B1}` */
  function prefetched(path: string, template: string, scope: string) {
    const written = path.replace(/=[^}]*\}/g, '}');
    const asked = path.replace(/\{\w+=([^}]*)\}/g, '$1');
    const found = match([rule('r', 'GET', written, 'page', template)], 'GET', asked);
    if (!found) throw new Error('the route does not match');
    return prefetchedScopes(found, scope);
  }

  it.each<[string, readonly string[]]>([
    [`/buildings/{building=${id(1)}}/zones/{zone=${id(9)}}`, [`building:${id(1)}`]],
    [`/buildings/{buildingId=${UUID}}/zones/{zone=${id(9)}}`, [`building:${UUID}`]],
    [`/buildings/{building_id=${id(1)}}/zones/{zone=${id(9)}}`, [`building:${id(1)}`]],
    [`/parts/{northWing=${id(1)}}/{zone=${id(9)}}`, [`north-wing:${id(1)}`]],
    [`/parts/{northWingId=${id(1)}}/{zone=${id(9)}}`, [`north-wing:${id(1)}`]],
    [`/parts/{north_wing_id=${id(1)}}/{zone=${id(9)}}`, [`north-wing:${id(1)}`]],
    [`/parts/{Building=${id(1)}}/{zone=${id(9)}}`, [`building:${id(1)}`]],
    [
      `/{client=${id(1)}}/{project=${id(2)}}/{building=${id(3)}}/{zone=${id(9)}}`,
      [`building:${id(3)}`, `project:${id(2)}`, `client:${id(1)}`],
    ],
  ])('are derived from the names of its parameters, from the parent up: %s', (path, above) => {
    expect(prefetched(path, 'zone:{zone}', `zone:${id(9)}`)).toEqual(above);
  });

  it.each<[string, string]>([
    ['what is no id', `/buildings/{building=-north}/zones/{zone=${id(9)}}`],
    ['what would name another type', `/buildings/{building=a:${id(1)}}/zones/{zone=${id(9)}}`],
    ['the end of a key', `/buildings/{building=${id(1)}#x}/zones/{zone=${id(9)}}`],
    ['a thing that is no scope', `/users/{userId=${id(1)}}/pages/{page=${id(2)}}/{zone=${id(9)}}`],
    ['a parameter that names no type', `/{id=${id(1)}}/{x__y=${id(2)}}/{zone=${id(9)}}`],
    ['what stands below the scope', `/zones/{zone=${id(9)}}/devices/{device=${id(1)}}`],
  ])('leave out %s', (_, path) => {
    expect(prefetched(path, 'zone:{zone}', `zone:${id(9)}`)).toEqual([]);
  });

  it('leave out the scope itself, and contain each once', () => {
    const path = `/{client=${id(1)}}/{building=${id(2)}}/{buildingId=${id(2)}}/{zoneId=${id(9)}}`;
    expect(prefetched(path, 'zone:{claim:zone}', `zone:${id(9)}`)).toEqual([
      `building:${id(2)}`,
      `client:${id(1)}`,
    ]);
  });

  it('are no more than a scope can have', () => {
    const path = Array.from({ length: 20 }, (_, n) => `/{level${n}=${id(n)}}`).join('');
    const named = prefetched(path, 'zone:{claim:zone}', `zone:${id(99)}`);
    expect(named).toEqual(Array.from({ length: 16 }, (_, n) => `level${19 - n}:${id(19 - n)}`));
  });
});
