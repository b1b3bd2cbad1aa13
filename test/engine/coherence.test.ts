import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_COHERENCE_MARGIN_MS, type Engine } from '../../engine/index.ts';
import { createWorld, type World } from '../support/world.ts';

/**
 * Every answer was true at some single instant (SPEC section 2). In each story the user is never allowed at
 * any instant; items that were cached at different times, put together, would allow.
 */
let world: World;
const id: Record<string, string> = {};
const place = () => `location:${id.place}`;
const elsewhere = () => `location:${id.elsewhere}`;

beforeEach(async () => {
  world = await createWorld();
  const make = async (name: string, command: string, input: Record<string, unknown>) => {
    id[name] = (await world.run(command, input)).id;
  };
  await world.run('page.create', { name: 'vault' });
  await make('place', 'location.create', { name: 'Place' });
  await make('elsewhere', 'location.create', { name: 'Elsewhere' });
  await make('role', 'role.create', { name: 'keeper', scope: 'tenant' });
  await world.run('role-permission.create', { role: id.role, permission: 'vault', effect: 'ALLOW' });
  await make('group', 'group.create', { scope: place(), name: 'keepers' });
  await make('eve', 'user.create', {});
  await make('zoe', 'user.create', {});
  world.settle();
});

const eve = (engine: Engine, where = place()) => engine.check(`user:${id.eve}`, 'vault', where);
const later = () => world.clock.advance(10_000);

/** The role was given only after Eve had left; her old membership is still cached. */
async function removedThenGranted(engine: Engine) {
  await world.run('membership.create', { user: id.eve, group: id.group });
  later();
  await eve(engine, elsewhere());
  later();
  await world.run('membership.delete', { user: id.eve, group: id.group });
  later();
  await world.run('group-role.create', { group: id.group, role: id.role });
  later();
  return eve(engine);
}

/** Eve came only after the role had been taken away; the group's old role is still cached. */
async function withdrawnThenJoined(engine: Engine) {
  await world.run('group-role.create', { group: id.group, role: id.role });
  later();
  await engine.check(`user:${id.zoe}`, 'vault', place());
  later();
  await world.run('group-role.delete', { group: id.group, role: id.role });
  later();
  await world.run('membership.create', { user: id.eve, group: id.group });
  later();
  return eve(engine);
}

/** The DENY was lifted only after Eve had lost her role; that she had it is still cached. */
async function revokedThenUnlocked(engine: Engine) {
  await world.run('location.update', { id: id.place, combination: 'deny-overrides' });
  const lock = (await world.run('role.create', { name: 'locked', scope: place() })).id;
  await world.run('role-permission.create', { role: lock, permission: 'vault', effect: 'DENY' });
  const grant = { user: id.eve, scope: place() };
  await world.run('grant.create', { ...grant, roles: [id.role, lock] });
  later();
  await eve(engine, elsewhere());
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

describe('what it costs', () => {
  const cost = () => world.calls.splice(0).map(({ keys }) => keys);

  test('what was written longer ago than the margin before the oldest read is taken as it is', async () => {
    const engine = world.newEngine();
    await engine.check(`user:${id.zoe}`, 'vault', place());
    cost();
    await eve(engine);
    expect(cost()).toEqual([1]);
  });

  test('within the margin, or since that read, all of it is read again, once, in one call', async () => {
    const engine = world.newEngine();
    await world.run('user.update', { id: id.eve, displayName: 'Eve', status: 'active' });
    world.clock.advance(DEFAULT_COHERENCE_MARGIN_MS - 1);
    await engine.check(`user:${id.zoe}`, 'vault', place());
    cost();
    await eve(engine);
    expect(cost()).toEqual([1, 5]);
    expect(eve(engine)).not.toBeInstanceOf(Promise);
    expect(cost()).toEqual([]);
  });

  test('a cold check is one call, however fresh the writes', async () => {
    await world.run('membership.create', { user: id.eve, group: id.group });
    cost();
    await eve(world.newEngine());
    expect(cost()).toEqual([5]);
  });
});
