import { type Context, Hono } from 'hono';
import { expect, test } from 'vitest';
import { authorizationOf, honoGuard, honoPermissions, type Snapshot } from '../../middleware/index.ts';
import { testEngine } from '../../testing/index.ts';

/** Guarded routes are tested without a process, with the engine of the testing kit. */
test('a guarded application decides by a manifest', async () => {
  const authz = await testEngine(`
    pages: [grades, payroll]
    scopes:
      school: { type: tenant }
      north: { type: location, parent: school }
    roles:
      teacher: { allow: [grades] }
    groups:
      teachers: { scope: north, roles: [teacher] }
    users:
      ann: { groups: [teachers] }
      ben: {}
  `);
  const { engine, reader, clock } = authz;
  const who = (c: Context) => {
    const name = c.req.header('x-user');
    return name && authz.ref(name);
  };
  const guard = honoGuard({ engine, who, now: clock.now });
  const app = new Hono();
  app.get(
    '/grades/:location',
    guard('grades', (c) => authz.ref(String(c.req.param('location')))),
    (c) => c.text(authorizationOf(c).subject),
  );
  app.all('/permissions', honoPermissions({ engine, reader, who, now: clock.now }));
  const get = (path: string, user?: string) =>
    app.request(path, { headers: user === undefined ? {} : { 'x-user': user } });

  const allowed = await get('/grades/north', 'ann');
  expect([allowed.status, await allowed.text()]).toEqual([200, authz.ref('ann')]);
  expect((await get('/grades/north', 'ben')).status).toBe(403);
  expect((await get('/grades/north')).status).toBe(401);
  const answer = await get(`/permissions?scope=${authz.ref('north')}`, 'ann');
  const { permissions, ask } = (await answer.json()) as Snapshot;
  expect([permissions, ask]).toEqual([['grades'], []]);
});
