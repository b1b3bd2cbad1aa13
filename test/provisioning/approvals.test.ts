import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/all-commands.ts';
import { createOperatorsWorld, type OperatorsWorld, operatorsOn } from './operators.ts';
import { copyOf, createLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/**
 * Two-person approval (ADR 0032): what is dangerous waits for another operator. What becomes of a request: who may begin,
 * see and end it, until when, and what is left of it.
 */
const [ACME, GLOBEX, OPERATIONS] = ['tenant:acme', 'tenant:globex', 'tenant:operations'];
const HOUR_MS = 3_600_000;
let table: LedgerWorld;
let world: OperatorsWorld;
let made: { readonly table: LedgerWorld; readonly world: OperatorsWorld };
const APPROVAL_FOR = [
  ...['group.create', 'group.delete', 'tenant.apply', 'user.*', 'token.create'],
  ...['notification.create', 'assignment.create'],
];

beforeAll(async () => {
  const table = await createLedgerWorld();
  const world = await createOperatorsWorld(table);
  const { register, run, tokens } = world;
  await register(...[...COMMANDS.keys()].filter((name) => COMMANDS.get(name)?.kind === 'write'));
  await register('approval.list');
  for (const user of ['ben', 'cleo', 'both']) {
    await run('user.create', { id: user });
    for (const scope of user === 'both' ? [ACME, GLOBEX, OPERATIONS] : [ACME, OPERATIONS])
      await run('grant.create', { user, scope, roles: ['operator'] });
    const { id, token } = await run('token.create', { user, tokenType: 'api' });
    tokens[user] = { id, text: String(token) };
  }
  made = { table, world };
});
beforeEach(async () => {
  table = await copyOf(made.table);
  world = operatorsOn(table, made.world, APPROVAL_FOR);
});

/** A manifest of groups, one transaction each, whose first ones are of `acme`. */
const applied = (acme: number, globex: number): Input => ({
  manifest: {
    scopes: {
      ...(acme > 0 ? { Acme: { type: 'tenant', id: 'acme' } } : {}),
      ...(globex > 0 ? { Globex: { type: 'tenant', id: 'globex' } } : {}),
    },
    groups: Object.fromEntries(
      [...Array(acme).fill('Acme'), ...Array(globex).fill('Globex')].map((scope, n) => [
        `g${String(n).padStart(3, '0')}`,
        { scope },
      ]),
    ),
  },
  atOnce: 1,
});

/** Approves, and is stopped after the first step. */
const approveOneStep = (operator: string, id: string) => {
  const controller = new AbortController();
  controller.abort();
  return world.provision(
    { command: 'approval.approve', input: { id }, token: world.tokens[operator]?.text },
    { signal: controller.signal },
  );
};
const groups = async () => (await table.everything()).filter(({ Type }) => Type === 'Group').length;
const listed = async (operator: string, input: Input) => {
  const answer = await world.as(operator, 'approval.list', input);
  return answer.ok
    ? (answer.result.items as Input[]).map(({ id, status }) => [id, status])
    : answer.error.code;
};

let number = 0;
/** A group whose deletion `ann` has asked for. */
async function asked(operationId = `delete-${++number}`) {
  const { id } = await world.run('group.create', { id: `g-${operationId}`, scope: ACME, name: operationId });
  const answer = await world.as('ann', 'group.delete', { id }, { operationId });
  const error = { code: 'approval_required', approval: operationId, retryable: false };
  expect(answer).toMatchObject({ error });
  return { group: id, request: operationId };
}
/** Expects that a command waits for another operator. */
const expectWaits = async (...sent: Parameters<OperatorsWorld['outcome']>) =>
  expect(await world.outcome(...sent)).toBe('approval_required');
const exists = async (group: string) =>
  (await world.provision({ command: 'group.read', input: { id: group }, token: world.tokens.pam?.text })).ok;

test('a command waits, is listed, and is carried out by another operator, with both in the audit record', async () => {
  const { as, outcome } = world;
  const { group, request } = await asked();
  expect(await exists(group)).toBe(true);
  const known = { id: request, command: 'group.delete', requestedBy: 'user:ann' };
  expect(await as('ben', 'approval.list', { tenant: ACME })).toMatchObject({
    result: { items: [{ ...known, input: { id: group } }] },
  });
  const approved = await as('ben', 'approval.approve', { id: request });
  expect(approved).toMatchObject({ ok: true, result: { ...known, result: { id: group } } });
  expect(await exists(group)).toBe(false);
  const log = await table.listed('audit.list', { tenant: ACME });
  const record = log.find(({ action, entityId }) => action === 'group.delete' && entityId === group);
  expect(record).toMatchObject({ actor: 'user:ben', requestedBy: 'user:ann', approval: request });
  // Once: again by the same operator it answers as before, and nobody else decides it.
  expect(await outcome('ben', 'approval.approve', { id: request })).toBe('ok');
  expect(await outcome('cleo', 'approval.approve', { id: request })).toBe('conflict id');
  expect(await outcome('ann', 'group.delete', { id: group }, { operationId: request })).toMatch(
    /^not_permitted|^conflict/,
  );
});

test('never by the one who asked, nor by somebody without both rights', async () => {
  const { outcome } = world;
  const { group, request } = await asked();
  expect(await outcome('ann', 'approval.approve', { id: request })).toBe('not_permitted id');
  expect(await outcome('gus', 'approval.approve', { id: request })).toBe('not_permitted id');
  expect(await outcome('nobody', 'approval.approve', { id: request })).toBe('not_permitted id');
  expect(await outcome('gus', 'approval.approve', { id: 'no-such-request' })).toBe('not_permitted id');
  expect(await outcome('gus', 'approval.list', { tenant: ACME })).toBe('not_permitted tenant');
  expect(await exists(group)).toBe(true);
});

test('two who approve at once carry it out once', async () => {
  const { as } = world;
  const { group, request } = await asked();
  const answers = await Promise.all(
    ['ben', 'cleo', 'ben', 'cleo'].map((operator) => as(operator, 'approval.approve', { id: request })),
  );
  expect(answers.some(({ ok }) => ok)).toBe(true);
  expect(await exists(group)).toBe(false);
  const deleted = (await table.everything()).filter(
    ({ Type, action, entityId }) => Type === 'AuditLog' && action === 'group.delete' && entityId === group,
  );
  expect(deleted).toHaveLength(1);
});

test('a request that was rejected, or is older than 24 hours, is not carried out', async () => {
  const { outcome, clock, as } = world;
  const rejected = await asked();
  expect(await outcome('ben', 'approval.reject', { id: rejected.request })).toBe('ok');
  expect(await outcome('ben', 'approval.approve', { id: rejected.request })).toBe('conflict id');
  expect(
    await outcome('ann', 'group.delete', { id: rejected.group }, { operationId: rejected.request }),
  ).toBe('conflict operationId');
  const late = await asked();
  clock.advance(24 * 3_600_000);
  expect(await outcome('ben', 'approval.approve', { id: late.request })).toBe('conflict id');
  expect(await as('ben', 'approval.list', { tenant: ACME })).toMatchObject({ result: { items: [] } });
  expect(await exists(late.group)).toBe(true);
});

test('the table as it is then decides: what is gone, and a right that was lost, end it', async () => {
  const { outcome, run } = world;
  const gone = await asked();
  await run('group.delete', { id: gone.group });
  expect(await outcome('ben', 'approval.approve', { id: gone.request })).toBe('not_found id');
  const { request, group } = await asked();
  await run('grant.delete', { user: 'ann', scope: ACME });
  expect(await outcome('ben', 'approval.approve', { id: request })).toBe('not_permitted id');
  await run('grant.create', { user: 'ann', scope: ACME, roles: ['operator'] });
  expect(await exists(group)).toBe(true);
  expect(await outcome('ben', 'approval.approve', { id: request })).toBe('ok');
});

test('the same event sent twice is one request, and another input under its id is a mistake', async () => {
  const { outcome } = world;
  const { group, request } = await asked();
  const again = { operationId: request };
  await expectWaits('ann', 'group.delete', { id: group }, again);
  const other = await world.run('group.create', { scope: ACME, name: 'other' });
  expect(await outcome('ann', 'group.delete', { id: other.id }, again)).toBe(
    'operation_mismatch operationId',
  );
});

test('a dry run asks for nothing', async () => {
  const { id } = await world.run('group.create', { scope: ACME, name: 'staff' });
  const commands = [{ command: 'group.delete', input: { id } }];
  expect(await world.outcome('ann', 'transaction.write', { commands }, { dryRun: true })).toBe('ok');
});

test('a secret of the input is shown to nobody, and one that is made comes with the first answer only', async () => {
  const { as } = world;
  const hidden = { id: 'bob', passwordHash: 'argon2-of-bob' };
  expect(await as('olga', 'user.update', hidden, { operationId: 'secret-1' })).toMatchObject({
    error: { code: 'approval_required' },
  });
  const listed = await as('pam', 'approval.list', {});
  expect(JSON.stringify(listed)).toContain('secret-1');
  expect(JSON.stringify(listed)).not.toContain('argon2');
  await as('olga', 'token.create', { user: 'bob', tokenType: 'api' }, { operationId: 'token-1' });
  const first = await as('pam', 'approval.approve', { id: 'token-1' });
  expect(first).toMatchObject({ result: { result: { token: expect.stringMatching(/^gh1_/) } } });
  const second = await as('pam', 'approval.approve', { id: 'token-1' });
  expect(second).toMatchObject({ ok: true, result: { command: 'token.create' } });
  expect(JSON.stringify(second)).not.toContain('gh1_');
});

describe('a request over two tenants', () => {
  beforeEach(async () => {
    await expectWaits('both', 'tenant.apply', applied(3, 3), { operationId: 'two' });
  });

  test('is seen, begun and ended by who has the rights in both', async () => {
    const { outcome, run } = world;
    expect(await listed('ben', { tenant: ACME })).toEqual([]);
    for (const operator of ['ben', 'ann', 'gus'])
      for (const command of ['approval.approve', 'approval.reject'])
        expect(await outcome(operator, command, { id: 'two' }), command).toMatch(/^not_permitted/);
    expect(await groups()).toBe(0);
    expect(await listed('ann', { tenant: [ACME, GLOBEX] })).toBe('not_permitted');
    await run('grant.create', { user: 'ben', scope: GLOBEX, roles: ['operator'] });
    expect(await listed('ben', { tenant: [ACME, GLOBEX, OPERATIONS] })).toEqual([['two', 'open']]);
    expect(await outcome('ben', 'approval.approve', { id: 'two' })).toBe('ok');
    expect(await groups()).toBe(6);
  });

  test('is seen by none of the first where its manifest speaks of the second, too', async () => {
    const { manifest } = applied(3, 0);
    const scopes = { ...((manifest as Input).scopes as Input), Globex: { type: 'tenant', id: 'globex' } };
    await expectWaits(
      'both',
      'tenant.apply',
      { manifest: { ...(manifest as Input), scopes } },
      { operationId: 'one' },
    );
    expect(await listed('ben', { tenant: ACME })).toEqual([]);
    expect(await listed('pam', {})).toContainEqual(['one', 'open']);
  });

  test('nor begun where the one who asked has lost them in the second', async () => {
    const { outcome, run } = world;
    await run('grant.create', { user: 'ben', scope: GLOBEX, roles: ['operator'] });
    await run('grant.delete', { user: 'both', scope: GLOBEX });
    expect(await outcome('ben', 'approval.approve', { id: 'two' })).toBe('not_permitted id');
    expect(await groups()).toBe(0);
  });
});

describe('a request that is under way', () => {
  beforeEach(async () => {
    await world.run('grant.create', { user: 'ann', scope: OPERATIONS, roles: ['operator'] });
    await expectWaits('ann', 'tenant.apply', applied(4, 0), { operationId: 'slow' });
    expect(await approveOneStep('ben', 'slow')).toMatchObject({ error: { code: 'unfinished' } });
    expect(await groups()).toBe(1);
  });

  test('is listed, and goes on by the same operator', async () => {
    expect(await listed('cleo', { tenant: ACME })).toEqual([['slow', 'running']]);
    expect(await world.outcome('cleo', 'approval.approve', { id: 'slow' })).toBe('conflict id');
    for (const _again of [1, 2])
      expect(await world.outcome('ben', 'approval.approve', { id: 'slow' })).toBe('ok');
    expect(await groups()).toBe(4);
  });

  test.each(['ann', 'ben', 'cleo'])('is ended by %s, once, and does not go on', async (operator) => {
    const { outcome, as } = world;
    expect(await outcome('gus', 'approval.reject', { id: 'slow' })).toBe('not_permitted id');
    expect(await as(operator, 'approval.reject', { id: 'slow' })).toMatchObject({
      result: { id: 'slow', status: 'ended', decidedBy: `user:${operator}` },
    });
    for (const command of ['approval.approve', 'approval.reject'])
      for (const by of ['ben', 'cleo'])
        expect(await outcome(by, command, { id: 'slow' })).toBe('conflict id');
    expect(await groups()).toBe(1);
  });

  test('is ended between two of its steps', async () => {
    const { as, provision, tokens } = world;
    let ended = false;
    const approve = { command: 'approval.approve', input: { id: 'slow' }, token: tokens.ben?.text };
    const onStep = async () => {
      if (!ended) expect(await as('cleo', 'approval.reject', { id: 'slow' })).toMatchObject({ ok: true });
      ended = true;
    };
    expect(await provision(approve, { onStep })).toMatchObject({ error: { code: 'conflict' } });
    expect(await groups()).toBe(2);
  });

  test('goes on until 24 hours after it was asked for', async () => {
    const { outcome, clock } = world;
    clock.advance(23 * HOUR_MS);
    expect(await approveOneStep('ben', 'slow')).toMatchObject({ error: { code: 'unfinished' } });
    clock.advance(HOUR_MS);
    expect(await outcome('ben', 'approval.approve', { id: 'slow' })).toBe('conflict id');
    expect(await groups()).toBe(2);
    expect(await listed('cleo', { tenant: ACME })).toEqual([]);
    expect(await outcome('cleo', 'approval.reject', { id: 'slow' })).toBe('ok');
  });

  test.each(['ann', 'ben'])('stops when %s loses the right to the command', async (operator) => {
    const { outcome, run } = world;
    await run('grant.delete', { user: operator, scope: OPERATIONS });
    expect(await outcome('ben', 'approval.approve', { id: 'slow' })).toBe('not_permitted id');
    expect(await groups()).toBe(1);
    await run('grant.create', { user: operator, scope: OPERATIONS, roles: ['operator'] });
    expect(await outcome('ben', 'approval.approve', { id: 'slow' })).toBe('ok');
  });
});

test.each(['ann', 'ben'])('the right to the command itself is needed by both: %s', async (operator) => {
  const { outcome, run } = world;
  await run('grant.create', { user: 'ann', scope: OPERATIONS, roles: ['operator'] });
  await outcome('ann', 'tenant.apply', applied(1, 0), { operationId: 'own' });
  await run('grant.delete', { user: operator, scope: OPERATIONS });
  expect(await outcome('ben', 'approval.approve', { id: 'own' })).toBe('not_permitted id');
  expect(await groups()).toBe(0);
});

test.each([
  ['ann', 'not_permitted id'],
  ['ben', 'not_permitted'],
])('a tenant stays open where %s lost the right to its later steps', async (operator, expected) => {
  const { outcome, run } = operatorsOn(table, made.world, ['effect:tenant-end']);
  await run('grant.create', { user: 'ann', scope: OPERATIONS, roles: ['operator'] });
  await run('group.create', { scope: ACME, name: 'below' });
  const end = { operationId: 'end' };
  expect(await outcome('ann', 'scope.delete-tree', { scope: ACME }, end)).toBe('approval_required');
  await run('grant.delete', { user: operator, scope: OPERATIONS });
  expect(await outcome('ben', 'approval.approve', { id: 'end' })).toBe(expected);
  expect(await run('tenant.read', { id: 'acme' })).not.toHaveProperty('deletingSince');
  await run('grant.create', { user: operator, scope: OPERATIONS, roles: ['operator'] });
  expect(await outcome('ben', 'approval.approve', { id: 'end' })).toBe('ok');
});

test('what was made meanwhile is kept, and the request is done', async () => {
  await world.run('role.create', { id: 'plain', name: 'plain', scope: ACME });
  const input = { user: 'bob', scope: ACME, role: 'plain', ifExists: 'keep' };
  await expectWaits('ann', 'assignment.create', input, { operationId: 'kept' });
  await world.run('assignment.create', { user: 'bob', scope: ACME, role: 'plain' });
  expect(await world.outcome('ben', 'approval.approve', { id: 'kept' })).toBe('ok');
  expect(await listed('olga', {})).toEqual([]);
});

test('one that is over is not waited for by the same operation', async () => {
  const { as, clock } = world;
  const input = { scope: ACME, name: 'late' };
  await expectWaits('ann', 'group.create', input, { operationId: 'late' });
  clock.advance(24 * HOUR_MS);
  expect(await as('ann', 'group.create', input, { operationId: 'late' })).toMatchObject({
    error: { code: 'conflict', field: 'operationId', message: expect.stringContaining('24 hours') },
  });
});

test.each([
  [undefined, 'approval_required', 0],
  ['approval.approve', 'conflict operationId', 1],
  ['approval.reject', 'conflict operationId', 0],
] as const)(
  'one that was asked for is done once, and not without approval: %s',
  async (decision, answer, count) => {
    const [input, again] = [{ scope: ACME, name: 'once' }, { operationId: 'once' }];
    await expectWaits('ann', 'group.create', input, again);
    if (decision) expect(await world.outcome('ben', decision, { id: 'once' })).toBe('ok');
    // It needs none by now.
    const { outcome, provision, tokens } = operatorsOn(table, made.world);
    expect(await outcome('ann', 'group.create', input, again)).toBe(answer);
    const batch = [{ command: 'group.create', input, ...again }];
    expect(await provision({ batch, token: tokens.ann?.text })).toMatchObject({
      result: { answers: [{ error: { code: answer.split(' ')[0] } }] },
    });
    expect(await groups()).toBe(count);
  },
);

test('what is too large to be kept is refused when it is asked for, and what is kept can be carried out', async () => {
  const { outcome, run } = world;
  const { id } = await run('account.create', { name: 'Account' });
  /** Commands of 12 KB each, in their input and in their answer. */
  const large = (count: number) => ({
    commands: Array.from({ length: count }, () => ({
      command: 'notification.create',
      input: {
        notificationType: 'welcome',
        deliveryStatus: 'sent',
        account: `account:${id}`,
        errorMessage: '€'.repeat(2_000),
        skipReason: '€'.repeat(1_000),
        subject: '€'.repeat(1_000),
      },
    })),
  });
  const ask = (operationId: string, count: number) =>
    outcome('pam', 'transaction.write', large(count), { operationId });
  // An item holds 400 KB: the input, or the answer, and not both.
  expect(await ask('large', 22)).toBe('approval_required');
  expect(await ask('too-large', 30)).toBe('limit_exceeded input');
  await run('admin.create', { user: 'ben' });
  expect(await outcome('ben', 'approval.approve', { id: 'large' })).toBe('ok');
});

describe('what is left of a request', () => {
  const [EMAIL, PHONE] = ['erin@example.com', '+4930123456'];
  const texts = async () => {
    const kept = (await table.everything()).filter(({ Type }) => Type === 'Approval' || Type === 'Operation');
    return JSON.stringify(kept);
  };
  const erin = { id: 'erin', email: EMAIL, phone: PHONE };

  test('holds nothing of a person who is erased, waiting, rejected, done or under way', async () => {
    const { outcome, run } = world;
    const ask = (operationId: string, command: string, input: Input) =>
      outcome('olga', command, input, { operationId });
    expect(await ask('made', 'user.create', erin)).toBe('approval_required');
    expect(await ask('twice', 'user.create', { ...erin, id: 'erin-2' })).toBe('approval_required');
    expect(await ask('dropped', 'user.create', { id: 'erin-3', email: EMAIL })).toBe('approval_required');
    expect(await outcome('pam', 'approval.approve', { id: 'made' })).toBe('ok');
    expect(await outcome('pam', 'approval.reject', { id: 'dropped' }, { operationId: 'drop' })).toBe('ok');
    expect(await ask('later', 'user.update', { id: 'erin', phone: '+4930999999' })).toBe('approval_required');
    // In another spelling, for somebody else.
    expect(await ask('other', 'user.update', { id: 'bob', email: 'Erin@Example.COM' })).toBe(
      'approval_required',
    );
    const first = await world.as('pam', 'approval.approve', { id: 'made' });
    expect(first).toMatchObject({ result: { result: { email: EMAIL } } });
    expect(await texts()).toContain(EMAIL);
    await run('user.erase', { id: 'erin' });
    const left = await texts();
    for (const value of [EMAIL, PHONE, '+4930999999']) expect(left.toLowerCase()).not.toContain(value);
    expect(await listed('olga', {})).toEqual([]);
  });

  test('and the erasure itself can wait', async () => {
    const { outcome, run } = world;
    await run('user.create', erin);
    await expectWaits('olga', 'user.erase', { id: 'erin' }, { operationId: 'erase' });
    expect(await outcome('pam', 'approval.approve', { id: 'erase' })).toBe('ok');
    expect(await texts()).not.toContain(EMAIL);
  });

  test('one that nobody decides is in the table no longer than it waits', async () => {
    const { outcome, clock } = world;
    await outcome('olga', 'user.create', erin, { operationId: 'open' });
    const [item] = (await table.everything()).filter(({ Type }) => Type === 'Approval');
    expect(item?.ttl).toBe(Math.floor((clock.now() + 24 * HOUR_MS) / 1000));
    expect(await outcome('pam', 'approval.reject', { id: 'open' })).toBe('ok');
    const [rejected] = (await table.everything()).filter(({ Type }) => Type === 'Approval');
    expect(rejected).not.toHaveProperty('input');
  });
});
