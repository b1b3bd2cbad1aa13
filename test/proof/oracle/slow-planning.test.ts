import { beforeEach, expect, test } from 'vitest';
import { createProvisioning } from '../../../provisioning/index.ts';
import type { Reader } from '../../../table/reader.ts';
import { createVault, type Vault } from '../../support/vault.ts';

/**
 * The margin for coherence counts from a write's stamp to its arrival. A command reads before it
 * writes, which may take longer than the margin: the stamp is of the sending, not of the beginning.
 */
let vault: Vault;
let world: Vault['world'];
beforeEach(async () => {
  vault = await createVault();
  world = vault.world;
  await world.run('membership.create', { user: vault.eve, group: vault.group });
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
    input: { group: vault.group, role: vault.role },
  });
  if (!answer.ok) throw new Error(answer.error.message);
  expect(isFirst).toBe(false);
  return String(answer.token);
}

test('atLeast never answers from before a write that was long in planning', async () => {
  const engine = world.newEngine();
  const eve = `user:${vault.eve}`;
  const token = await giveRoleSlowly(async () => {
    world.clock.advance(7_000);
    expect(await engine.check(eve, 'vault', vault.place)).toMatchObject({ reason: 'no_grant' });
    world.clock.advance(1_000);
  });
  expect(await engine.check(eve, 'vault', vault.place, { consistency: { atLeast: token } })).toMatchObject({
    reason: 'role',
  });
});

test('who was removed before a role came that was long in planning is not let in', async () => {
  const engine = world.newEngine();
  const eve = `user:${vault.eve}`;
  await giveRoleSlowly(async () => {
    world.clock.advance(7_000);
    await engine.check(eve, 'vault', vault.elsewhere);
    world.clock.advance(1_000);
    await world.run('membership.delete', { user: vault.eve, group: vault.group });
    world.clock.advance(1_000);
  });
  world.clock.advance(1_000);
  expect(await engine.check(eve, 'vault', vault.place)).toMatchObject({ reason: 'no_grant' });
});
