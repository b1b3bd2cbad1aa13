import { beforeEach, describe, expect, test } from 'vitest';
import { inParallel, interruptAfter, provisionWatched, provisionWith } from './stepwise.ts';
import { createLightLedgerWorld, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/** A template of more permissions than one transaction takes is applied to a role in steps. */
let world: LedgerWorld;
const id: Record<string, string> = {};
const permissions = [...Array(70).keys()].map((i) => ({
  permission: i % 3 ? `page-${i}` : `module-${i}:*:*`,
  effect: i % 2 ? 'ALLOW' : 'DENY',
}));
const event = () => ({ command: 'role-template.apply', input: { id: id.template, role: id.role } });

beforeEach(async () => {
  world = await createLightLedgerWorld();
  await inParallel(permissions, 4, async ({ permission }) => {
    if (!permission.includes(':')) await world.run('page.create', { name: permission });
  });
  id.template = (await world.run('role-template.create', { name: 'large', permissions })).id;
  id.tenant = (await world.run('tenant.create', { name: 'Acme', combination: 'deny-overrides' })).id;
  id.role = (await world.run('role.create', { name: 'role', scope: `tenant:${id.tenant}` })).id;
});

const granted = async () =>
  (await world.listed('role-permission.list', { role: id.role }))
    .map(({ permission, effect }) => ({ permission, effect }))
    .sort((a, b) => (String(a.permission) < String(b.permission) ? -1 : 1));
const wanted = [...permissions].sort((a, b) => (a.permission < b.permission ? -1 : 1));
const expectWhole = () => expectAllWhole(world);

test('what it forbids comes first, and all of it comes', async () => {
  const answer = await provisionWatched(world, event(), async () => {
    await expectWhole();
    const now = await granted();
    const forbids = now.filter(({ effect }) => effect === 'DENY').length;
    if (now.some(({ effect }) => effect === 'ALLOW')) expect(forbids).toBe(35);
  });
  expect(answer).toMatchObject({ ok: true, result: { permissions: 70 } });
  expect(await granted()).toEqual(wanted);
  // Again there is nothing left to do, and that is no failure.
  expect(await world.provision(event())).toMatchObject({ ok: true, result: { permissions: 70 } });
  expect(await granted()).toEqual(wanted);
});

test('what the role holds already stays as it is', async () => {
  await world.run('role-permission.create', { role: id.role, permission: 'page-1', effect: 'DENY' });
  await world.run('role-template.apply', event().input);
  const changed = wanted.map((each) => (each.permission === 'page-1' ? { ...each, effect: 'DENY' } : each));
  expect(await granted()).toEqual(changed);
});

describe('interrupted after step', () => {
  test.each([1, 2, 3])(
    '%i, the same command finishes it, and answers the same from then on',
    async (steps) => {
      const named = { ...event(), operationId: 'apply' };
      expect(await interruptAfter(world, named, steps)).toMatchObject({ ok: false });
      expect(await granted()).toHaveLength(20 * steps);
      await expectWhole();
      const done = await world.provision(named);
      expect(done).toMatchObject({ ok: true });
      expect(await granted()).toEqual(wanted);
      await world.run('role-permission.delete', { role: id.role, permission: 'page-1' });
      expect(await world.provision(named)).toEqual(done);
      expect(await granted()).toHaveLength(69);
      await expectWhole();
    },
  );
});

test('a permission or the role that goes meanwhile', async () => {
  const gone = await provisionWith(world, event(), 1, () => world.run('page.delete', { name: 'page-67' }));
  expect(gone).toMatchObject({ error: { code: 'not_found', field: 'permissions' } });
  await expectWhole();
  await world.run('page.create', { name: 'page-67' });
  await world.run('role.delete', { id: id.role });
  id.role = (await world.run('role.create', { name: 'role', scope: `tenant:${id.tenant}` })).id;
  await provisionWith(world, event(), 1, () => world.run('role.delete', { id: id.role }));
  expect(await granted()).toEqual([]);
  await expectWhole();
});

test('at creation a role takes a template of twenty; of more it says what to do', async () => {
  const input = { name: 'born', scope: `tenant:${id.tenant}` };
  expect(await world.refused('role.create', { ...input, customTemplateId: id.template })).toMatchObject({
    code: 'limit_exceeded',
    field: 'customTemplateId',
    message: expect.stringContaining('role-template.apply'),
  });
  const some = permissions.slice(0, 20);
  const template = (await world.run('role-template.create', { name: 'small', permissions: some })).id;
  const role = await world.run('role.create', { ...input, customTemplateId: template });
  expect(await world.listed('role-permission.list', { role: role.id })).toHaveLength(20);
  await expectWhole();
});
