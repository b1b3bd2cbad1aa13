import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { ulid } from 'ulid';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { conflict, GatehouseError, notFound } from '../../table/errors.ts';
import type { Action } from '../../table/write/action.ts';
import { findingsIn } from './findings.ts';
import { createLedgerWorld, type LedgerWorld, writesOf } from './support.ts';

/**
 * What the service may answer to a transaction, the embedded engine's repertoire and beyond: which error it
 * becomes, and whether it is sent again. Nothing here waits: the pauses are counted. What a request as a whole may be
 * answered: test/table/service-errors.test.ts.
 */
const [FAILED, TOO_LARGE] = ['ConditionalCheckFailed', 'ItemCollectionSizeLimitExceeded'];
const SECRET = 'ann@example.com';
const client = createClient({ endpoint: 'http://127.0.0.1:1' });
const service = mockClient(client);

/** Pacing that never waits and whose time is up after so many pauses. */
function createPatience(pauses: number) {
  const over = new AbortController();
  const taken: number[] = [];
  const pause = async (attempt: number) => {
    taken.push(attempt);
    if (taken.length >= pauses) over.abort();
  };
  return { taken, pacing: { deadline: () => over.signal, pause } };
}

const item = { PK: 'EMAIL#x', SK: 'META', Type: 'Guard' };
const USER = { PK: 'USER#1', SK: 'META' };
const taken = (owner: unknown) => conflict('email', 'taken', String(owner));
const missing = () => notFound('user', 'user');
const actions: readonly Action[] = [
  { kind: 'put', item, when: { exists: false }, failure: (found) => taken(found?.owner) },
  { kind: 'update', key: USER, set: { email: SECRET }, when: { exists: true }, failure: missing },
  { kind: 'delete', key: { PK: 'USER#1', SK: 'DECISION' } },
];

type Reason = { Code: string; Message?: string; Item?: Record<string, { S: string }> };
const cancelled = (...codes: (string | Reason)[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: `Transaction cancelled for ${SECRET}`,
    CancellationReasons: codes.map((code) =>
      typeof code === 'string' ? { Code: code, Message: SECRET } : code,
    ),
  });
const thrown = (name: string, more: object = {}) =>
  Object.assign(new Error(`${name} ${SECRET}`), { name }, more);

/** Sends the actions to a service that fails with each of the errors in turn, and then succeeds. */
async function send(errors: readonly Error[], pauses = 3) {
  const { taken, pacing } = createPatience(pauses);
  const transactions = service.on(TransactWriteCommand);
  for (const error of errors) transactions.rejectsOnce(error);
  transactions.resolves({});
  const failure = await createWriter({ client, table: 'table', pacing })
    .send(actions)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  const tokens = service
    .commandCalls(TransactWriteCommand)
    .map(({ args }) => args[0].input.ClientRequestToken);
  return { failure, pauses: taken, tokens };
}

/** What becomes of the next transactions at DynamoDB: done without an answer, or not done but for this error. */
function createMishaps({ client }: Pick<LedgerWorld, 'client'>) {
  const mishaps: ('lost acknowledgement' | Error)[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const mishap = context.commandName === 'TransactWriteItemsCommand' ? mishaps.shift() : undefined;
      if (mishap instanceof Error) throw mishap;
      const answer = await next(args);
      if (mishap) throw thrown('TimeoutError');
      return answer;
    },
    { step: 'initialize' },
  );
  return mishaps;
}

beforeEach(() => void service.reset());

describe('a failed condition is the error that its action names, and is final', () => {
  test.each([
    ['of the first action', [FAILED, 'None', 'None'], 'conflict', 'email'],
    ['of the second action', ['None', FAILED, 'None'], 'not_found', 'user'],
    ['of both: the first speaks', [FAILED, FAILED, 'None'], 'conflict', 'email'],
    ['beside a conflict', ['TransactionConflict', FAILED, 'None'], 'not_found', 'user'],
    ['beside throttling', ['None', FAILED, 'ThrottlingError'], 'not_found', 'user'],
  ])('%s', async (_, codes, code, field) => {
    const { failure, pauses } = await send([cancelled(...codes)]);
    expect(failure).toMatchObject({ code, field, retryable: false });
    expect(pauses).toEqual([]);
  });

  test('it is told how the item stood', async () => {
    const found = { Code: FAILED, Item: { PK: { S: 'EMAIL#x' }, owner: { S: 'user:1' } } };
    expect((await send([cancelled(found, 'None', 'None')])).failure).toMatchObject({ holder: 'user:1' });
  });
});

describe('what may pass is sent again, as the same request, until the time is up', () => {
  test.each([
    ['a conflict with another transaction', cancelled('None', 'TransactionConflict', 'None'), 'contended'],
    ['throttling of one item', cancelled('None', 'None', 'ThrottlingError'), 'throttled'],
    ['throughput of one item', cancelled('ProvisionedThroughputExceeded', 'None', 'None'), 'throttled'],
    ['both of these', cancelled('TransactionConflict', 'ThrottlingError', 'None'), 'throttled'],
    ['throttling', thrown('ThrottlingException'), 'throttled'],
    ['the same request under way', thrown('TransactionInProgressException'), 'transient'],
    ['a connection that breaks', thrown('Error', { code: 'ECONNRESET' }), 'transient'],
  ])('%s', async (_, error, code) => {
    const passing = await send([error, error]);
    expect(passing).toMatchObject({ failure: undefined, pauses: [1, 2] });
    expect(passing.tokens).toHaveLength(3);
    expect(new Set(passing.tokens).size).toBe(1);
    expect(passing.tokens[0]).toMatch(/^[A-Za-z0-9_-]{1,36}$/);

    service.reset();
    const lasting = await send([error, error, error, error]);
    expect(lasting.failure).toBeInstanceOf(GatehouseError);
    expect(lasting).toMatchObject({ failure: { code, retryable: true }, pauses: [1, 2, 3] });
    expect(lasting.tokens).toHaveLength(3);
  });
});

test('when the time is up in the middle of an attempt, what the one before came to is told', async () => {
  const over = new AbortController();
  service
    .on(TransactWriteCommand)
    .rejectsOnce(thrown('ThrottlingException'))
    .callsFake(() => {
      over.abort();
      throw thrown('AbortError');
    });
  const pacing = { deadline: () => over.signal, pause: async () => {} };
  const sent = createWriter({ client, table: 'table', pacing }).send(actions);
  await expect(sent).rejects.toMatchObject({ code: 'throttled', retryable: true });
});

describe('what cannot pass is reported at once', () => {
  test.each([
    ['an item that would grow too large', cancelled('None', 'ValidationError', 'None'), 'limit_exceeded'],
    ['a collection of items that would', cancelled(TOO_LARGE, 'None', 'None'), 'limit_exceeded'],
    ['a cancellation without a reason', cancelled('None', 'None', 'None'), 'internal'],
    ['a cancellation without reasons', thrown('TransactionCanceledException'), 'internal'],
    ['a condition that failed where there is none', cancelled('None', 'None', FAILED), 'internal'],
    ['a request that is malformed', thrown('ValidationException'), 'internal'],
    ['another request under the token', thrown('IdempotentParameterMismatchException'), 'internal'],
  ])('%s', async (_, error, code) => {
    const { failure, pauses } = await send([error]);
    expect(failure).toMatchObject({ code, retryable: false });
    expect(pauses).toEqual([]);
  });
});

describe('provisioning', () => {
  let world: LedgerWorld;
  let mishaps: ReturnType<typeof createMishaps>;
  beforeAll(async () => {
    world = await createLedgerWorld();
    mishaps = createMishaps(world);
  });
  afterEach(async () => expect(await findingsIn(await world.everything(), world.clock)).toEqual([]));
  let count = 0;
  const event = () => ({ command: 'user.create', input: { email: `${++count}.${SECRET}` } });
  /** Provisioning on a real table whose transactions fail with the errors first. */
  const answerAfter = (...errors: (Error | 'lost acknowledgement')[]) => {
    const { pacing } = createPatience(3);
    mishaps.splice(0, mishaps.length, ...errors);
    const writer = world.watch(createWriter({ client: world.client, table: world.table, pacing }));
    return createProvisioning({ ...world, writer, newId: () => ulid() })(event());
  };
  const conflicted = cancelled('TransactionConflict', 'None', 'None', 'None', 'None');
  const full = cancelled('None', 'None', 'ValidationError', 'None', 'None');

  test.each([
    ['throttled', [1, 2, 3].map(() => thrown('ThrottlingException')), true],
    ['contended', [1, 2, 3].map(() => conflicted), true],
    ['transient', [1, 2, 3].map(() => thrown('TimeoutError')), true],
    ['limit_exceeded', [full], false],
    ['internal', [thrown('AccessDeniedException')], false],
    ['internal', [thrown('TypeError')], false],
  ])('answers %s without a word of the values, and has written nothing', async (code, errors, retryable) => {
    const answer = await answerAfter(...errors);
    expect(answer).toMatchObject({ ok: false, error: { code, retryable } });
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(await world.everything()).toEqual([]);
  });

  test('writes once the service lets it', async () => {
    expect(await answerAfter(conflicted, thrown('ThrottlingException'))).toMatchObject({ ok: true });
    const types = (await world.everything()).map((found) => found.Type).sort();
    expect(types.join(' ')).toBe('AuditCount AuditLog Decision Guard Operation PseudonymKey User');
  });

  test('does once what was done without an answer', async () => {
    const writes = await writesOf(world, async () =>
      expect(await answerAfter('lost acknowledgement')).toMatchObject({ ok: true }),
    );
    expect(writes).toBe(1);
  });
});
