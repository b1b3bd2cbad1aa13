import { describe, expect, it } from 'vitest';
import { match } from '../../authorizer/routes/match.ts';
import { hintsFor, resolve } from '../../authorizer/routes/resolve.ts';
import { rule } from './support.ts';

interface Given {
  readonly path?: string;
  readonly hints?: readonly string[];
  readonly permission?: string;
  readonly scope?: string;
  readonly claims?: Record<string, unknown>;
  readonly headers?: Record<string, readonly string[]>;
  readonly query?: Record<string, readonly string[]>;
}

function asked({
  path = '/l/L1/roster/a/b',
  permission = 'page',
  scope = 'location:{id}',
  hints = [],
  claims = {},
  headers = {},
  query = {},
}: Given) {
  const found = match([rule('r', 'GET', '/l/{id}/{page}/{rest+}', permission, scope, hints)], 'GET', path);
  if (!found) throw new Error('the route does not match');
  const sources = {
    claims,
    header: (name: string) => headers[name] ?? [],
    query: (name: string) => query[name] ?? [],
  };
  return { question: resolve(found, sources), hints: hintsFor(found, sources) };
}
const resolved = (given: Given) => asked(given).question;

describe('what a route asks for', () => {
  it.each<[Given, { permission: string; scope: string }]>([
    [{}, { permission: 'page', scope: 'location:L1' }],
    [{ permission: '{page}' }, { permission: 'roster', scope: 'location:L1' }],
    [{ permission: 'tickets:{page}:ticket' }, { permission: 'tickets:roster:ticket', scope: 'location:L1' }],
    [
      { scope: 'tenant:{claim:tenant_id}', claims: { tenant_id: 'T1' } },
      { permission: 'page', scope: 'tenant:T1' },
    ],
    [
      { scope: 'tenant:{claim:https://example.com/tenant}', claims: { 'https://example.com/tenant': 'T1' } },
      { permission: 'page', scope: 'tenant:T1' },
    ],
    [
      { scope: 'location:{header:X-Location}', headers: { 'x-location': ['L2'] } },
      { permission: 'page', scope: 'location:L2' },
    ],
    [
      { scope: 'location:{header:x-location}', headers: { 'x-location': ['L2', 'L2'] } },
      { permission: 'page', scope: 'location:L2' },
    ],
    [
      { scope: 'location:{query:at}', query: { at: ['L2'] }, headers: { at: ['L3'] } },
      { permission: 'page', scope: 'location:L2' },
    ],
    [
      { permission: '{query:Page}', query: { Page: ['p', 'p'] } },
      { permission: 'p', scope: 'location:L1' },
    ],
    [{ scope: 'tenant:T1' }, { permission: 'page', scope: 'tenant:T1' }],
  ])('%j is %j', (given, question) => {
    expect(resolved(given)).toEqual(question);
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
  ])('cannot be said, and is denied, with %s', (_, given) => {
    expect(resolved(given)).toBeUndefined();
  });
});

describe('what a route says to read along', () => {
  const filled = (hints: readonly string[], given: Given = {}) => asked({ ...given, hints }).hints;

  it('is filled as the scope is, nearest first', () => {
    const hints = [
      'project:{page}',
      'client:{claim:client}',
      'tenant:{header:X-Tenant}',
      'tenant:{query:t}',
      'tenant:T',
    ];
    const given = { claims: { client: 'C1' }, headers: { 'x-tenant': ['T1'] }, query: { t: ['T2'] } };
    expect(filled(hints, given)).toEqual([
      'project:roster',
      'client:C1',
      'tenant:T1',
      'tenant:T2',
      'tenant:T',
    ]);
    expect(filled([])).toEqual([]);
  });

  it.each<[string, string, Given]>([
    ['a claim that is missing', 'client:{claim:client}', {}],
    ['a claim that is no text', 'client:{claim:client}', { claims: { client: ['C1'] } }],
    ['a header twice with different values', 'client:{header:c}', { headers: { c: ['C1', 'C2'] } }],
    ['a query parameter that would name another type', 'client:{query:c}', { query: { c: ['C1:x'] } }],
    ['a wildcard', 'client:{query:c}', { query: { c: ['*'] } }],
    ['the end of a key', 'client:{query:c}', { query: { c: ['C1#x'] } }],
    ['a segment that is no name', 'client:{page}', { path: '/l/L1/a:b/a' }],
    ['a rest of several segments', 'client:{rest}', {}],
    ['a parameter that the path does not have', 'client:{other}', {}],
  ])('is without what cannot be filled, and the request is asked about: %s', (_, hint, given) => {
    expect(asked({ ...given, hints: ['project:P', hint, 'client:C'] })).toEqual({
      question: { permission: 'page', scope: 'location:L1' },
      hints: ['project:P', 'client:C'],
    });
  });
});
