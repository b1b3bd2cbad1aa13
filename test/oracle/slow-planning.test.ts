import { beforeEach, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import type { Reader } from '../../table/read/reader.ts';
import { createWorld, type World } from '../support/world.ts';

/**
 * The margin for coherence and freshness counts from a write's stamp to its arrival. A command reads before it
 * writes, which may take longer than the margin: the stamp is of the sending, not of the beginning.
 */
let world: World;
const id: Record<string, string> = {};
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
  await make('group', 'group.create', { scope: `location:${id.place}`, name: 'keepers' });
  await make('eve', 'user.create', {});
  await world.run('membership.create', { user: id.eve, group: id.group });
  world.settle();
});

/** Gives the group its role; `meanwhile` happens after the first read, before anything is sent. */
async function giveRoleSlowly(meanwhile: () => Promise<unknown>): Promise<string> {
  let isFirst = true;
  const get: Reader['get'] = async (key) => {
    const item = await world.reader.get(key);
    if (isFirst) {
      isFirst = false;
      await meanwhile();
    }
    return item;
  };
  const provision = createProvisioning({
    ...world,
    reader: { ...world.reader, get },
    newId: () => '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
  });
  const answer = await provision({
    command: 'group-role.create',
    input: { group: id.group, role: id.role },
  });
  if (!answer.ok) throw new Error(answer.error.message);
  expect(isFirst).toBe(false);
  return answer.token;
}

test('atLeast never answers from before a write that was long in planning', async () => {
  const engine = world.newEngine();
  const eve = `user:${id.eve}`;
  const place = `location:${id.place}`;
  const token = await giveRoleSlowly(async () => {
    world.clock.advance(7_000);
    expect(await engine.check(eve, 'vault', place)).toMatchObject({ reason: 'no_grant' });
    world.clock.advance(1_000);
  });
  expect(await engine.check(eve, 'vault', place, { freshness: { atLeast: token } })).toMatchObject({
    reason: 'role',
  });
});

test('who was removed before a role came that was long in planning is not let in', async () => {
  const engine = world.newEngine();
  const eve = `user:${id.eve}`;
  await giveRoleSlowly(async () => {
    world.clock.advance(7_000);
    await engine.check(eve, 'vault', `location:${id.elsewhere}`);
    world.clock.advance(1_000);
    await world.run('membership.delete', { user: id.eve, group: id.group });
    world.clock.advance(1_000);
  });
  world.clock.advance(1_000);
  expect(await engine.check(eve, 'vault', `location:${id.place}`)).toMatchObject({ reason: 'no_grant' });
});
