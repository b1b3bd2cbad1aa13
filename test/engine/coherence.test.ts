import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_COHERENCE_MARGIN_MS, type Engine } from '../../engine/index.ts';
import { createVault, type Vault } from '../support/vault.ts';

/**
 * Every answer was true at some single instant (SPEC section 2). In each story the user is never allowed at
 * any instant; items that were cached at different times, put together, would allow.
 */
let vault: Vault;
let world: Vault['world'];
let zoe: string;
beforeEach(async () => {
  vault = await createVault();
  world = vault.world;
  zoe = `user:${(await world.run('user.create', {})).id}`;
  world.settle();
});

const eve = (engine: Engine, where = vault.place) => engine.check(`user:${vault.eve}`, 'vault', where);
const later = () => world.clock.advance(10_000);

/** The role was given only after Eve had left; her old membership is still cached. */
async function removedThenGranted(engine: Engine) {
  await world.run('membership.create', { user: vault.eve, group: vault.group });
  later();
  await eve(engine, vault.elsewhere);
  later();
  await world.run('membership.delete', { user: vault.eve, group: vault.group });
  later();
  await world.run('group-role.create', { group: vault.group, role: vault.role });
  later();
  return eve(engine);
}

/** Eve came only after the role had been taken away; the group's old role is still cached. */
async function withdrawnThenJoined(engine: Engine) {
  await world.run('group-role.create', { group: vault.group, role: vault.role });
  later();
  await engine.check(zoe, 'vault', vault.place);
  later();
  await world.run('group-role.delete', { group: vault.group, role: vault.role });
  later();
  await world.run('membership.create', { user: vault.eve, group: vault.group });
  later();
  return eve(engine);
}

/** The DENY was lifted only after Eve had lost her role; that she had it is still cached. */
async function revokedThenUnlocked(engine: Engine) {
  await world.run('location.update', { id: vault.place.split(':')[1], combination: 'deny-overrides' });
  const lock = (await world.run('role.create', { name: 'locked', scope: vault.place })).id;
  await world.run('role-permission.create', { role: lock, permission: 'vault', effect: 'DENY' });
  const grant = { user: vault.eve, scope: vault.place };
  await world.run('grant.create', { ...grant, roles: [vault.role, lock] });
  later();
  await eve(engine, vault.elsewhere);
  later();
  await world.run('grant.update', { ...grant, roles: [lock] });
  later();
  await world.run('role-permission.delete', { role: lock, permission: 'vault' });
  later();
  return eve(engine);
}

const stories = { removedThenGranted, withdrawnThenJoined, revokedThenUnlocked };

describe.each(Object.entries(stories))('%s', (_, story) => {
  test('is refused', async () => {
    expect(await story(world.newEngine())).toMatchObject({ allowed: false });
  });

  test('would be allowed without the test of coherence', async () => {
    const careless = world.newEngine({ coherenceMarginMs: Number.NEGATIVE_INFINITY });
    expect(await story(careless)).toMatchObject({ allowed: true });
  });
});

test('many questions that share some of what was written just now are answered', async () => {
  const tenant = `tenant:${(await world.run('tenant.create', { name: 'Other' })).id}`;
  const below = `location:${(await world.run('location.create', { name: 'Below', parent: tenant })).id}`;
  await world.run('membership.create', { user: zoe.slice('user:'.length), group: vault.group });
  const scopes = [vault.elsewhere, below, vault.place];
  for (const order of [scopes, scopes.toReversed()]) {
    const engine = world.newEngine();
    const requests = order.map((scope) => ({ subject: zoe, permission: 'vault', scope }));
    world.calls.length = 0;
    expect(await engine.checkMany(requests)).toHaveLength(3);
    expect(world.calls).toHaveLength(2);
  }
});

describe('what it costs', () => {
  const cost = () => world.calls.splice(0).map(({ keys }) => keys);

  test('what was written longer ago than the margin before the oldest read is taken as it is', async () => {
    const engine = world.newEngine();
    await engine.check(zoe, 'vault', vault.place);
    cost();
    await eve(engine);
    expect(cost()).toEqual([1]);
  });

  test('within the margin, or since that read, all of it is read again, once, in one call', async () => {
    const engine = world.newEngine();
    await world.run('user.update', { id: vault.eve, displayName: 'Eve', status: 'active' });
    world.clock.advance(DEFAULT_COHERENCE_MARGIN_MS - 1);
    await engine.check(zoe, 'vault', vault.place);
    cost();
    await eve(engine);
    expect(cost()).toEqual([1, 5]);
    expect(eve(engine)).not.toBeInstanceOf(Promise);
    expect(cost()).toEqual([]);
  });

  test('a cold check is one call, however fresh the writes', async () => {
    await world.run('membership.create', { user: vault.eve, group: vault.group });
    cost();
    await eve(world.newEngine());
    expect(cost()).toEqual([5]);
  });
});

describe("a tenant's first DENY on a permission, of which the cache has one half", () => {
  test.each([['cached'], ['strong']] as const)('is read, and is no damage: %s', async (freshness) => {
    const engine = world.newEngine();
    await eve(engine);
    later();
    const lock = (await world.run('role.create', { name: 'locked', scope: vault.place })).id;
    await world.run('role-permission.create', { role: lock, permission: 'vault', effect: 'DENY' });
    later();
    // Brings the place anew, which now says that there is a DENY; that there was none is still cached.
    await engine.check(zoe, 'elsewhere', vault.place, { freshness: 'strong' });
    expect(await engine.check(`user:${vault.eve}`, 'vault', vault.place, { freshness })).toEqual({
      allowed: false,
      reason: 'no_grant',
    });
  });
});
