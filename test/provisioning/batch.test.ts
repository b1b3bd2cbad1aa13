import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { type Answer, createProvisioning } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import { conflict, GatehouseError } from '../../table/errors.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { createWorld, outcomeOf } from '../support/world.ts';
import { findingsOn } from './findings.ts';
import { createOperatorsWorld } from './operators.ts';
import { createLedgerWorld, type Input, NOBODY } from './support.ts';

/** Events of several commands: they share transactions, and each is answered as if it had been sent by itself. */
const world = await createLedgerWorld();
const tenant = `tenant:${(await world.run('tenant.create', { name: 'Northwind' })).id}`;
const made = async (command: string, input: Input) => (await world.run(command, input)).id;
const groups = await Promise.all([...'abcde'].map((name) => made('group.create', { scope: tenant, name })));
const users = await Promise.all([1, 2, 3].map(() => made('user.create', {})));

type Sent = readonly [command: string, input: Input, operationId?: string];
const partOf = ([command, input, operationId]: Sent) => ({ command, input, ...defined({ operationId }) });

interface Sending {
  readonly provision?: (event: unknown) => Promise<Answer>;
  readonly more?: Input;
}

/** The answers to the commands of one event. */
async function send(batch: readonly Sent[], { provision = world.provision, more = {} }: Sending = {}) {
  const answer = await provision({ batch: batch.map(partOf), ...more });
  if (!answer.ok) throw new Error(`${answer.error.code} ${answer.error.message}`);
  return answer.result.answers as readonly Answer[];
}
const shown = (answers: readonly Answer[]) => answers.map(outcomeOf);
const many = (count: number) => Array.from({ length: count }, () => user());
const email = () => `${ulid().toLowerCase()}@example.com`;
const user = (given: Input = {}): Sent => ['user.create', { email: email(), ...given }];
const membership = (member: string | undefined, group: string | undefined): Sent => [
  'membership.create',
  { user: member, group },
];

async function transactionsOf(act: () => Promise<unknown>) {
  const before = world.transactions.length;
  await act();
  return world.transactions.slice(before);
}

describe('sharing transactions', () => {
  test('a user in five groups is one update of the user, and each group counts once', async () => {
    const { id } = await world.run('user.create', {});
    const sent = await transactionsOf(async () =>
      expect(shown(await send(groups.map((group) => membership(id, group))))).toEqual(Array(5).fill('ok')),
    );
    // The user and its decision item; of each membership the group, both edges and the audit record; the count.
    expect(sent.map((actions) => actions.length)).toEqual([2 + 5 * 4 + 1]);
    const { items } = await world.run('user.access', { id: id });
    expect((items as unknown[]).length).toBe(5);
  });

  test('as many commands as fit: 100 actions, and never more', async () => {
    const sent = await transactionsOf(async () =>
      expect(shown(await send(many(60)))).toEqual(Array(60).fill('ok')),
    );
    // Of each user the node, the guard of the email, the decision item, the key of pseudonyms, the audit record.
    expect(sent.map((actions) => actions.length)).toEqual([96, 96, 96, 16]);
  });

  test('no transaction of more than 4 MB', async () => {
    const text = 'x'.repeat(31_000);
    const report = { action: 'report.made', entityType: 'report', entityId: 'r' };
    const large: Sent = ['audit.create', { ...report, relatedEntities: { text }, metadata: { text } }];
    const sent = await transactionsOf(async () =>
      expect(shown(await send(Array(80).fill(large)))).toEqual(Array(80).fill('ok')),
    );
    expect(sent.map((actions) => actions.length)).toEqual([68, 14]);
  });

  test('every command has its audit record, found in the log of its tenant and by its actor', async () => {
    const actor = `user:${users[0]}`;
    const { id: group } = await world.run('group.create', { scope: tenant, name: 'audited' });
    await send(
      users.map((id) => membership(id, group)),
      { more: { actor } },
    );
    const of = (items: unknown) =>
      (items as readonly Input[])
        .filter(({ entityType, entityId }) => entityType === 'membership' && String(entityId).endsWith(group))
        .map(({ action, after }) => [action, (after as Input).user]);
    const expected = users.map((id) => ['membership.create', id]);
    const log = await world.listed('audit.list', { tenant });
    expect(of(log).sort()).toEqual([...expected].sort());
    const activity = await world.listed('audit.list', { user: users[0] });
    expect(of(activity).sort()).toEqual([...expected].sort());
    expect(await findingsOn(world)).toEqual([]);
  });
});

describe('refusals', () => {
  test('what many refuse at once takes one more transaction, not one for each', async () => {
    const all = users.map((id) => membership(id, groups[2]));
    await send(all);
    const sent = await transactionsOf(async () =>
      expect(shown(await send([...all, user()]))).toEqual([...all.map(() => 'conflict group'), 'ok']),
    );
    expect(sent.length).toBe(2);
  });
});

describe('order', () => {
  test('each finds what those before it wrote, as if they were sent one after the other', async () => {
    const [scope, group, member] = ['01J8Z0E2Z8D2A3J7A7Y2H9GQ01', '01J8Z0E2Z8D2A3J7A7Y2H9GQ02', ulid()];
    const answers = await send([
      ['tenant.create', { id: scope, name: 'In order' }],
      ['group.create', { id: group, scope: `tenant:${scope}`, name: 'all' }],
      ['user.create', { id: member }],
      membership(member, group),
      ['membership.list', { group }],
      ['membership.delete', { user: member, group }],
      ['membership.list', { group }],
      membership(member, group),
      membership(member, group),
      ['group.delete', { id: group }],
      membership(member, group),
    ]);
    expect(shown(answers)).toEqual([...Array(8).fill('ok'), ...['conflict group', 'ok', 'not_found group']]);
    const items = (n: number) => (answers[n] as Extract<Answer, { ok: true }>).result.items as unknown[];
    expect([items(4).length, items(6).length]).toEqual([1, 0]);
    expect(await findingsOn(world)).toEqual([]);
  });
});

describe('operations', () => {
  test('a command that was carried out under its operation id answers as it did then', async () => {
    const operation = ulid();
    const [first] = await send([['user.create', { displayName: 'Once' }, operation], user()]);
    const again = await send([user(), ['user.create', { displayName: 'Once' }, operation]]);
    expect(again[1]?.ok && again[1].result).toEqual(first?.ok && first.result);
    const other = await send([['user.create', { displayName: 'Other' }, operation]]);
    expect(shown(other)).toEqual(['operation_mismatch operationId']);
    const alone = await world.provision(partOf(['user.create', { displayName: 'Once' }, operation]));
    expect(alone.ok && alone.result).toEqual(first?.ok && first.result);
  });

  test('twice in one batch: carried out once', async () => {
    const operation = ulid();
    const part: Sent = ['user.create', { displayName: 'Twice' }, operation];
    const [first, second] = await send([part, part]);
    expect(first?.ok && second?.ok && [first.result.id === second.result.id]).toEqual([true]);
  });

  test('a dry run answers and writes nothing', async () => {
    const taken = email();
    await world.run('user.create', { email: taken });
    const before = await world.everything();
    const batch = [user(), user({ email: taken }), membership(NOBODY, groups[0])];
    const answers = await send(batch, { more: { dryRun: true } });
    expect(shown(answers)).toEqual(['ok', 'conflict email', 'not_found user']);
    expect(await world.everything()).toEqual(before);
  });

  test.each([
    ['an operation id of its own', { operationId: 'x' }, 'operationId'],
    ['no command', { batch: [] }, 'batch'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['a token where no operators are verified', { token: 'x' }, 'token'],
  ])('%s is refused, and nothing is carried out', async (_, more, field) => {
    const sent = await transactionsOf(async () => {
      const answer = await world.provision({ batch: [partOf(user())], ...more });
      expect(answer).toMatchObject({ ok: false, error: { code: 'invalid', field } });
    });
    expect(sent).toEqual([]);
  });
});

describe('a table that is changed or fails meanwhile', () => {
  const over = (before: Parameters<typeof watchWrites>[1]) => {
    const writer = watchWrites(world.writer, before);
    return createProvisioning({ ...world, writer, newId: () => ulid(), budgetMs: 20_000 });
  };

  test('what was read has changed: planned anew', async () => {
    const { id } = await world.run('user.create', { email: email() });
    const overtake = () => world.run('user.update', { id, email: email() });
    const provision = over((number) => (number === 1 ? overtake() : undefined));
    const wanted = email();
    const answers = await send([user(), ['user.update', { id, email: wanted }], user()], { provision });
    expect(shown(answers)).toEqual(['ok', 'ok', 'ok']);
    expect(await world.run('user.read', { email: wanted })).toMatchObject({ id });
    expect(await findingsOn(world)).toEqual([]);
  });

  test('a transaction that is contended is halved until it passes', async () => {
    const sizes: number[] = [];
    const provision = over((_, actions) => {
      sizes.push(actions.length);
      if (actions.length > 30) throw new GatehouseError('contended', 'busy');
    });
    expect(shown(await send(many(20), { provision }))).toEqual(Array(20).fill('ok'));
    expect(Math.max(...sizes)).toBe(100 - 4);
  });

  test('a command that never fits into the table is answered by itself, the others are written', async () => {
    const bad = 'bad@example.com';
    const provision = over((_, actions) => {
      if (JSON.stringify(actions).includes(bad)) throw new GatehouseError('limit_exceeded', 'too large');
    });
    const batch = Array.from({ length: 9 }, (_, n) => user(n === 4 ? { email: bad } : {}));
    const answers = await send(batch, { provision });
    expect(shown(answers)).toEqual(batch.map((_, n) => (n === 4 ? 'limit_exceeded' : 'ok')));
  });

  test('an outage is told of every command that is left, and they can be sent again', async () => {
    let calls = 0;
    const provision = over((number) => {
      calls = number;
      if (number > 1) throw new GatehouseError('transient', 'no answer');
    });
    const batch = many(30);
    const answers = await send(batch, { provision });
    expect(new Set(shown(answers))).toEqual(new Set(['ok', 'transient']));
    expect(calls).toBe(2);
    const left = batch.filter((_, n) => answers[n]?.ok === false);
    expect(shown(await send(left))).toEqual(left.map(() => 'ok'));
  });

  test('a failure of no action that fails always is told, and the rest goes on', async () => {
    const provision = over(() => Promise.reject(conflict('x', 'always')));
    expect(shown(await send([user(), user()], { provision }))).toEqual(['conflict x', 'conflict x']);
  });

  test('stops between two transactions when its time is over: the rest is unfinished', async () => {
    const provision = createProvisioning({
      ...world,
      writer: watchWrites(world.writer, () => world.clock.advance(1_000)),
      newId: () => ulid(),
      budgetMs: 500,
      sleep: async () => {},
    });
    const all = shown(await send(many(150), { provision }));
    expect(all[0]).toBe('ok');
    expect(all.at(-1)).toBe('unfinished');
    expect(all).toEqual([...all].sort((a, b) => (a === b ? 0 : a === 'ok' ? -1 : 1)));
  });
});

describe('operators', () => {
  test('each command needs its own right, and an approval is asked for one command by itself', async () => {
    const guarded = await createOperatorsWorld(await createWorld(), ['group.delete', 'role.*']);
    const { as, provision, tokens, register } = guarded;
    await register('group.create', 'group.delete', 'role.create', 'membership.create', 'user.create');
    const group = (scope: string, id: string): Sent => ['group.create', { id, scope, name: id }];
    const answers = await send(
      [
        group('tenant:acme', 'mine'),
        group('tenant:globex', 'theirs'),
        ['role.create', { id: 'r', name: 'r', scope: 'tenant:acme' }],
        group('tenant:acme', 'mine-too'),
        ['group.delete', { id: 'mine' }],
        ['user.create', { id: 'new' }],
      ],
      { provision, more: { token: tokens.ann?.text } },
    );
    expect(shown(answers)).toEqual([
      ...['ok', 'not_permitted scope', 'approval_required', 'ok', 'approval_required', 'not_permitted'],
    ]);
    expect((await as('ann', 'group.create', group('tenant:acme', 'mine')[1])).ok).toBe(false);
    expect(await guarded.reader.get({ PK: 'GROUP#theirs', SK: 'META' })).toBeUndefined();
    expect(await guarded.reader.get({ PK: 'ROLE#r', SK: 'META' })).toBeUndefined();
    expect(await guarded.reader.get({ PK: 'GROUP#mine', SK: 'META' })).toBeDefined();
    const bad = await provision({ batch: [partOf(group('tenant:acme', 'x'))], token: 'gh_bad' });
    expect(bad).toMatchObject({ ok: false, error: { code: 'not_permitted' } });
  });

  test('who holds a value is told only to who may know it', async () => {
    const guarded = await createOperatorsWorld(await createWorld());
    const { provision, tokens, register } = guarded;
    await register('location.create');
    await guarded.run('location.create', { id: 'held', name: 'Held', code: 'H', parent: 'tenant:globex' });
    const taken: Sent = ['location.create', { name: 'Mine', code: 'H', parent: 'tenant:acme' }];
    const holderFor = async (operator: string) => {
      const [answer] = await send([taken], { provision, more: { token: tokens[operator]?.text } });
      return answer?.ok === false && [answer.error.code, answer.error.holder];
    };
    expect(await holderFor('pam')).toEqual(['conflict', 'location:held']);
    expect(await holderFor('ann')).toEqual(['conflict', undefined]);
  });
});
