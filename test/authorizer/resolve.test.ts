import { describe, expect, it } from 'vitest';
import { match } from '../../authorizer/routes/match.ts';
import { resolve } from '../../authorizer/routes/resolve.ts';
import { rule } from './support.ts';

interface Given {
  readonly permission?: string;
  readonly scope?: string;
  readonly claims?: Record<string, unknown>;
  readonly headers?: Record<string, readonly string[]>;
  readonly query?: Record<string, readonly string[]>;
}

function resolved({
  permission = 'page',
  scope = 'location:{id}',
  claims = {},
  headers = {},
  query = {},
}: Given) {
  const found = match(
    [rule('r', 'GET', '/l/{id}/{page}/{rest+}', permission, scope)],
    'GET',
    '/l/L1/roster/a/b',
  );
  if (!found) throw new Error('the route does not match');
  return resolve(found, {
    claims,
    header: (name) => headers[name] ?? [],
    query: (name) => query[name] ?? [],
  });
}

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
