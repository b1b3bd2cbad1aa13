import { describe, expect, test } from 'vitest';
import { createOperatorsWorld, type OperatorsWorld } from './operators.ts';
import { createLedgerWorld } from './support.ts';

/** Two-person approval (ADR 0032): what is dangerous waits for another operator. */
const ACME = 'tenant:acme';
const table = await createLedgerWorld();
const world: OperatorsWorld = await createOperatorsWorld(table, [
  'group.delete',
  '*.delete-tree',
  'token.create',
  'user.update',
]);
const { register, run } = world;
await register('group.create', 'group.delete', 'location.create', 'scope.delete-tree', 'tenant.apply');
await register('approval.list', 'approval.approve', 'approval.reject', 'token.create', 'user.update');
for (const user of ['ben', 'cleo']) {
  await run('user.create', { id: user });
  await run('grant.create', { user, scope: ACME, roles: ['operator'] });
  const { id, token } = await run('token.create', { user, tokenType: 'api' });
  world.tokens[user] = { id, text: String(token) };
}

let number = 0;
/** A group whose deletion `ann` has asked for. */
async function asked(operationId = `delete-${++number}`) {
  const { id } = await world.run('group.create', { id: `g-${operationId}`, scope: ACME, name: operationId });
  const answer = await world.as('ann', 'group.delete', { id }, { operationId });
  expect(answer).toMatchObject({
    error: { code: 'approval_required', approval: operationId, retryable: false },
  });
  return { group: id, request: operationId };
}
const exists = async (group: string) =>
  (await world.provision({ command: 'group.read', input: { id: group }, token: world.tokens.pam?.text })).ok;

test('a command waits, is listed, and is carried out by another operator, with both in the audit record', async () => {
  const { as, outcome, run } = world;
  const { group, request } = await asked();
  expect(await exists(group)).toBe(true);
  expect(await as('ben', 'approval.list', { tenant: ACME })).toMatchObject({
    result: {
      items: [{ id: request, command: 'group.delete', requestedBy: 'user:ann', input: { id: group } }],
    },
  });
  expect(await as('ben', 'approval.approve', { id: request })).toMatchObject({
    ok: true,
    result: { id: request, command: 'group.delete', requestedBy: 'user:ann', result: { id: group } },
  });
  expect(await exists(group)).toBe(false);
  const { items } = (await run('audit.list', { tenant: ACME })) as unknown as {
    items: Record<string, unknown>[];
  };
  expect(items.find(({ action, entityId }) => action === 'group.delete' && entityId === group)).toMatchObject(
    {
      actor: 'user:ben',
      requestedBy: 'user:ann',
      approval: request,
    },
  );
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
  expect(await outcome('ann', 'group.delete', { id: group }, again)).toBe('approval_required');
  const other = await world.run('group.create', { scope: ACME, name: 'other' });
  expect(await outcome('ann', 'group.delete', { id: other.id }, again)).toBe(
    'operation_mismatch operationId',
  );
});

test('neither a transaction nor a manifest is a way around it; a dry run asks for nothing', async () => {
  const { outcome, run } = world;
  const { id } = await run('group.create', { scope: ACME, name: 'staff' });
  const commands = [{ command: 'group.delete', input: { id } }];
  expect(await outcome('ann', 'transaction.write', { commands }, { dryRun: true })).toBe('ok');
  expect(await outcome('ann', 'transaction.write', { commands })).toBe('approval_required');
  const manifest = { scopes: { Acme: { type: 'tenant', id: 'acme' } }, groups: {} };
  await run('grant.create', { user: 'pam', scope: ACME, roles: [] });
  expect(await outcome('pam', 'tenant.apply', { manifest, prune: true })).toBe('approval_required');
});

describe('what is kept', () => {
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

  test('a command of several steps goes on where it stopped, by the same operator', async () => {
    const { as, outcome, run } = world;
    const { id } = await run('location.create', { name: 'Big', code: 'big', parent: ACME });
    for (let n = 0; n < 40; n += 1) await run('group.create', { scope: `location:${id}`, name: `g${n}` });
    const tree = { scope: `location:${id}` };
    expect(await outcome('ann', 'scope.delete-tree', tree, { operationId: 'tree-1' })).toBe(
      'approval_required',
    );
    const controller = new AbortController();
    controller.abort();
    const approve = { command: 'approval.approve', input: { id: 'tree-1' }, token: world.tokens.ben?.text };
    expect(await world.provision(approve, { signal: controller.signal })).toMatchObject({
      error: { code: 'unfinished' },
    });
    expect(await outcome('cleo', 'approval.approve', { id: 'tree-1' })).toBe('conflict id');
    expect(await as('ben', 'approval.approve', { id: 'tree-1' })).toMatchObject({ ok: true });
    expect(await as('ben', 'approval.approve', { id: 'tree-1' })).toMatchObject({ ok: true });
    expect(
      (await world.provision({ command: 'location.read', input: { id }, token: world.tokens.pam?.text })).ok,
    ).toBe(false);
  });
});
