import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decisionKey, edgeKey, nodeKey } from '../../../table/keys.ts';
import type { Writer } from '../../../table/writer.ts';
import { commandsOf, outcomeOf } from '../../support/world.ts';
import { findingsOn } from '../findings.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from '../support.ts';

/** Groups that identity providers fill: two connections of the tenant acme, and one of another tenant. */
const MANIFEST = `
pages: [home]
scopes:
  acme: { id: acme, type: tenant }
  north: { id: north, type: location, parent: acme, code: N }
  other: { id: other, type: tenant }
roles: { reader: { id: reader, owner: acme, allowOnly: true, allow: [home] } }
groups: { finance: { id: finance, scope: north, roles: [reader], allowOnly: true } }
externalGroups: [{ scope: acme, issuer: "https://login.acme.example", externalId: fin, group: finance }]
users:
  ann: { id: ann, email: ann@acme.example }
  bea: { id: bea, email: bea@acme.example }
`;
const ISSUER = 'https://login.acme.example';
const GONE = { code: 'not_found', field: 'group', message: expect.stringContaining('this group') };

let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(MANIFEST);
  await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
  for (const [id, tenant] of Object.entries({ a: 'acme', b: 'acme', z: 'other' })) {
    const of = { id, scope: `tenant:${tenant}`, name: 'staff', issuer: ISSUER };
    await world.run('scim-connection.create', of);
  }
});
afterEach(async () => expect(await findingsOn(world)).toEqual([]));

const link = (connection: string, user: string) =>
  world.run('scim-user.create', { connection, userName: user, email: `${user}@acme.example` });
const create = (input: Input) => world.run('scim-group.create', { connection: 'a', ...input });
const members = (input: Input, operationId?: string) =>
  world.provision({
    command: 'scim-group.members',
    input: { connection: 'a', group: 'finance', ...input },
    ...(operationId ? { operationId } : {}),
  });
const edge = (user: string, group = 'finance') =>
  world.reader.get(edgeKey({ type: 'user', id: user }, { type: 'group', id: group }));
const isIn = async (user: string, group = 'finance'): Promise<boolean> => {
  const item = await world.reader.get(decisionKey({ type: 'user', id: user }));
  return item?.groups instanceof Set && item.groups.has(group);
};
/** Transactions that a change takes. */
async function counted(change: () => Promise<unknown>): Promise<number> {
  const before = world.transactions.length;
  await change();
  return world.transactions.length - before;
}

describe('a group of a connection', () => {
  test('is the one that the tenant says the external group means', async () => {
    const made = await create({ displayName: 'Finance', externalId: 'fin' });
    expect(made).toMatchObject({ group: 'finance', displayName: 'Finance', root: 'tenant:acme' });
    expect(await world.reader.get(nodeKey({ type: 'group', id: 'finance' }))).not.toHaveProperty('source');
    expect(
      await world.outcome('scim-group.create', { connection: 'a', displayName: 'X', externalId: 'fin' }),
    ).toBe('conflict externalId');
    // Each connection has links of its own.
    await world.run('scim-group.create', { connection: 'b', displayName: 'Finance', externalId: 'fin' });
  });

  test('is otherwise made: allow-only, at the tenant, called as it is there', async () => {
    const { group } = await create({ displayName: `Guests #1 ${'x'.repeat(200)}` });
    const node = await world.run('group.read', { id: group });
    expect(node).toMatchObject({ scope: 'tenant:acme', allowOnly: true, source: 'a' });
    expect(node.name).toBe(`Guests ＃1 ${'x'.repeat(118)}`);
    expect(await world.refused('group.delete', { id: group })).toMatchObject({ code: 'conflict' });
    expect(await world.refused('scim-connection.delete', { id: 'a' })).toMatchObject({ code: 'conflict' });
    // Another tenant’s mapping is none of its own.
    const named = { connection: 'z', displayName: 'Finance', externalId: 'fin' };
    const { group: elsewhere } = await world.run('scim-group.create', named);
    expect(await world.run('group.read', { id: elsewhere })).toMatchObject({ scope: 'tenant:other' });
  });

  test('has names of its own in its connection, and is found by them', async () => {
    const { group } = await create({ displayName: 'Staff', externalId: 'S1' });
    const taken = { connection: 'a', displayName: 'sTAFF' };
    expect(await world.outcome('scim-group.create', taken)).toBe('conflict displayName');
    expect(await world.run('scim-group.find', taken)).toMatchObject({ group });
    const find = (connection: string, externalId: string) =>
      ['scim-group.find', { connection, externalId }] as const;
    expect(await world.run(...find('a', 'S1'))).toMatchObject({ group });
    for (const none of [find('a', 's1'), find('b', 'S1')])
      expect(await world.outcome(...none)).toBe('not_found externalId');
  });

  test('is called otherwise, and so is the group that it made; what is so already is not written', async () => {
    const { group } = await create({ displayName: 'Staff', externalId: 'S1' });
    const change = { connection: 'a', group, displayName: 'All', externalId: null };
    expect(await world.run('scim-group.update', change)).toMatchObject({ displayName: 'All' });
    expect(await world.run('group.read', { id: group })).toMatchObject({ name: 'All' });
    expect(await counted(() => world.run('scim-group.update', change))).toBe(0);
    await create({ displayName: 'Finance', externalId: 'fin' });
    await world.run('scim-group.update', { connection: 'a', group: 'finance', displayName: 'Money' });
    expect(await world.run('group.read', { id: 'finance' })).toMatchObject({ name: 'finance' });
  });

  test('is not there for others, and neither are its users: as what nobody has', async () => {
    await link('a', 'ann');
    await create({ displayName: 'Finance', externalId: 'fin' });
    for (const [command, key, id, more] of [
      ['scim-group.update', 'group', 'finance', { displayName: 'X' }],
      ['scim-group.members', 'group', 'finance', { add: [] }],
      ['scim-group.list-members', 'group', 'finance', {}],
      ['scim-group.delete', 'group', 'finance', {}],
      ['scim-user.read', 'user', 'ann', {}],
      ['scim-user.update', 'user', 'ann', { active: false }],
      ['scim-user.delete', 'user', 'ann', {}],
    ] as const)
      for (const connection of ['b', 'z', 'nobody']) {
        const none = await world.refused(command, { connection, [key]: 'none', ...more });
        expect(none.code).toBe('not_found');
        expect(await world.refused(command, { connection, [key]: id, ...more }), command).toEqual(none);
      }
  });
});

describe('its members', () => {
  beforeEach(async () => {
    for (const user of ['ann', 'bea']) await link('a', user);
    await create({ displayName: 'Finance', externalId: 'fin' });
  });

  test('come and go, with a record of each membership', async () => {
    expect(await members({ add: ['ann', 'bea'] })).toMatchObject({ ok: true });
    expect([await isIn('ann'), await isIn('bea')]).toEqual([true, true]);
    const listed = await world.listed('scim-group.list-members', { connection: 'a', group: 'finance' });
    expect(listed).toMatchObject(['ann', 'bea'].map((user) => ({ user, origins: ['a'] })));
    expect(await world.listed('scim-user.list-groups', { connection: 'a', user: 'ann' })).toMatchObject([
      { group: 'finance', displayName: 'Finance' },
    ]);
    await members({ remove: ['ann'] });
    expect([await isIn('ann'), await edge('ann')]).toEqual([false, undefined]);
    const records = (await world.listed('audit.list', { tenant: 'tenant:acme' }))
      .filter(({ action }) => action === 'scim-group.members')
      .map(({ entityId, after }) => `${entityId}: ${after ? 'comes' : 'goes'}`);
    const said = ['ann finance: comes', 'bea finance: comes', 'ann finance: goes'];
    expect(records).toEqual(expect.arrayContaining(said));
  });

  test('are replaced; those whom others give stay', async () => {
    await members({ add: ['ann'] });
    await world.run('membership.create', { user: 'ann', group: 'finance' });
    expect(await members({ replace: ['bea'] })).toMatchObject({ ok: true });
    expect([(await edge('ann'))?.origins, (await edge('bea'))?.origins]).toEqual([undefined, ['a']]);
    expect([await isIn('ann'), await isIn('bea')]).toEqual([true, true]);
  });

  test('come no more once the tenant takes back what the external group means', async () => {
    await members({ add: ['ann'] });
    const [mapping] = (await world.run('external-group.list', { scope: 'tenant:acme' })).items as Input[];
    await world.run('external-group.delete', { id: mapping?.id });
    expect(await members({ add: ['bea'] })).toMatchObject({ error: { code: 'invalid', field: 'members' } });
    expect(await members({ remove: ['ann'] })).toMatchObject({ ok: true });
    expect([await isIn('ann'), await isIn('bea')]).toEqual([false, false]);
  });

  test('that come while an empty group is deleted are seen', async () => {
    let isFirst = true;
    const listAll: typeof world.reader.listAll = async (query) => {
      const items = await world.reader.listAll(query);
      if (isFirst) {
        isFirst = false;
        expect(await members({ add: ['ann'] })).toMatchObject({ ok: true });
      }
      return items;
    };
    const { run } = commandsOf({ ...world, reader: { ...world.reader, listAll } });
    await run('scim-group.delete', { connection: 'a', group: 'finance' });
    expect([isFirst, await edge('ann')]).toEqual([false, undefined]);
  });

  test('are at most 1,000 in one change', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `user-${n}`);
    expect(await members({ add: many(1_001) })).toMatchObject({ error: { code: 'invalid', field: 'add' } });
    const both = await members({ add: many(600), remove: many(401) });
    expect(outcomeOf(both)).toBe('limit_exceeded members');
  });

  test('that are suspended with their user are shown as access, and count at no instant', async () => {
    await members({ add: ['ann'] });
    await world.run('scim-user.update', { connection: 'a', user: 'ann', active: false });
    const access = (of: Input) => world.run('user.access', { id: 'ann', ...of });
    expect((await access({ at: '2030-01-01T00:00:00Z' })).items).toEqual([]);
    expect((await access({})).items).toHaveLength(1);
  });
});

describe('while members are changed', () => {
  beforeEach(async () => {
    for (const user of ['ann', 'bea']) await link('a', user);
    await create({ displayName: 'Finance', externalId: 'fin' });
  });
  const add = { command: 'scim-group.members', input: { connection: 'a', group: 'finance', add: ['ann'] } };
  const [LINK, GROUP] = [
    { connection: 'a', user: 'ann' },
    { connection: 'a', group: 'finance' },
  ];
  const say = (active: boolean) => ({ command: 'scim-user.update', input: { ...LINK, active } });
  const ended = (command: string, input: Input) => ({ command, input });
  const NOBODY = { error: { code: 'invalid', field: 'members' } };
  const DONE = { ok: true };
  const [NONE, SUSPENDED, COUNTS] = [
    [false, undefined],
    [false, ['a']],
    [true, undefined],
  ] as const;

  type Event = typeof add | ReturnType<typeof ended>;
  test.each<
    [string, Event, meanwhile: Event, answer: object, readonly [counts: boolean, suspended: unknown]]
  >([
    ['nobody comes whose link goes', add, ended('scim-user.delete', LINK), NOBODY, NONE],
    ['nobody comes who goes', add, ended('user.delete', { id: 'ann' }), NOBODY, NONE],
    ['nobody comes to a group that goes', add, ended('scim-group.delete', GROUP), { error: GONE }, NONE],
    ['who is no longer active is suspended', add, say(false), DONE, SUSPENDED],
    ['who comes while the user is suspended is, too', say(false), add, DONE, SUSPENDED],
    ['who comes while the link goes is gone', ended('scim-user.delete', LINK), add, DONE, NONE],
    ['who comes while the group goes is gone', ended('scim-group.delete', GROUP), add, DONE, NONE],
  ])('%s', async (_, event, meanwhile, answer, membership) => {
    const act = () => world.run(meanwhile.command, meanwhile.input);
    expect(await world.provisionAround(event, act)).toMatchObject(answer);
    expect([await isIn('ann'), (await edge('ann'))?.suspended]).toEqual(membership);
    expect((await edge('ann')) === undefined).toBe(membership === NONE);
  });

  test('who is active again counts', async () => {
    await world.run(say(false).command, say(false).input);
    const act = () => world.run(say(true).command, say(true).input);
    expect(await world.provisionAround(add, act)).toMatchObject(DONE);
    expect([await isIn('ann'), (await edge('ann'))?.suspended]).toEqual(COUNTS);
  });

  test('an operator and another connection give the same: all do', async () => {
    await link('b', 'ann');
    await world.run('scim-group.create', { connection: 'b', displayName: 'Money', externalId: 'fin' });
    const answer = await world.provisionAround(add, async () => {
      await world.run('membership.create', { user: 'ann', group: 'finance' });
      await world.run(add.command, { ...add.input, connection: 'b' });
    });
    expect(answer).toMatchObject({ ok: true });
    expect((await edge('ann'))?.origins).toEqual(['a', 'b', 'hand']);
  });

  test('the mapping goes while a group is linked by it: one is made', async () => {
    await world.run('scim-group.delete', { connection: 'a', group: 'finance' });
    const [{ id } = { id: '' }] = await world.listed('external-group.list', { scope: 'tenant:acme' });
    const input = { connection: 'a', displayName: 'F', externalId: 'fin' };
    const makes = { command: 'scim-group.create', input };
    const answer = await world.provisionAround(makes, () => world.run('external-group.delete', { id }));
    expect(answer).toMatchObject({ ok: true, result: { group: expect.not.stringMatching(/^finance$/) } });
  });
});

describe('many members', () => {
  const users = Array.from({ length: 30 }, (_, n) => `user-${String(n).padStart(2, '0')}`);
  beforeEach(async () => {
    for (const id of users) {
      await world.run('user.create', { id, email: `${id}@acme.example` });
      await link('a', id);
    }
    await create({ displayName: 'Finance', externalId: 'fin' });
  });
  const inGroup = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const id of users) if (await isIn(id)) found.push(id);
    return found;
  };

  test('go before others come; a change that is stopped after each step goes on when it is sent again', async () => {
    const [old, stay, fresh] = [users.slice(0, 16), users.slice(14, 16), users.slice(14)];
    await members({ replace: old });
    const writer: { send: Writer['send'] } = world.writer;
    const { send } = writer;
    let left = 0;
    writer.send = async (...args) => {
      if (left-- <= 0) throw new Error('killed');
      await send(...args);
    };
    const seen: (readonly string[])[] = [];
    for (let isDone = false; !isDone; ) {
      left = 1;
      isDone = (await members({ replace: fresh }, 'sync-1')).ok;
      seen.push(await inGroup());
    }
    writer.send = send;
    expect(seen.length).toBeGreaterThan(2);
    for (const each of seen) {
      expect(each).toEqual(expect.arrayContaining(stay));
      expect([old, fresh].some((all) => each.every((id) => all.includes(id)))).toBe(true);
    }
    expect(await inGroup()).toEqual(fresh);
    expect(await counted(() => members({ replace: fresh }, 'sync-1'))).toBe(0);
  });

  test('end in steps with the link, which takes no more of them', async () => {
    await members({ replace: users });
    const end = () => world.run('scim-group.delete', { connection: 'a', group: 'finance' });
    expect(await counted(end)).toBe(5);
    expect(await inGroup()).toEqual([]);
  });
});
