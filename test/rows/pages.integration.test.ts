import { expect } from 'vitest';
import { ACCESS } from '../../provisioning/documents/access.ts';
import { row } from './row.ts';
import { create, newGroup, newLocation, newRole, newUser, setPage } from './setup.ts';
import { ROWS } from './table.ts';
import { furnish } from './world.ts';

/** Seed 003 as a whole: new pages, and what holds of every read. */
row('RB-18', async ({ world, reads, record }) => {
  const here = await newLocation(world);
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const [role, other] = [await newRole(world, 'rb18 a'), await newRole(world, 'rb18 b')];
  for (const [user, granted] of [
    [ann, role],
    [bob, other],
  ]) {
    const group = await newGroup(world, here);
    await world.run('group-role.create', { group, role: granted });
    await world.run('membership.create', { user, group });
  }
  // One process that was started before anybody had heard of the page, and is not started again.
  const engine = world.newEngine();
  const ask = async (user: string): Promise<string> => {
    world.settle();
    return (await record(() => engine.check(`user:${user}`, 'rb18-new', `location:${here}`))).reason;
  };
  expect(await reads('page.read', { name: 'rb18-new' })).toBeUndefined();
  expect(await ask(ann)).toBe('permission_unknown');
  await create(world, 'page', { name: 'rb18-new' });
  expect(await reads('page.read', { name: 'rb18-new' })).toMatchObject({ name: 'rb18-new' });
  expect(await ask(ann)).toBe('no_grant');
  await setPage(world, role, 'rb18-new', 'ALLOW');
  expect(await reads('role-permission.read', { role, permission: 'rb18-new' })).toMatchObject({
    effect: 'ALLOW',
  });
  expect(await ask(ann)).toBe('role');
  expect(await ask(bob)).toBe('no_grant');
  await world.run('page.delete', { name: 'rb18-new' });
  expect(await reads('role-permission.read', { role, permission: 'rb18-new' })).toBeUndefined();
  expect(await ask(ann)).toBe('permission_unknown');
});

row('RB-19', async ({ world, record }) => {
  const ofSeed = ACCESS.filter(({ rows }) => rows.some((id) => id.startsWith('RB-')));
  // Every read that is no decision has its command, and none declares an index or a Scan.
  const answered = new Set(ofSeed.flatMap(({ rows }) => rows));
  const asked = [...ROWS.keys()].filter((id) => 'RB-01' <= id && id <= 'RB-16');
  expect(asked.filter((id) => !answered.has(id))).toEqual([]);
  for (const { command, reads } of ofSeed)
    for (const read of reads) expect(['GetItem', 'BatchGetItem', 'Query'], command).toContain(read);

  // Nor does any make one, whatever it declares.
  await furnish(world);
  const ids: Readonly<Record<string, string>> = {
    user: 'ann',
    location: 'here',
    group: 'readers',
    role: 'teacher',
  };
  const inputs: Readonly<Record<string, string>> = {
    ...ids,
    scope: 'location:here',
    type: 'location',
    permission: 'grades',
    email: 'ann@example.com',
    code: 'NYC001',
  };
  for (const { command, by, reads } of ofSeed) {
    const [kind = ''] = command.split('.');
    const input: Record<string, unknown> = Object.fromEntries(
      by.map((name) => [name, name === 'id' ? ids[kind] : inputs[name]]),
    );
    if (by.includes('name')) input.name = kind === 'page' ? 'grades' : 'teacher';
    if (command === 'role.read' && by.includes('name')) input.scope = 'global';
    const found = await record(() => world.run(command, input));
    if (reads.includes('Query')) expect(found.items, command).not.toEqual([]);
  }
});
