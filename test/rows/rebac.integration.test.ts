import { expect } from 'vitest';
import { ACCESS } from '../../provisioning/documents/access.ts';
import { row } from './row.ts';
import { create, newGroup, newLocation, newRole, newUser, setPage } from './setup.ts';
import { ROWS } from './titles.ts';

/** Seed 003 as a whole: decisions, new pages, and what holds of every read. */
row('RB-17', async ({ world, record }) => {
  const [north, south, strict] = [
    await newLocation(world),
    await newLocation(world),
    await newLocation(world, { combination: 'deny-overrides' }),
  ];
  for (const name of ['dashboard', 'grades', 'payroll']) await world.run('page.create', { name });
  const [teacher, helper] = [await newRole(world, 'teacher'), await newRole(world, 'helper')];
  await setPage(world, teacher, 'dashboard', 'ALLOW');
  await setPage(world, teacher, 'grades', 'ALLOW');
  await setPage(world, helper, 'grades', 'DENY');
  const [ann, bob, eve] = [await newUser(world), await newUser(world), await newUser(world)];
  /** A group with one role at a place, and Ann in it. */
  const join = async (at: string, role: string) => {
    const group = await newGroup(world, at);
    await world.run('group-role.create', { group, role });
    await world.run('membership.create', { user: ann, group });
    return group;
  };
  const teachers = await join(north, teacher);
  for (const at of [north, strict]) await join(at, helper);
  await join(strict, teacher);
  // In a place, and in a group without a role: neither grants anything.
  await world.run('grant.create', { user: bob, scope: `location:${north}` });
  await world.run('membership.create', { user: bob, group: await newGroup(world, north) });

  /** The reason, with nothing cached and nothing just written: one call, whatever the answer. */
  const ask = async (who: string, name: string, at: string): Promise<string> => {
    world.settle();
    const engine = world.newEngine();
    const before = world.calls.length;
    const decision = await record(() => engine.check(`user:${who}`, name, `location:${at}`));
    expect(world.calls.slice(before).map(({ operation }) => operation)).toEqual(['BatchGetItem']);
    expect(decision.allowed).toBe(['role', 'admin'].includes(decision.reason));
    return decision.reason;
  };
  expect(await ask(ann, 'dashboard', north)).toBe('role');
  expect(await ask(ann, 'dashboard', south)).toBe('no_grant');
  expect(await ask(ann, 'payroll', north)).toBe('no_grant');
  expect(await ask(ann, 'unheard-of', north)).toBe('permission_unknown');
  expect(await ask(bob, 'dashboard', north)).toBe('no_grant');
  // One ALLOW is enough, unless the place chose that one DENY refuses.
  expect(await ask(ann, 'grades', north)).toBe('role');
  expect(await ask(ann, 'grades', strict)).toBe('denied_by_role');
  expect(await ask(ann, 'dashboard', strict)).toBe('role');
  await world.run('admin.create', { user: eve });
  expect(await ask(eve, 'payroll', south)).toBe('admin');
  expect(await ask(eve, 'unheard-of', south)).toBe('permission_unknown');
  await world.run('admin.delete', { user: eve });
  expect(await ask(eve, 'payroll', south)).toBe('no_grant');

  // Each tie that goes takes the right with it; what is left of grades at north is the helper's DENY.
  await world.run('role-permission.delete', { role: teacher, permission: 'dashboard' });
  expect(await ask(ann, 'dashboard', north)).toBe('no_grant');
  await world.run('group-role.delete', { group: teachers, role: teacher });
  expect(await ask(ann, 'grades', north)).toBe('denied_by_role');
  await world.run('group-role.create', { group: teachers, role: teacher });
  expect(await ask(ann, 'grades', north)).toBe('role');
  await world.run('membership.delete', { user: ann, group: teachers });
  expect(await ask(ann, 'grades', north)).toBe('denied_by_role');
  await world.run('location.update', { id: strict, status: 'suspended' });
  expect(await ask(ann, 'grades', strict)).toBe('scope_inactive');
  await world.run('user.update', { id: ann, status: 'disabled' });
  expect(await ask(ann, 'grades', north)).toBe('subject_inactive');
});

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
  const asked = ROWS.filter(({ id }) => 'RB-01' <= id && id <= 'RB-16');
  expect(asked.filter(({ id }) => !answered.has(id))).toEqual([]);
  for (const { command, reads } of ofSeed)
    for (const read of reads) expect(['GetItem', 'BatchGetItem', 'Query'], command).toContain(read);

  // Nor does any make one, whatever it declares.
  const at = await newLocation(world, { code: 'RB19' });
  const user = await create(world, 'user', { email: 'ann.rb19@example.com' });
  const [inGroup, role] = [await newGroup(world, at), await newRole(world, 'rb19')];
  await create(world, 'page', { name: 'rb19' });
  await setPage(world, role, 'rb19', 'ALLOW');
  await world.run('group-role.create', { group: inGroup, role });
  await world.run('membership.create', { user, group: inGroup });
  await world.run('grant.create', { user, scope: `location:${at}` });
  const inputs: Record<string, string> = {
    ...{ user, group: inGroup, role, scope: `location:${at}`, type: 'location', permission: 'rb19' },
    ...{ email: 'ann.rb19@example.com', code: 'RB19', name: 'rb19' },
  };
  const ids: Record<string, string> = { user, location: at, group: inGroup, role };
  for (const { command, by, reads } of ofSeed) {
    const [kind = ''] = command.split('.');
    const input: Record<string, unknown> = Object.fromEntries(
      by.map((name) => [name, name === 'id' ? ids[kind] : inputs[name]]),
    );
    if (command === 'role.read' && by.includes('name')) input.scope = 'global';
    const found = await record(() => world.run(command, input));
    if (reads.includes('Query')) expect(found.items, command).toEqual([expect.anything()]);
  }
});
