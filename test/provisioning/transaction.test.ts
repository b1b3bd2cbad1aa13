import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryTable } from '../../table/memory/index.ts';
import { commandsOf, createClock, outcomeOf } from '../support/world.ts';
import { findingsIn } from './findings.ts';
import { type Part, stateOf, together } from './put-together.ts';
import { createLedgerWorld, type Input, type LedgerWorld, NOBODY } from './support.ts';

describe('parts that touch the same', () => {
  let world: LedgerWorld;
  beforeEach(async () => {
    world = await createLedgerWorld();
    await world.apply(`
pages: [grades]
scopes: { Acme: { id: acme, type: tenant } }
roles: { teacher: { id: teacher, owner: Acme }, guard: { id: guard, owner: Acme } }
groups: { here: { id: here, scope: Acme }, there: { id: there, scope: Acme } }
users: { ann: { id: ann, email: ann@example.com, tenant: Acme, groups: [here] } }
`);
  });
  const part = (command: string, input: Input): Part => ({ command, input });
  const expectWhole = async () => expect(await findingsIn(await world.everything(), world.clock)).toEqual([]);
  const groups = async () =>
    (await world.listed('membership.list', { user: 'ann' })).map(({ group }) => group);
  const move = () => [
    part('membership.delete', { user: 'ann', group: 'here' }),
    part('membership.create', { user: 'ann', group: 'there' }),
  ];

  test('who joins a third group meanwhile is in that and in the new one', async () => {
    const third = (await world.run('group.create', { name: 'third', scope: 'tenant:acme' })).id;
    const event = { command: 'transaction.write', input: { commands: move() } };
    const answer = await world.provisionAround(event, () =>
      world.run('membership.create', { user: 'ann', group: third }),
    );
    expect(answer).toMatchObject({ ok: true });
    expect((await groups()).sort()).toEqual(['there', third].sort());
    await expectWhole();
  });

  test('a secret is shown once, and each part has its record', async () => {
    const account = `account:${(await world.run('account.create', { name: 'Robots' })).id}`;
    const event = {
      command: 'transaction.write',
      operationId: 'a robot',
      input: {
        commands: [
          part('technical-user.create', { id: NOBODY, account, name: 'robot' }),
          part('token.create', { user: `technical-user:${NOBODY}`, tokenType: 'api', tenant: account }),
        ],
      },
    };
    const first = await world.provision(event);
    const again = await world.provision(event);
    const tokenOf = (answer: typeof first) =>
      answer.ok ? (answer.result.results as readonly Input[])[1]?.token : answer.error;
    expect(tokenOf(first)).toMatch(/.{40}/);
    expect(tokenOf(again)).toBeUndefined();
    const records = (await world.everything()).filter(({ operationId }) => operationId === 'a robot');
    expect(records.map(({ action }) => action).sort()).toEqual(['technical-user.create', 'token.create']);
  });

  const page = (name: string) => part('page.create', { name });

  test.each<[string, readonly Part[], RegExp]>([
    ['what is bad input', [...move(), page('')], /^invalid commands.2.name$/],
    ['what is no command', [part('page.paint', {})], /^invalid commands.0.command$/],
    ['a command that reads', [part('page.read', { name: 'grades' })], /^invalid commands.0.command$/],
    ['itself', [part('transaction.write', { commands: move() })], /^invalid commands.0.command$/],
    ['the same twice', [page('plans'), page('plans')], /^invalid commands.1.name$/],
    ['too many', Array.from({ length: 50 }, (_, n) => page(`p-${n}`)), /^limit_exceeded commands.\d\d$/],
  ])('%s: nothing is written', async (_, commands, expected) => {
    const before = await stateOf(world);
    expect(outcomeOf(await together(world, commands))).toMatch(expected);
    expect(await stateOf(world)).toEqual(before);
  });

  test('what takes several transactions is to be sent alone', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `page-${n}`);
    for (const name of many) {
      await world.run('page.create', { name });
      await world.run('role-permission.create', { role: 'teacher', permission: name, effect: 'ALLOW' });
    }
    const answer = await together(world, [...move(), part('role.delete', { id: 'teacher' })]);
    expect(answer.ok ? answer : answer.error).toMatchObject({
      code: 'invalid',
      field: 'commands.2.command',
      message: expect.stringContaining('send it alone'),
    });
    expect(await groups()).toEqual(['here']);
  });
});

test('what a command before it changes is deleted before a command reads it: planned anew, and found missing', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const table = createMemoryTable({
    onItemRead: async ({ PK, SK }) => {
      if (PK !== 'GROUP#teachers' || SK !== 'META') return;
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
    },
  });
  const { apply, run, refused } = commandsOf({ ...table, clock: createClock(), newSecret: () => 'secret' });
  await apply(`
scopes: { Acme: { id: acme, type: tenant } }
roles: { teacher: { id: teacher } }
groups: { teachers: { id: teachers, scope: Acme } }
users: { ann: { id: ann, groups: [teachers] } }
`);
  meanwhile = () => run('group.delete', { id: 'teachers' });
  const commands = [
    { command: 'membership.delete', input: { user: 'ann', group: 'teachers' } },
    { command: 'group-role.create', input: { group: 'teachers', role: 'teacher' } },
  ];
  expect(await refused('transaction.write', { commands })).toMatchObject({ code: 'not_found' });
  expect(meanwhile).toBeUndefined();
});
