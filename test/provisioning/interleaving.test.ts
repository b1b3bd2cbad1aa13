import { beforeEach, describe, expect, test } from 'vitest';
import { findingsOn } from './findings.ts';
import { createLightLedgerWorld, type Input, isEmptied, type LedgerWorld } from './support.ts';
import { expectWhole } from './whole.ts';

/**
 * One command between what another has read and what it writes. The later one never writes from what is no
 * longer so: it plans again, and either both have happened or it is refused for what is now the case.
 */
let world: LedgerWorld;
/** Each is its own id. */
const id = {
  tenant: 'acme',
  group: 'group',
  ann: 'ann',
  role: 'role',
  other: 'other',
  third: 'third',
  page: 'page',
};
beforeEach(async () => {
  world = await createLightLedgerWorld();
  await world.apply(`
pages: [page]
scopes: { acme: { id: acme, type: tenant } }
roles: { role: { id: role, owner: acme }, other: { id: other, owner: acme }, third: { id: third, owner: acme } }
groups: { group: { id: group, scope: acme } }
users: { ann: { id: ann, email: ann@example.com } }
`);
});
const acme = () => `tenant:${id.tenant}`;

/** Runs `first` between the reading and the writing of `second`, and checks that the table is whole. */
async function race(
  second: readonly [string, Input],
  first: readonly [string, Input] | (() => Promise<unknown>),
): Promise<Awaited<ReturnType<LedgerWorld['provision']>>> {
  const act = typeof first === 'function' ? first : () => world.run(...first);
  const answer = await world.provisionAround({ command: second[0], input: second[1] }, act);
  await expectWhole(world);
  expect(await findingsOn(world)).toEqual([]);
  return answer;
}
const nodeOf = (type: string, name: string) => (type === 'page' ? { name } : { id: name });

describe('a deletion takes along the edge that came meanwhile', () => {
  const ann = () => ({ user: id.ann });
  const edges: Readonly<Record<string, () => Input>> = {
    'membership.create': () => ({ ...ann(), group: id.group }),
    'group-role.create': () => ({ group: id.group, role: id.role }),
    'role-permission.create': () => ({ role: id.role, permission: id.page, effect: 'ALLOW' }),
    'assignment.create': () => ({ ...ann(), role: id.role, scope: acme() }),
    'grant.create': () => ({ ...ann(), scope: acme(), roles: [id.role] }),
    'admin.create': ann,
  };
  const cases = [
    ['user', 'ann', ['membership.create', 'assignment.create', 'grant.create', 'admin.create']],
    ['group', 'group', ['membership.create', 'group-role.create']],
    ['role', 'role', ['group-role.create', 'role-permission.create', 'assignment.create', 'grant.create']],
    ['page', 'page', ['role-permission.create']],
  ] as const;
  test.each(cases.flatMap(([type, name, commands]) => commands.map((command) => ({ type, name, command }))))(
    '$type.delete around $command',
    async ({ type, name, command }) => {
      const node = nodeOf(type, name);
      const answer = await race([`${type}.delete`, node], [command, edges[command]?.() ?? {}]);
      expect(answer).toMatchObject({ ok: true });
      expect(await world.refused(`${type}.read`, nodeOf(type, name))).toMatchObject({ code: 'not_found' });
    },
  );

  test.each(cases.flatMap(([type, name, commands]) => commands.map((command) => ({ type, name, command }))))(
    '$command around $type.delete finds an end missing, and leaves nothing',
    async ({ type, name, command }) => {
      const node = nodeOf(type, name);
      const answer = await race([command, edges[command]?.() ?? {}], [`${type}.delete`, node]);
      expect(answer).toMatchObject({ ok: false, error: { code: 'not_found', retryable: false } });
    },
  );
});

describe('a deletion is refused for what came meanwhile', () => {
  test.each([
    ['tenant.delete', 'a location', 'location.create', () => ({ name: 'x', parent: acme() })],
    ['tenant.delete', 'a group', 'group.create', () => ({ name: 'x', scope: acme() })],
    ['tenant.delete', 'a role', 'role.create', () => ({ name: 'x', scope: acme() })],
    [
      'role.delete',
      'a role that inherits',
      'role.create',
      () => ({ name: 'x', scope: acme(), parent: id.role }),
    ],
    ['role.delete', 'a role that now inherits', 'role.update', () => ({ id: id.other, parent: id.role })],
  ] as const)('%s, for %s', async (command, _, meanwhile, input) => {
    if (command === 'tenant.delete') {
      await world.run('group.delete', { id: id.group });
      for (const name of ['role', 'other', 'third']) await world.run('role.delete', { id: name });
    }
    const node = { id: command === 'tenant.delete' ? id.tenant : id.role };
    expect(await race([command, node], [meanwhile, input()])).toMatchObject({
      error: { code: 'conflict', field: 'id' },
    });
  });
});

describe('two changes of one thing', () => {
  const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  const assignment = () => ({ user: id.ann, role: id.role, scope: acme() });
  const grant = () => ({ user: id.ann, scope: acme() });

  test('the start and the end of an assignment: both stand', async () => {
    await world.run('assignment.create', assignment());
    await race(
      ['assignment.update', { ...assignment(), endsAt: late }],
      ['assignment.update', { ...assignment(), startsAt: early }],
    );
    expect(await world.run('assignment.read', assignment())).toMatchObject({ startsAt: early, endsAt: late });
  });

  test('an end before the start that came meanwhile is refused', async () => {
    await world.run('assignment.create', assignment());
    const answer = await race(
      ['assignment.update', { ...assignment(), endsAt: early }],
      ['assignment.update', { ...assignment(), startsAt: late }],
    );
    expect(answer).toMatchObject({ error: { code: 'invalid', field: 'endsAt' } });
  });

  test('an assignment that was deleted and made anew is changed as it is now', async () => {
    await world.run('assignment.create', { ...assignment(), startsAt: early });
    await world.provisionAround(
      { command: 'assignment.update', input: { ...assignment(), endsAt: late } },
      async () => {
        await world.run('assignment.delete', assignment());
        await world.run('assignment.create', assignment());
      },
    );
    expect(await world.run('assignment.read', assignment())).not.toHaveProperty('startsAt');
    await expectWhole(world);
  });

  test('the roles of a grant: the later change stands, and no role is held by halves', async () => {
    await world.run('grant.create', { ...grant(), roles: [id.role] });
    await race(
      ['grant.update', { ...grant(), roles: [id.third] }],
      ['grant.update', { ...grant(), roles: [id.role, id.other] }],
    );
    expect(await world.run('grant.read', grant())).toMatchObject({ roles: [id.third] });
  });

  test('a grant goes with the roles that it was given meanwhile', async () => {
    await world.run('grant.create', { ...grant(), roles: [id.role] });
    expect(
      await race(['grant.delete', grant()], ['grant.update', { ...grant(), roles: [id.other] }]),
    ).toMatchObject({
      ok: true,
    });
  });

  test('a role goes from the grant that was given another role meanwhile', async () => {
    await world.run('grant.create', { ...grant(), roles: [id.role] });
    await race(
      ['role.delete', { id: id.role }],
      ['grant.update', { ...grant(), roles: [id.role, id.other] }],
    );
    expect(await world.run('grant.read', grant())).toMatchObject({ roles: [id.other] });
  });

  test('the permission and the scope of a route: its rule has both', async () => {
    const route = { method: 'GET', path: '/x', permission: 'one', scope: 'tenant:{claim:one}' };
    const made = await world.run('route.create', route);
    await race(
      ['route.update', { id: made.id, permission: 'two' }],
      ['route.update', { id: made.id, scope: 'tenant:{claim:two}' }],
    );
    expect(await world.run('route.read', { id: made.id })).toMatchObject({
      permission: 'two',
      scope: 'tenant:{claim:two}',
    });
  });

  test('the address of a user and its provider: the guard has both', async () => {
    await race(
      ['user.update', { id: id.ann, email: 'bea@example.com' }],
      ['user.update', { id: id.ann, emailProvider: 'github' }],
    );
    const guard = (await world.everything()).find((item) => item.PK === 'EMAIL#bea@example.com');
    expect(guard).toMatchObject({ owner: `user:${id.ann}`, provider: 'github' });
  });

  test('the last two effects on a permission: neither is left', async () => {
    for (const role of [id.role, id.other]) {
      await world.run('role-permission.create', { role, permission: id.page, effect: 'ALLOW' });
    }
    await race(
      ['role-permission.delete', { role: id.role, permission: id.page }],
      ['role-permission.delete', { role: id.other, permission: id.page }],
    );
    const effects = await world.reader.listAll({
      ranges: [{ partition: `TENANT#${id.tenant}`, prefix: 'DECISION#' }],
    });
    expect(effects.every(isEmptied)).toBe(true);
  });
});

test('who is overtaken time and again is told to try again, and has written nothing', async () => {
  let turn = 0;
  const overtake = () => world.run('user.update', { id: id.ann, email: `turn${++turn}@example.com` });
  const event = { command: 'user.update', input: { id: id.ann, email: 'never@example.com' } };
  expect(await world.provisionAround(event, overtake, 100)).toMatchObject({
    error: { code: 'stale', field: 'id', retryable: true },
  });
  expect(await world.run('user.read', { id: id.ann })).toMatchObject({ email: `turn${turn}@example.com` });
  expect(turn).toBeLessThan(20);
});

describe('a node that was deleted and made anew under its id is another one', () => {
  const later = () => world.clock.advance(1);

  test('a group with as many changes as the old one had: its members go with it', async () => {
    const group = { id: id.group, scope: acme() };
    await world.run('group.update', { id: group.id, name: 'renamed' });
    const answer = await race(['group.delete', { id: group.id }], async () => {
      await world.run('group.delete', { id: group.id });
      later();
      await world.run('group.create', { ...group, name: 'renamed' });
      await world.run('membership.create', { user: id.ann, group: group.id });
    });
    expect(answer).toMatchObject({ ok: true });
    expect(await world.listed('membership.list', { user: id.ann })).toEqual([]);
  });

  test('a user with more unique values than the old one had: all of them are free again', async () => {
    const bea = { id: 'bea', username: 'bea' };
    await world.run('user.create', bea);
    const answer = await race(['user.delete', { id: bea.id }], async () => {
      await world.run('user.delete', { id: bea.id });
      later();
      await world.run('user.create', { ...bea, email: 'bea@example.com' });
    });
    expect(answer).toMatchObject({ ok: true });
    await world.run('user.create', { email: 'bea@example.com' });
  });

  test('a group in another tenant: it gets no role in the one where it was', async () => {
    const other = (await world.run('tenant.create', { name: 'Other' })).id;
    const elsewhere = async () => {
      await world.run('group.delete', { id: id.group });
      later();
      await world.run('group.create', { id: id.group, name: 'staff', scope: `tenant:${other}` });
    };
    const give = { group: id.group, role: id.role };
    expect(await race(['group-role.create', give], elsewhere)).toMatchObject({
      error: { code: 'invalid', field: 'role' },
    });
  });

  test('a role that one tenant owns now: nobody holds it everywhere', async () => {
    const role = (await world.run('role.create', { name: 'global', scope: 'global' })).id;
    const owned = async () => {
      await world.run('role.delete', { id: role });
      later();
      await world.run('role.create', { id: role, name: 'owned', scope: acme() });
    };
    expect(await race(['global-role.create', { user: id.ann, role }], owned)).toMatchObject({
      error: { code: 'invalid', field: 'role' },
    });
  });
});
