import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { COMMANDS, createProvisioning } from '../../provisioning/index.ts';
import type { Writer } from '../../table/writer.ts';
import * as fc from '../support/fast-check.ts';
import { size } from '../support/tier.ts';
import { watchReads } from '../support/watched-reader.ts';
import { createInputs } from './kinds.ts';
import { furnishLarge, furnishTenant, LARGE as LARGE_NODES } from './large.ts';
import { type Event, inParallel } from './stepwise.ts';
import { copyOf, createLedgerWorld, createLightLedgerWorld, type LedgerWorld } from './support.ts';
import { expectWhole } from './whole.ts';

/**
 * Copies of one command in steps that run at once, as when a client sends it again before the first answer: all
 * end in the same success, or in an answer that can be retried.
 */

/** Commands that answer what they found to do. */
const COMPARING = ['tenant.apply', 'scim-user.update', 'scim-group.members'];

/**
 * The commands that may take several transactions. An approval carries out one of the others, for operators who are
 * verified: approvals.test.ts.
 */
const IN_STEPS: readonly string[] = [...COMMANDS.values()]
  .filter((command) => command.kind === 'write' && command.inSteps && command.name !== 'approval.approve')
  .map(({ name }) => name);

/** Whether the copies have one `operationId` or one each. */
type Naming = 'the same operationId' | 'an operationId each';

/** Lets all pass once `count` have arrived. */
function gate(count: number) {
  let left = count;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    arrive: (): Promise<void> => {
      left -= 1;
      if (left === 0) open();
      return all;
    },
  };
}

/**
 * Runs `count` copies of a command at once. Expects that one copy succeeds
 * and that each of the others ends in the same success or in an answer that can be retried; an apply may also find
 * that another one is under way.
 *
 * @param turn what each call to the table waits for
 */
async function expectAgreement(
  world: LedgerWorld,
  { command, input }: Event,
  count: number,
  naming: Naming,
  turn: () => Promise<unknown> = async () => {},
): Promise<void> {
  const reader = watchReads(world.reader, turn);
  const all = gate(count);
  const answers = await Promise.all(
    Array.from({ length: count }, (_, copy) => {
      let planned: Promise<void> | undefined;
      const send: Writer['send'] = async (actions) => {
        // A copy that begins after another one has ended is none: it finds nothing to delete, and says so.
        planned ??= naming === 'an operationId each' ? all.arrive() : Promise.resolve();
        await planned;
        await turn();
        return world.writer.send(actions);
      };
      const provision = createProvisioning({
        ...world,
        reader,
        writer: { send },
        newId: () => ulid(),
      });
      return provision({
        command,
        input,
        operationId: naming === 'an operationId each' ? `copy-${copy}` : 'one',
      });
    }),
  );
  const results = answers.flatMap((answer) => (answer.ok ? [answer.result] : []));
  const final = answers.flatMap((answer) =>
    answer.ok || answer.error.retryable || answer.error.code === 'apply_running' ? [] : [answer.error],
  );
  expect(final, `${command}, ${count} copies with ${naming}`).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
  // How much a comparison finds to do depends on what the other copies have done by then.
  if (!COMPARING.includes(command) || naming === 'the same operationId')
    for (const result of results) expect(result).toEqual(results[0]);
}

const COUNTS = [2, 5];
const NAMINGS: readonly Naming[] = ['the same operationId', 'an operationId each'];

const idOf = async (world: LedgerWorld, command: string, input = {}) => (await world.run(command, input)).id;
const times = (count: number) => [...Array(count).keys()];
const many = <R>(count: number, act: (i: number) => Promise<R>) => inParallel(times(count), 6, act);

const named = (name: string, count: number, of: (i: number) => object) =>
  Object.fromEntries(times(count).map((i) => [`${name} ${i}`, of(i)]));
const large = (name: keyof typeof LARGE_NODES) => async (world: LedgerWorld) =>
  (await furnishLarge(world, LARGE_NODES[name])).input;
const HOUSE = {
  client: { id: 'client', type: 'client' },
  project: { type: 'project', parent: 'client' },
  other: { id: 'other', type: 'project', parent: 'client' },
  house: { id: 'house', type: 'building', parent: 'project' },
};

/** What takes several transactions, per command; a deletion of a node that is small is one transaction. */
const LARGE: Readonly<Record<string, (world: LedgerWorld) => Promise<Event['input']>>> = {
  'user.erase': async (world) => {
    const user = await idOf(world, 'user.create', { email: 'large@example.com' });
    await many(120, () => world.run('session.create', { user, ipAddress: '192.0.2.1' }));
    return { id: user };
  },
  'mandate.end-all': async (world) => {
    const subject = `user:${await idOf(world, 'user.create')}`;
    const scopes = [`location:${await idOf(world, 'location.create', { name: 'Place' })}`];
    await world.run('subject.create', { type: 'agent', id: 'bot' });
    const of = { subject, actor: 'agent:bot', scopes, permissions: ['invoices:read:*'], purpose: 'reads' };
    await many(30, () => world.run('mandate.create', of));
    return { subject };
  },
  'technical-user.delete': async (world) => {
    const account = `account:${await idOf(world, 'account.create', { name: 'Account' })}`;
    const id = await idOf(world, 'technical-user.create', { account, name: 'robot' });
    await many(60, () => world.run('token.create', { user: `technical-user:${id}`, tokenType: 'api' }));
    return { id };
  },
  'group.delete': large('a group with 60 members that forbids'),
  'role.delete': large('a role with 60 holders of three kinds'),
  'page.delete': large('a page on which 60 roles have an effect'),
  'user.delete': large('a user with 60 memberships, grants, tokens, sessions'),
  'scope.delete-tree': async (world) => {
    await furnishTenant(world, {
      scopes: {
        ...HOUSE,
        ...named('zone', 3, () => ({ type: 'zone', parent: 'house' })),
        ...named('device', 3, (i) => ({ type: 'device', parent: `zone ${i}` })),
      },
      roles: { own: { owner: 'client' } },
      groups: named('group', 3, (i) => ({ scope: `zone ${i}`, roles: ['own'] })),
      users: { ann: { id: 'ann', groups: times(3).map((i) => `group ${i}`) } },
    });
    return { scope: 'client:client' };
  },
  'scope.move': async (world) => {
    const devices = named('device', 40, () => ({ type: 'device', parent: 'house' }));
    await furnishTenant(world, { scopes: { ...HOUSE, ...devices } });
    return { scope: 'building:house', parent: 'project:other' };
  },
  'role-template.apply': async (world) => {
    const permissions = times(50).map((i) => ({ permission: `m${i}:*:*`, effect: i % 2 ? 'ALLOW' : 'DENY' }));
    const id = await idOf(world, 'role-template.create', { name: 'large', permissions });
    return { id, role: await idOf(world, 'role.create', { name: 'role', scope: 'global' }) };
  },
  'scim-user.update': async (world) => {
    const connection = await connected(world);
    const email = 'large@example.com';
    const user = await idOf(world, 'user.create', { email });
    await world.run('scim-user.create', { connection, userName: 'large', email });
    await many(40, async (i) => {
      const { group } = await world.run('scim-group.create', { connection, displayName: `group ${i}` });
      await world.run('scim-group.members', { connection, group, add: [user] });
    });
    return { connection, user, active: false };
  },
  'scim-group.members': async (world) => {
    const connection = await connected(world);
    const { group } = await world.run('scim-group.create', { connection, displayName: 'large' });
    const add = await many(40, async (i) => {
      const { user } = await world.run('scim-user.create', { connection, userName: `user ${i}` });
      return user;
    });
    return { connection, group, add };
  },
  'tenant.apply': async (world) => {
    const scope = `tenant:${await idOf(world, 'tenant.create', { name: 'Acme' })}`;
    await many(12, (i) => world.run('role.create', { name: `old ${i}`, scope }));
    for (const i of times(12)) await world.run('page.create', { name: `page-${i}` });
    const roles = times(12).map((i) => [`new ${i}`, { owner: 'Acme', allow: [`page-${i}`] }]);
    const manifest = { scopes: { Acme: { type: 'tenant' } }, roles: Object.fromEntries(roles) };
    return { manifest, prune: true, atOnce: 5 };
  },
};

const connected = async (world: LedgerWorld) => {
  const scope = `tenant:${await idOf(world, 'tenant.create', { name: 'Acme' })}`;
  await world.run('domain.create', { name: 'example.com', tenant: scope });
  return idOf(world, 'scim-connection.create', { scope, name: 'Login' });
};

const ON_THE_ENGINE = size(0, 1) === 0 ? ['user.delete', 'scope.move'] : Object.keys(LARGE);
const commands = IN_STEPS.map((command) => ({ command }));

test('each command in steps that deletes no node, and each that deletes a subject or a role, is tested large', () => {
  const others = IN_STEPS.filter((command) => !command.endsWith('.delete'));
  expect(Object.keys(LARGE)).toEqual(expect.arrayContaining(others));
  expect(IN_STEPS).toEqual(expect.arrayContaining(Object.keys(LARGE)));
});

describe.each(commands)('$command', ({ command }) => {
  const prepare = async (world: LedgerWorld): Promise<Event> => ({
    command,
    input: await (LARGE[command]?.(world) ?? createInputs(world)(command)),
  });

  test('on the memory table, its calls in any order', async () => {
    const furnished = await createLightLedgerWorld();
    const event = await prepare(furnished);
    const copies = { count: fc.constantFrom(...COUNTS), naming: fc.constantFrom(...NAMINGS) };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.record(copies), async (scheduler, { count, naming }) => {
        const world = await copyOf(furnished);
        const turn = () => scheduler.schedule(Promise.resolve());
        await scheduler.waitFor(expectAgreement(world, event, count, naming, turn));
        await expectWhole(world);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  // A small node is deleted in one transaction, which is the same for all types; of the large ones, each kind of steps.
  if (ON_THE_ENGINE.includes(command))
    test('on the DynamoDB engine', async () => {
      for (const naming of NAMINGS.slice(0, size(1, 2))) {
        const world = await createLedgerWorld();
        await expectAgreement(world, await prepare(world), size(2, 5), naming);
        await expectWhole(world);
      }
    });
});
