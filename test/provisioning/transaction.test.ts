import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../provisioning/index.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { changeInOneWrite, furnishSmall } from '../proof/oracle/generate.ts';
import type { Operation } from '../proof/oracle/operations.ts';
import { createRandom } from '../proof/oracle/random.ts';
import * as fc from '../support/fast-check.ts';
import { commandsOf, createClock, outcomeOf } from '../support/world.ts';
import { findingsIn } from './findings.ts';
import {
  asState,
  createLedgerWorld,
  createLightLedgerWorld,
  type Input,
  isRecord,
  type LedgerWorld,
  NOBODY,
} from './support.ts';

/** `transaction.write`: several commands in one transaction, each as if those before it were done. */
type Part = Pick<Operation, 'command' | 'input'>;
const together = (world: LedgerWorld, commands: readonly Part[]) =>
  world.provision({
    command: 'transaction.write',
    input: { commands: commands.map(({ command, input }) => ({ command, input })) },
  });

/** With an id of its own for what would get any. */
const withId = (operation: Operation, number: number): Operation =>
  /^(?:assignment|grant)\.create$/.test(operation.command)
    ? {
        ...operation,
        input: { ...operation.input, id: `01J8Z0E2Z8D2A3J7A7Y2H9Q${String(number).padStart(3, '0')}` },
      }
    : operation;

/** All but records of what happened, and which write it was. */
const stateOf = async (world: LedgerWorld) =>
  asState(
    (await world.everything())
      .filter((item) => !isRecord(item))
      .map(({ writeId: _, ...item }) => item as Item),
  );

/** The same, but for which transaction wrote it: one wrote here what several wrote there. */
const contentOf = async (world: LedgerWorld) =>
  Object.fromEntries(
    Object.entries(await stateOf(world)).map(([key, { writeId: _, ...item }]) => [
      key,
      // Each token is of chance.
      'hash' in item ? { ...item, hash: 'of a token' } : item,
    ]),
  );

/** What is said of commands that are each fine, and not in one transaction. */
const APART = /send it alone|asked for twice|one transaction holds/;

/** What a batch answers to each of its commands. */
async function codesOfBatch(world: LedgerWorld, commands: readonly Part[]): Promise<readonly string[]> {
  const batch = commands.map(({ command, input }) => ({ command, input }));
  const answer = await world.provision({ batch });
  const answers = answer.ok ? (answer.result.answers as readonly Answer[]) : [];
  return answers.map(outcomeOf);
}

describe('whatever is put together', () => {
  test('comes to the same as one command after the other, in one transaction or none, and in a batch', async () => {
    let written = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (seed) => {
        const random = createRandom(seed);
        const [alone, whole, batched] = [
          await createLightLedgerWorld(),
          await createLightLedgerWorld(),
          await createLightLedgerWorld(),
        ];
        const { names, operations } = furnishSmall(random);
        let drawn = 0;
        const draw = () =>
          Array.from({ length: random.between(2, 9) }, () =>
            withId(changeInOneWrite(random, names), ++drawn),
          );
        const lists = [];
        for (let start = 0; start < operations.length; start += 7)
          lists.push(operations.slice(start, start + 7));
        for (let n = 0; n < 14; n++) lists.push(draw());
        for (const list of lists) {
          const before = await stateOf(whole);
          const done: Operation[] = [];
          const codes: string[] = [];
          for (const operation of list) {
            const { command, input } = operation;
            const answer = await alone.provision({ command, input });
            codes.push(outcomeOf(answer));
            if (answer.ok) {
              done.push(operation);
              continue;
            }
            // With what is refused by itself, all of it is, and nothing is written.
            const both = await together(whole, [...done, operation]);
            expect(both.ok, `${command} ${JSON.stringify(input)}`).toBe(false);
            if (both.ok) continue;
            // One before it may be none to be put together with others.
            if (!APART.test(both.error.message))
              expect(both.error.field).toMatch(new RegExp(`^commands\\.${done.length}\\.`));
            if (both.error.code !== 'invalid') expect(both.error.code).toBe(answer.error.code);
            expect(await stateOf(whole)).toEqual(before);
            refused += 1;
          }
          expect(await codesOfBatch(batched, list)).toEqual(codes);
          const first = whole.transactions.length;
          const answer = await together(whole, done.length > 0 ? done : [operations[0] as Operation]);
          if (answer.ok) {
            expect(whole.transactions.length).toBe(first + 1);
            const records = (await whole.touchedSince(first)).filter(({ Type }) => Type === 'AuditLog');
            expect(records.map(({ action }) => action).sort()).toEqual(
              done.map(({ command }) => command).sort(),
            );
            if (done.length > 1) written += 1;
          } else if (done.length > 0) {
            expect(answer.error.message).toMatch(APART);
            for (const { command, input } of done) await whole.run(command, { ...input });
          }
          expect(await contentOf(whole)).toEqual(await contentOf(alone));
          expect(await contentOf(batched)).toEqual(await contentOf(alone));
        }
        expect(await findingsIn(await whole.everything(), whole.clock)).toEqual([]);
      }),
      { numRuns: 1 },
    );
    expect(written).toBeGreaterThan(5);
    expect(refused).toBeGreaterThan(10);
  });
});

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
