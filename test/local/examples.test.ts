import { describe, expect, test } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { type ExampleRequest, findExamples } from '../../local/manifest/examples.ts';
import type { Manifest } from '../../provisioning/apply/schema.ts';
import { applyManifest, prepareManifest } from '../../testing/manifest.ts';
import { provisionedInMemory } from '../../testing/memory.ts';

/** The requests that the local stack prints for a manifest: found by asking, never made up. */
const NOW = Date.UTC(2026, 2, 1);

async function examplesOf(data: object, statusOf?: (request: ExampleRequest) => number | undefined) {
  const prepared = await prepareManifest(data);
  expect(prepared.problems).toEqual([]);
  const { reader, provisioning } = provisionedInMemory(() => NOW);
  expect(await applyManifest(prepared, provisioning)).toEqual([]);
  const engine = createEngine({ reader, clock: { now: () => NOW + 600_000 } });
  const decide = async (requests: Parameters<typeof engine.checkMany>[0]) =>
    requests.length === 0 ? [] : (await engine.checkMany(requests)).decisions;
  let asked = 0;
  const examples = await findExamples(prepared.manifest as Manifest, prepared.names, {
    decide,
    statusOf: async (request) => {
      asked += 1;
      const { subjectRef, permission, scopeRef } = request;
      const { allowed } = await engine.check(subjectRef, permission, scopeRef);
      return statusOf?.(request) ?? (allowed ? 200 : 403);
    },
  });
  return { ...examples, asked };
}

const WORLD = {
  pages: ['reports', 'billing'],
  permissions: ['orders:read:order', 'orders:delete:order'],
  scopes: { acme: { id: 'acme', type: 'tenant' }, globex: { id: 'globex', type: 'tenant' } },
  roles: { staff: { allow: ['reports', 'orders:read:*'] } },
  users: { ann: { grants: { acme: ['staff'] } }, ben: { grants: { acme: [] } } },
};
const route = (path: string, permission: string, scope: string, method = 'GET') => ({
  method,
  path,
  permission,
  scope,
});

const REPORTS = route('/t/{tenant}/reports', 'reports', 'tenant:{tenant}');
const BILLING = route('/t/{tenant}/billing', 'billing', 'tenant:{tenant}');
const ALONE = { users: { ann: WORLD.users.ann } };

describe('one of each', () => {
  test.each<[string, object, object, object]>([
    [
      'of one route at one scope for two people, where there are such',
      { routes: [REPORTS] },
      { caller: 'ann', scope: 'acme', method: 'GET', path: '/t/acme/reports' },
      { caller: 'ben', scope: 'acme', path: '/t/acme/reports', reason: 'no_grant' },
    ],
    [
      'of a route that names its scope',
      { routes: [route('/reports', 'reports', 'acme')] },
      { caller: 'ann', scope: 'acme', path: '/reports' },
      { caller: 'ben' },
    ],
    [
      'for one person at two scopes, where all may do it at the first',
      { ...ALONE, routes: [REPORTS] },
      { scope: 'acme' },
      { scope: 'globex', caller: 'ann' },
    ],
    [
      'of different routes, where each has only one answer',
      { ...ALONE, scopes: { acme: WORLD.scopes.acme }, routes: [REPORTS, BILLING] },
      { path: '/t/acme/reports' },
      { path: '/t/acme/billing' },
    ],
    [
      'reading ones before others',
      {
        routes: [
          { ...REPORTS, method: 'POST' },
          route('/t/{tenant}/other', 'reports', 'tenant:{tenant}', 'ANY'),
        ],
      },
      { method: 'GET', path: '/t/acme/other' },
      { caller: 'ben' },
    ],
  ])('%s', async (_, changes, allowed, refused) => {
    const found = await examplesOf({ ...WORLD, ...changes });
    expect(found).toMatchObject({ allowed, refused });
    expect(found.asked).toBe(2);
  });
});

test('a permission from the path, a scope from header and query, an API of its own, a parameter that decides nothing', async () => {
  const of = async (given: object) => (await examplesOf({ ...WORLD, routes: [given] })).allowed;
  expect(await of(route('/t/{tenant}/pages/{page}', '{page}', 'tenant:{tenant}'))).toMatchObject({
    path: '/t/acme/pages/reports',
    permission: 'reports',
  });
  expect(
    await of(route('/orders/{action}', 'orders:{action}:order', 'tenant:{header:x-tenant}')),
  ).toMatchObject({ path: '/orders/read', headers: { 'x-tenant': 'acme' } });
  expect(await of(route('/reports', 'reports', 'tenant:{query:at}'))).toMatchObject({
    path: '/reports?at=acme',
  });
  expect(await of({ ...route('/r/{id}/{rest+}', 'reports', 'tenant:acme'), api: 'shop' })).toMatchObject({
    path: '/shop/r/1/1',
  });
});

describe('none', () => {
  test.each<[string, object]>([
    ['where there are no routes', { ...WORLD }],
    ['where there are no people', { ...WORLD, users: {}, routes: [route('/r', 'reports', 'tenant:acme')] }],
    [
      'where a scope comes from a claim',
      { ...WORLD, routes: [route('/r', 'reports', 'tenant:{claim:tenant}')] },
    ],
    [
      'where a route is of a WebSocket',
      { ...WORLD, routes: [route('/$connect', 'reports', 'tenant:acme', 'CONNECT')] },
    ],
  ])('%s', async (_, data) => {
    expect(await examplesOf(data)).toEqual({ asked: 0 });
  });

  test('that the gateway answers otherwise: after ten attempts it is given up', async () => {
    const { allowed, refused, asked } = await examplesOf(
      { ...WORLD, routes: [route('/t/{tenant}/reports', 'reports', 'tenant:{tenant}')] },
      () => 500,
    );
    expect([allowed, refused]).toEqual([undefined, undefined]);
    expect(asked).toBeLessThanOrEqual(10);
  });
});
