import {
  InternalServerError,
  ThrottlingException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { expect } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { createPacing } from '../../table/read/pacing.ts';
import type { World } from '../support/world.ts';
import { row } from './row.ts';
import { create } from './setup.ts';

/** Seed 004, "Uniqueness and transactions" and "Error handling guidance". */

/** Runs a command many times at once: the errors of those that failed, and how many did not. */
async function race(world: World, command: string, input: Record<string, unknown>, times = 4) {
  const answers = await Promise.all(Array.from({ length: times }, () => world.provision({ command, input })));
  const errors = answers.flatMap((answer) => (answer.ok ? [] : [answer.error]));
  return { errors, won: answers.length - errors.length };
}

row('AZ-12', async ({ world, reads }) => {
  const values = { email: 'ann.az12@example.com', phone: '+4930120000', username: 'ann.az12' };
  const others = { email: 'bob.az12@example.com', phone: '+4930120001', username: 'bob.az12' };
  const free = { email: 'new.az12@example.com', phone: '+4930120002', username: 'new.az12' };
  /** Who holds each of the three. */
  const holders = async ({ email, phone, username }: typeof values) => [
    (await reads('user.find', { email }))?.id,
    (await reads('user.find', { phone }))?.id,
    (await reads('user.find', { username }))?.id,
  ];
  const nobody = [undefined, undefined, undefined];
  const [ann, bob] = [await create(world, 'user', values), await create(world, 'user', others)];
  expect(await holders(values)).toEqual([ann, ann, ann]);

  // One value that is taken, however it is written, and the other two stay free.
  const spelled = { email: 'ANN.az12@Example.com', phone: '+49 (30) 12-00-00', username: 'Ann.AZ12' };
  for (const field of ['email', 'phone', 'username'] as const) {
    const taken = { code: 'conflict', field, holder: `user:${ann}`, retryable: false };
    const wanted = { ...free, [field]: spelled[field] };
    expect(await world.refused('user.create', wanted)).toMatchObject(taken);
    expect(await world.refused('user.update', { id: bob, ...wanted })).toMatchObject(taken);
    expect(await holders(free)).toEqual(nobody);
    expect(await holders(others)).toEqual([bob, bob, bob]);
    expect(await reads('user.read', { id: bob })).toMatchObject(others);
  }

  // All three change in one transaction, and what they were is free in the same.
  const before = world.calls.length;
  await world.run('user.update', { id: ann, ...free });
  const writes = world.calls.slice(before).filter(({ operation }) => operation.includes('Write'));
  expect(writes.map(({ operation }) => operation)).toEqual(['TransactWriteItems']);
  expect(await holders(free)).toEqual([ann, ann, ann]);
  expect(await holders(values)).toEqual(nobody);
  await world.run('user.update', { id: bob, ...values });
  expect(await holders(values)).toEqual([bob, bob, bob]);

  // Cleared, or deleted with its user: free. Of many who want it at once one gets it.
  await world.run('user.update', { id: bob, phone: null });
  expect(await holders(values)).toEqual([bob, undefined, bob]);
  await world.run('user.delete', { id: ann });
  expect(await holders(free)).toEqual(nobody);
  const { won, errors } = await race(world, 'user.create', free);
  expect(won).toBe(1);
  for (const error of errors) expect(error).toMatchObject({ code: 'conflict', retryable: false });
  const [winner, ...same] = await holders(free);
  expect(winner).toBeDefined();
  expect(same).toEqual([winner, winner]);
});

/** Lets the next calls of one operation fail at the service's door, where the SDK's own retries see it. */
function failing(world: World, operation: string) {
  const state = { faults: [] as readonly Error[], at: [] as number[] };
  world.client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName !== `${operation}Command`) return next(args);
      state.at.push(performance.now());
      const [fault, ...rest] = state.faults;
      state.faults = rest;
      if (fault) throw fault;
      return next(args);
    },
    { step: 'deserialize' },
  );
  return state;
}

const details = { message: 'slow down', $metadata: { httpStatusCode: 400 } };
const cancelled = (Code: string) =>
  new TransactionCanceledException({ ...details, CancellationReasons: [{ Code: 'None' }, { Code }] });
const repeated = (count: number, fault: () => Error) => Array.from({ length: count }, fault);

row('AZ-15', async ({ world, record }) => {
  const acme = await create(world, 'tenant', { name: 'Acme AZ15' });
  // Writes: tried again after longer and longer pauses, and carried out once.
  const writes = failing(world, 'TransactWriteItems');
  const provisionWithin = (deadlineMs: number) => {
    const pacing = createPacing({ deadlineMs, random: () => 1 });
    const writer = createWriter({ client: world.client, table: world.table, pacing });
    const provision = createProvisioning({ ...world, writer, newId: () => ulid() });
    return (name: string) => provision({ command: 'tenant.create', input: { name } });
  };
  const write = provisionWithin(20_000);
  for (const [n, code] of [
    'ThrottlingError',
    'ProvisionedThroughputExceeded',
    'TransactionConflict',
  ].entries()) {
    writes.faults = repeated(2, () => cancelled(code));
    writes.at.length = 0;
    expect(await write(`Slow AZ15 ${n}`)).toMatchObject({ ok: true });
    expect(writes.at).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = writes.at;
    // 25 and 50 ms, less what a timer may be early.
    expect(second - first).toBeGreaterThan(20);
    expect(third - second).toBeGreaterThan(45);
  }
  // A conflict is not.
  writes.at.length = 0;
  expect(await write('Acme AZ15')).toMatchObject({
    ok: false,
    error: { retryable: false, code: 'conflict' },
  });
  expect(writes.at).toHaveLength(1);

  // What does not pass is reported when the time is up, and nothing was written.
  for (const [code, known] of [
    ['ThrottlingError', 'throttled'],
    ['TransactionConflict', 'contended'],
  ] as const) {
    writes.faults = repeated(1_000, () => cancelled(code));
    writes.at.length = 0;
    const answer = await provisionWithin(1_000)('Never AZ15');
    writes.faults = [];
    expect(answer).toMatchObject({ ok: false, error: { code: known, retryable: true } });
    expect(writes.at.length).toBeGreaterThan(2);
    expect(await record(() => world.refused('tenant.read', { name: 'Never AZ15' }))).toMatchObject({
      code: 'not_found',
    });
  }

  // Reads: the SDK tries again once, then the fault is reported, and never taken for "there is none".
  const gets = failing(world, 'GetItem');
  for (const [fault, code] of [
    [() => new ThrottlingException(details), 'throttled'],
    [() => new InternalServerError({ ...details, $metadata: { httpStatusCode: 500 } }), 'transient'],
  ] as const) {
    gets.faults = repeated(1, fault);
    gets.at.length = 0;
    expect(await record(() => world.run('tenant.read', { id: acme }))).toMatchObject({ name: 'Acme AZ15' });
    expect(gets.at).toHaveLength(2);
    gets.faults = repeated(10, fault);
    expect(await record(() => world.refused('tenant.read', { id: acme }))).toMatchObject({
      code,
      retryable: true,
    });
    gets.faults = [];
  }
});
