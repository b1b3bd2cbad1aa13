import { beforeEach, describe, expect, test } from 'vitest';
import { outcomeOf } from '../support/world.ts';
import { createLedgerWorld, type Input, isEmptied, type LedgerWorld } from './support.ts';
import { expectWhole } from './whole.ts';

/**
 * One command between what another has read and what it writes. The later one never writes from what is no
 * longer so: it plans again, and either both have happened or it is refused for what is now the case.
 */
let world: LedgerWorld;
const ACME = 'tenant:acme';
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(`
pages: [page]
scopes: { acme: { id: acme, type: tenant } }
roles: { role: { id: role, owner: acme }, other: { id: other, owner: acme }, third: { id: third, owner: acme } }
groups: { group: { id: group, scope: acme } }
users: { ann: { id: ann, email: ann@example.com } }
`);
});

type Sent = readonly [command: string, input: Input];

/** Runs `first` between the reading and the writing of `second`, and checks that the table is whole. */
async function race(
  second: Sent,
  first: Sent | (() => Promise<unknown>),
): Promise<Awaited<ReturnType<LedgerWorld['provision']>>> {
  const act = typeof first === 'function' ? first : () => world.run(...first);
  const answer = await world.provisionAround({ command: second[0], input: second[1] }, act);
  await expectWhole(world);
  return answer;
}
const nodeOf = (type: string, name: string) => (type === 'page' ? { name } : { id: name });

describe('a deletion takes along the edge that came meanwhile', () => {
  const ANN = { user: 'ann' };
  const edges: Readonly<Record<string, Input>> = {
    'membership.create': { ...ANN, group: 'group' },
    'group-role.create': { group: 'group', role: 'role' },
    'role-permission.create': { role: 'role', permission: 'page', effect: 'ALLOW' },
    'assignment.create': { ...ANN, role: 'role', scope: ACME },
    'grant.create': { ...ANN, scope: ACME, roles: ['role'] },
    'admin.create': ANN,
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
      const answer = await race([`${type}.delete`, node], [command, edges[command] ?? {}]);
      expect(answer).toMatchObject({ ok: true });
      expect(await world.refused(`${type}.read`, nodeOf(type, name))).toMatchObject({ code: 'not_found' });
    },
  );

  test.each(cases.flatMap(([type, name, commands]) => commands.map((command) => ({ type, name, command }))))(
    '$command around $type.delete finds an end missing, and leaves nothing',
    async ({ type, name, command }) => {
      const node = nodeOf(type, name);
      const answer = await race([command, edges[command] ?? {}], [`${type}.delete`, node]);
      expect(answer).toMatchObject({ ok: false, error: { code: 'not_found', retryable: false } });
    },
  );
});

describe('a deletion is refused for what came meanwhile', () => {
  test.each<[string, string, string, Input]>([
    ['tenant.delete', 'a location', 'location.create', { name: 'x', parent: ACME }],
    ['tenant.delete', 'a group', 'group.create', { name: 'x', scope: ACME }],
    ['tenant.delete', 'a role', 'role.create', { name: 'x', scope: ACME }],
    ['role.delete', 'a role that inherits', 'role.create', { name: 'x', scope: ACME, parent: 'role' }],
    ['role.delete', 'a role that now inherits', 'role.update', { id: 'other', parent: 'role' }],
  ])('%s, for %s', async (command, _, meanwhile, input) => {
    const isTenant = command === 'tenant.delete';
    if (isTenant) {
      await world.run('group.delete', { id: 'group' });
      for (const name of ['role', 'other', 'third']) await world.run('role.delete', { id: name });
    }
    const answer = await race([command, { id: isTenant ? 'acme' : 'role' }], [meanwhile, input]);
    expect(outcomeOf(answer)).toBe('conflict id');
  });
});

describe('two changes of one thing', () => {
  const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  const ASSIGNED = { user: 'ann', role: 'role', scope: ACME };
  const GRANT = { user: 'ann', scope: ACME };
  const ROUTE = { id: 'route', method: 'GET', path: '/x', permission: 'one', scope: 'tenant:{claim:one}' };
  const assignment = (verb: string, more: Input = {}): Sent => [
    `assignment.${verb}`,
    { ...ASSIGNED, ...more },
  ];
  const grant = (verb: string, ...roles: readonly string[]): Sent => [
    `grant.${verb}`,
    { ...GRANT, ...(roles.length > 0 ? { roles } : {}) },
  ];
  const route = (verb: string, more: Input): Sent => [`route.${verb}`, more];
  const ann = (verb: string, more: Input = {}): Sent => [`user.${verb}`, { id: 'ann', ...more }];

  test.each<[string, before: Sent, second: Sent, first: Sent, read: Sent, wanted: Input]>([
    [
      'the start and the end of an assignment: both stand',
      assignment('create'),
      assignment('update', { endsAt: late }),
      assignment('update', { startsAt: early }),
      assignment('read'),
      { startsAt: early, endsAt: late },
    ],
    [
      'the roles of a grant: the later change stands, and no role is held by halves',
      grant('create', 'role'),
      grant('update', 'third'),
      grant('update', 'role', 'other'),
      grant('read'),
      { roles: ['third'] },
    ],
    [
      'a role, and a grant that is given another role',
      grant('create', 'role'),
      ['role.delete', { id: 'role' }],
      grant('update', 'role', 'other'),
      grant('read'),
      { roles: ['other'] },
    ],
    [
      'the permission and the scope of a route',
      route('create', ROUTE),
      route('update', { id: 'route', permission: 'two' }),
      route('update', { id: 'route', scope: 'tenant:{claim:two}' }),
      route('read', { id: 'route' }),
      { permission: 'two', scope: 'tenant:{claim:two}' },
    ],
    [
      'the address of a user and its provider',
      ann('update', { displayName: 'Ann' }),
      ann('update', { email: 'bea@example.com' }),
      ann('update', { emailProvider: 'github' }),
      ann('read'),
      { email: 'bea@example.com', emailProvider: 'github' },
    ],
  ])('%s', async (_, before, second, first, read, wanted) => {
    await world.run(...before);
    expect(await race(second, first)).toMatchObject({ ok: true });
    expect(await world.run(...read)).toMatchObject(wanted);
  });

  test('an end before the start that came meanwhile is refused', async () => {
    await world.run(...assignment('create'));
    const [end, start] = [{ endsAt: early }, { startsAt: late }].map((date) => assignment('update', date));
    expect(outcomeOf(await race(end as Sent, start as Sent))).toBe('invalid endsAt');
  });

  test('an assignment that was deleted and made anew is changed as it is now', async () => {
    await world.run(...assignment('create', { startsAt: early }));
    await race(assignment('update', { endsAt: late }), async () => {
      await world.run(...assignment('delete'));
      await world.run(...assignment('create'));
    });
    expect(await world.run(...assignment('read'))).not.toHaveProperty('startsAt');
  });

  test('a grant goes with the roles that it was given meanwhile', async () => {
    await world.run(...grant('create', 'role'));
    expect(await race(grant('delete'), grant('update', 'other'))).toMatchObject({ ok: true });
  });

  test('the last two effects on a permission: neither is left', async () => {
    for (const role of ['role', 'other']) {
      await world.run('role-permission.create', { role, permission: 'page', effect: 'ALLOW' });
    }
    await race(
      ['role-permission.delete', { role: 'role', permission: 'page' }],
      ['role-permission.delete', { role: 'other', permission: 'page' }],
    );
    const effects = await world.reader.listAll({
      ranges: [{ partition: 'TENANT#acme', prefix: 'DECISION#' }],
    });
    expect(effects.every(isEmptied)).toBe(true);
  });
});

test('who is overtaken time and again is told to try again, and has written nothing', async () => {
  let turn = 0;
  const overtake = () => world.run('user.update', { id: 'ann', email: `turn${++turn}@example.com` });
  const event = { command: 'user.update', input: { id: 'ann', email: 'never@example.com' } };
  expect(await world.provisionAround(event, overtake, 100)).toMatchObject({
    error: { code: 'stale', field: 'id', retryable: true },
  });
  expect(await world.run('user.read', { id: 'ann' })).toMatchObject({ email: `turn${turn}@example.com` });
  expect(turn).toBeLessThan(20);
});

describe('a node that was deleted and made anew under its id is another one', () => {
  const later = () => world.clock.advance(1);

  test('a group with as many changes as the old one had: its members go with it', async () => {
    const group = { id: 'group', scope: ACME };
    await world.run('group.update', { id: group.id, name: 'renamed' });
    const answer = await race(['group.delete', { id: group.id }], async () => {
      await world.run('group.delete', { id: group.id });
      later();
      await world.run('group.create', { ...group, name: 'renamed' });
      await world.run('membership.create', { user: 'ann', group: group.id });
    });
    expect(answer).toMatchObject({ ok: true });
    expect(await world.listed('membership.list', { user: 'ann' })).toEqual([]);
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
      await world.run('group.delete', { id: 'group' });
      later();
      await world.run('group.create', { id: 'group', name: 'staff', scope: `tenant:${other}` });
    };
    const give = { group: 'group', role: 'role' };
    expect(outcomeOf(await race(['group-role.create', give], elsewhere))).toBe('invalid role');
  });

  test('a role that one tenant owns now: nobody holds it everywhere', async () => {
    const role = (await world.run('role.create', { name: 'global', scope: 'global' })).id;
    const owned = async () => {
      await world.run('role.delete', { id: role });
      later();
      await world.run('role.create', { id: role, name: 'owned', scope: ACME });
    };
    const answer = await race(['global-role.create', { user: 'ann', role }], owned);
    expect(outcomeOf(answer)).toBe('invalid role');
  });
});
