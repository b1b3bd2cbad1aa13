import { beforeAll, describe, expect, test } from 'vitest';
import { INVOKE_ACTION } from '../../../authorizer/policies/index.ts';
import { exampleOfResource, readClaims, readHeaders } from '../../../explorer/page/views/policy/examples.ts';
import { createModel } from '../../../explorer/playground/model.ts';
import type { PolicyShown, RouteTrial } from '../../../explorer/service/index.ts';

/** Requests that the page fills in for a route, and for a resource of a policy. */
const MANIFEST = `
pages: [grades, menu, secret]
permissions: ["doors:open:door", "bills:pay:bill"]
scopes:
  school: { type: tenant, id: school }
  north: { type: location, id: "north|1", parent: school }
  south: { type: location, id: south, parent: school }
roles:
  teacher: { owner: school, allow: [grades, "doors:open:door", "bills:pay:bill"] }
users:
  ann: { id: ann, grants: { school: [teacher] } }
routes:
  - { api: school, method: GET, path: "/locations/{location}/grades", permission: grades, scope: "location:{location}" }
  - { api: school, method: ANY, path: "/doors/{door}", permission: "doors:open:door", scope: "tenant:school" }
  - { api: school, method: GET, path: "/doors/main", permission: secret, scope: "tenant:school" }
  - { api: school, method: POST, path: "/bills", permission: "bills:pay:bill", scope: "tenant:{claim:tenant}" }
  - { api: school, method: GET, path: /canteen, permission: menu, scope: "location:{header:x-location}" }
  - { api: files, method: GET, path: "/files/{rest+}", permission: grades, scope: "location:south" }
  - { api: files, method: GET, path: "/views/{constructor}", permission: secret, scope: "tenant:school" }
`;

/** The time goes on: routes count from a millisecond after they were read. */
let time = Date.parse('2026-03-01T00:00:00Z');
const model = createModel({ now: () => time++ });
const ask = async <T>(method: string, input: Readonly<Record<string, unknown>>): Promise<T> => {
  const reply = await model.service(method, { subject: 'user:ann', api: 'school', ...input });
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
  return reply.result as T;
};
beforeAll(async () => {
  expect(await model.update({ manifest: MANIFEST, tests: '' })).toMatchObject({ problems: [] });
});

test('the service of a manifest names its APIs', async () => {
  const reply = await model.service('about', {});
  expect(reply).toMatchObject({ ok: true, result: { apis: ['school', 'files'] } });
});

describe('an example', () => {
  test('of a route is a request that it takes, one that the policy allows if there is one', async () => {
    for (const api of ['school', 'files']) {
      const { routes } = await ask<PolicyShown>('policy', { api });
      for (const route of routes) {
        const trial = await ask<RouteTrial>('tryRoute', { api, ...route.example });
        expect(trial.route?.id, route.path).toBe(route.id);
        if (route.allowed.length > 0)
          expect(trial, route.path).toMatchObject({ allowed: true, agrees: true });
      }
    }
  });

  test('of a resource is a request that it matches', async () => {
    const { answer, base } = await ask<PolicyShown>('policy', { claims: { tenant: 'school' } });
    const statements = answer?.policyDocument.Statement ?? [];
    expect(statements.map(({ Effect, Action }) => [Effect, Action])).toEqual([
      ['Allow', INVOKE_ACTION],
      ['Deny', INVOKE_ACTION],
    ]);
    let allowed = 0;
    for (const { Effect, Resource } of statements)
      for (const resource of [Resource].flat()) {
        const example = exampleOfResource(resource, base);
        const { policy } = await ask<RouteTrial>('tryRoute', { ...example, claims: { tenant: 'school' } });
        expect(policy?.decision, resource).toBe(Effect === 'Allow' ? 'allow' : 'explicit-deny');
        allowed += policy?.decision === 'allow' ? 1 : 0;
      }
    expect(allowed).toBeGreaterThan(8);
  });

  test('of a policy that denies everything is any request', () => {
    expect(exampleOfResource('arn:aws:x/live/*', 'arn:aws:x/live/')).toEqual({
      method: 'GET',
      path: '/example',
    });
  });
});

test('the scope of a route follows from values of its parameters', async () => {
  const { routes } = await ask<PolicyShown>('policy', { claims: { tenant: 'school' } });
  const scopes = (of: string) => routes.find(({ path }) => path === of)?.allowed.map(({ scope }) => scope);
  expect(scopes('/locations/{location}/grades')).toEqual(['location:south']);
  expect(scopes('/doors/{door}')).toContain('tenant:school');
  expect(scopes('/bills')).toEqual([undefined]);
});

test('a parameter has no value but those of the policy', async () => {
  const { routes } = await ask<PolicyShown>('policy', { api: 'files' });
  expect(routes.map(({ example }) => example.path)).toEqual(['/files/example-1/example-2', '/views/example']);
});

test('claims and headers that routes take are named', async () => {
  const { takes } = await ask<PolicyShown>('policy', {});
  expect(takes).toEqual({ claims: ['tenant'], headers: ['x-location'] });
});

test('claims are an object of JSON', () => {
  expect(readClaims('{"tenant":"acme"}')).toEqual({ value: { tenant: 'acme' } });
  for (const text of ['', '[]', 'null', '"acme"', '{tenant: acme}'])
    expect(readClaims(text), text).toEqual({ problem: expect.stringContaining('JSON object') });
});

test('headers are lines', () => {
  expect(readHeaders(' X-Location: a:b \n\nx-two:\n')).toEqual({
    value: { 'X-Location': 'a:b', 'x-two': '' },
  });
  for (const text of ['x', 'a b: c', ': c'])
    expect(readHeaders(text), text).toEqual({ problem: expect.stringContaining(text) });
});
