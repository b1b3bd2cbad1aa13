import { beforeEach, describe, expect, test } from 'vitest';
import type { Consistency } from '../../engine/index.ts';
import { createWorld } from '../support/world.ts';

/** A session decides as `check` does, once and together, and ends before it is too old. */
const [user, tenant, nested] = ['user:ann', 'tenant:t', 'location:l'];
const MANIFEST = `
pages: [home, news]
scopes: { t: { id: t, type: tenant }, l: { id: l, type: location, parent: t } }
roles: { reader: { global: true, allow: [home] } }
users: { ann: { id: ann, grants: { t: [reader] } } }
`;

const world = await createWorld(MANIFEST);
beforeEach(() => world.settle());

describe('decisions', () => {
  test('are those of check, also of what is no permission', async () => {
    const engine = world.newEngine();
    const permissions = ['home', 'unregistered', 'no permission'];
    const session = await engine.session(user, nested, { permissions });
    for (const permission of permissions)
      expect(session.decide(permission)).toBe(await engine.check(user, permission, nested));
  });

  test('do not include permissions that were not named: can is false, decide throws on its field', async () => {
    const session = await world.newEngine().session(user, tenant, { permissions: ['news'] });
    expect(session.can('home')).toBe(false);
    expect(() => session.decide('home')).toThrow(
      expect.objectContaining({ code: 'invalid', field: 'permission' }),
    );
    const empty = await world.newEngine().session(user, tenant, { permissions: [], consistency: 'strong' });
    expect(empty.can('home')).toBe(false);
  });
});

test('ninety-five are read in as few calls as it takes, all within the limit of keys', async () => {
  const permissions = Array.from({ length: 95 }, (_, n) => `menu.${n}`);
  world.calls.length = 0;
  await world.newEngine().session(user, tenant, { permissions });
  expect(world.calls.splice(0).map(({ keys }) => keys)).toEqual([100, 93]);
  await world.newEngine().session(user, nested, { permissions });
  expect(world.calls).toHaveLength(3);
  for (const { keys } of world.calls) expect(keys).toBeLessThanOrEqual(100);
});

describe('it ends', () => {
  test('a strong one lives for a whole time-to-live, and shows what was written before it', async () => {
    const engine = world.newEngine({ ttlMs: 60_000 });
    await engine.check(user, 'home', tenant);
    await world.run('user.update', { id: 'ann', status: 'disabled' });
    const open = (consistency: Consistency) =>
      engine.session(user, tenant, { permissions: ['home'], consistency });
    expect((await open('cached')).can('home')).toBe(true);
    world.clock.advance(10_000);
    const session = await open('strong');
    expect(session.decide('home').reason).toBe('subject_inactive');
    expect(session.expiresAt).toBe(world.clock.now() + 60_000);
    await world.run('user.update', { id: 'ann', status: 'active' });
  });

  test('at once where nothing may be cached', async () => {
    const session = await world.newEngine({ ttlMs: 0 }).session(user, tenant, { permissions: ['home'] });
    expect(session.can('home')).toBe(false);
  });
});
