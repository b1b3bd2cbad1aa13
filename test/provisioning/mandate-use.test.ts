import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMandates, type MandateUse } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { mandateUsesKey } from '../../table/keys.ts';
import type { Writer } from '../../table/writer.ts';
import { watchReads } from '../support/watched-reader.ts';
import { afterWrites, watchWrites } from '../support/watched-writer.ts';
import { copyOf, createMemoryWorld } from '../support/world.ts';
import { furnishMandates, MANDATE, USE } from './mandates.ts';
import type { Input } from './support.ts';

type World = ReturnType<typeof createMemoryWorld>;
const furnished = createMemoryWorld();
beforeAll(() => furnishMandates(furnished));
let world: World;
beforeEach(() => {
  world = copyOf(furnished);
});

const PAYER = { role: 'payer', permission: 'invoices:*:*' };
const create = (more: Input) => world.run('mandate.create', { ...MANDATE, ...more });
const used = async () => (await world.reader.get(mandateUsesKey('m1')))?.used ?? 0;

let operations = 0;
/** One use, with the writer of the world or another one. */
const use = (more: Partial<MandateUse> = {}, writer: Writer = world.writer) =>
  createMandates({ ...world, writer }).use({ ...USE, operationId: `op-${++operations}`, ...more });
const pay = (amount: unknown) => use({ properties: { amount } });

/** Changes the table between what a use has read and what it writes. */
const changedMeanwhile = (change: () => Promise<unknown>) =>
  watchWrites(world.writer, (number) => (number === 1 ? change() : undefined));

test('a use is in the activity of both, whoever counts it', async () => {
  await create({ budget: { uses: 2 } });
  await use({ operationId: 'by-itself' });
  const event = { command: 'mandate.use', input: USE, operationId: 'vouched', actor: 'user:till' };
  await world.provision(event);
  const acting = { actor: USE.actor, onBehalfOf: USE.subject, mandate: 'mandate:m1' };
  for (const by of [{ user: 'ann' }, { actor: 'agent:bot' }]) {
    const { items } = await world.run('audit.list', by);
    const uses = (items as Item[]).filter(({ action }) => action === 'mandate.use');
    expect(uses).toMatchObject([acting, acting]);
    const vouched = uses.map(({ operationId, vouchedBy }) => [operationId, vouchedBy]);
    expect(vouched.sort()).toEqual([
      ['by-itself', undefined],
      ['vouched', 'user:till'],
    ]);
  }
});

describe('a budget of uses', () => {
  test('is counted, until it is spent', async () => {
    await create({ budget: { uses: 2 } });
    const first = { allowed: true, mandate: 'm1', use: 'first', remaining: 1 };
    expect(await use({ operationId: 'first' })).toEqual(first);
    expect(await use()).toMatchObject({ allowed: true, remaining: 0 });
    expect(await use()).toEqual({ allowed: false, mandate: 'm1', reason: 'budget_spent' });
    expect(await used()).toBe(2);
  });

  test('gives the same operation the same receipt, and counts it once', async () => {
    await create({ budget: { uses: 2 } });
    const first = await use({ operationId: 'op' });
    await use();
    expect(await use({ operationId: 'op' })).toEqual(first);
    expect(await used()).toBe(2);
    const other = use({ operationId: 'op', scope: 'tenant:acme' });
    await expect(other).rejects.toMatchObject({ code: 'operation_mismatch' });
  });

  test('that is spent while a use is under way refuses it', async () => {
    await create({ budget: { uses: 1 } });
    const writer = changedMeanwhile(() => use());
    expect(await use({}, writer)).toMatchObject({ allowed: false, reason: 'budget_spent' });
    expect(await used()).toBe(1);
  });
});

describe('uses at the same time', () => {
  const contended = () => new GatehouseError('contended', 'another change to the same items was under way');

  test('of one process do not meet, and none waits for one that failed', async () => {
    await create({ budget: { uses: 100 } });
    let isSending = false;
    const writer: Writer = {
      send: async (actions, notes) => {
        if (isSending) throw contended();
        isSending = true;
        await Promise.resolve();
        try {
          await world.writer.send(actions, notes);
        } finally {
          isSending = false;
        }
      },
    };
    const mandates = createMandates({ ...world, writer });
    const wrong = mandates.use({ ...USE, operationId: '', properties: {} });
    const receipts = Array.from({ length: 100 }, (_, n) =>
      mandates.use({ ...USE, operationId: `at-once-${n}` }),
    );
    await expect(wrong).rejects.toMatchObject({ code: 'invalid' });
    const remaining = (await Promise.all(receipts)).map((receipt) => receipt.allowed && receipt.remaining);
    expect(new Set(remaining).size).toBe(100);
    expect(await used()).toBe(100);
  });

  /** Meets uses of other processes, so many times, for as long as a write tries. */
  const meeting = (times: number) => {
    let sent = 0;
    const writer = watchWrites(world.writer, (number) => {
      sent = number;
      if (number > times) return;
      world.clock.advance(3_000);
      throw contended();
    });
    return { writer, sent: () => sent };
  };

  test('of other processes are waited for, until the time of a command is up', async () => {
    await create({ budget: { uses: 2 } });
    expect(await use({}, meeting(6).writer)).toMatchObject({ allowed: true, remaining: 1 });
    const { writer, sent } = meeting(100);
    await expect(use({}, writer)).rejects.toMatchObject({ code: 'contended', retryable: true });
    expect(sent()).toBe(7);
    expect(await used()).toBe(1);
  });

  test('are counted one by one in a batch', async () => {
    await create({ budget: { uses: 1 } });
    const batch = [1, 2].map(() => ({ command: 'mandate.use', input: USE }));
    const answers = [{ allowed: true }, { allowed: false, reason: 'budget_spent' }].map((result) => ({
      result,
    }));
    expect(await world.provision({ batch })).toMatchObject({ result: { answers } });
  });
});

describe('a budget of a sum', () => {
  test('is counted by the amount', async () => {
    await create({ budget: { sum: 500, of: 'amount' } });
    expect(await pay(300)).toMatchObject({ allowed: true, remaining: 200 });
    expect(await pay(201)).toMatchObject({ allowed: false, reason: 'budget_spent' });
    expect(await pay(0)).toMatchObject({ allowed: true, remaining: 200 });
    expect(await pay(200)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await used()).toBe(500);
  });

  test.each<[string, Input]>([
    ['no amount', {}],
    ['a negative one', { amount: -1 }],
    ['a fraction', { amount: 1.5 }],
    ['a text', { amount: '5' }],
    ['a truth', { amount: true }],
    ['a list', { amount: [5] }],
    ['nothing', { amount: null }],
    ['no number', { amount: Number.NaN }],
    ['one without end', { amount: Number.POSITIVE_INFINITY }],
    ['one that JSON reads as without end', JSON.parse('{"amount":1e999}')],
    ['one that is too large to be exact', { amount: 2 ** 53 }],
    ['a whole number of another type', { amount: 5n }],
    ['a text of any length', { amount: '5'.repeat(5_000) }],
    ['half a character', { amount: '\ud800' }],
    ['a date', { amount: new Date(5) }],
    ['what says that it is one', { amount: { valueOf: () => 5 } }],
  ])('is not used with %s', async (_what, properties) => {
    await create({ budget: { sum: 500, of: 'amount' } });
    expect(await use({ properties })).toMatchObject({ allowed: false, reason: 'budget_amount' });
    expect(await used()).toBe(0);
  });

  test('counts what was given when the use began', async () => {
    await create({ budget: { sum: 500, of: 'amount' } });
    const properties = { amount: 1 };
    const writer = changedMeanwhile(async () => {
      properties.amount = 500;
    });
    const reader = watchReads(world.reader, (method) => {
      if (method === 'getSnapshot') properties.amount = 0;
    });
    const { use } = createMandates({ ...world, reader, writer });
    expect(await use({ ...USE, operationId: 'op', properties })).toMatchObject({ remaining: 499 });
    expect(await used()).toBe(1);
  });

  test('is not used by a name that every object has', async () => {
    await create({ budget: { sum: 500, of: 'valueOf' } });
    expect(await use()).toMatchObject({ allowed: false, reason: 'budget_amount' });
  });
});

describe('what is not allowed is not counted', () => {
  test.each<[string, Partial<MandateUse>, string]>([
    ['another subject', { subject: 'user:bob' }, 'no_grant'],
    ['another actor', { actor: 'agent:free' }, 'actor_no_grant'],
    ['a scope that the mandate does not name', { scope: 'tenant:acme' }, 'mandate_scope'],
    ['a permission that it does not name', { permission: 'invoices:read:invoice' }, 'mandate_permission'],
    ['what its condition refuses', { properties: { amount: 9 } }, 'mandate_condition_failed'],
  ])('%s', async (_what, more, reason) => {
    const when = 'action.properties.amount < 9';
    await create({ permissions: ['invoices:pay:invoice'], when, budget: { uses: 9 } });
    const refused = { allowed: false, mandate: 'm1', reason };
    expect(await use({ properties: { amount: 1 }, ...more })).toEqual(refused);
    expect(await used()).toBe(0);
  });

  test('once the mandate is over', async () => {
    await create({ budget: { uses: 9 } });
    await create({ id: 'm2', budget: { uses: 9 } });
    await world.run('mandate.end', { id: 'm1' });
    expect(await use()).toMatchObject({ allowed: false, reason: 'mandate_inactive' });
    world.clock.advance(24 * 3_600_000);
    expect(await use({ mandate: 'm2' })).toMatchObject({ allowed: false, reason: 'mandate_ended' });
  });

  test.each<[string, string, Input, string]>([
    ['the subject’s right', 'grant.delete', { user: 'ann', scope: 'tenant:acme' }, 'no_grant'],
    ['the actor’s right', 'grant.delete', { user: 'agent:bot', scope: 'tenant:acme' }, 'actor_no_grant'],
    ['what the role allows', 'role-permission.delete', PAYER, 'no_grant'],
    ['the scope', 'location.update', { id: 'north', status: 'suspended' }, 'scope_inactive'],
    ['the mandate', 'mandate.end', { id: 'm1' }, 'mandate_inactive'],
  ])('where %s is taken while it is under way', async (_what, command, input, reason) => {
    await create({ budget: { uses: 9 } });
    const writer = changedMeanwhile(() => world.run(command, input));
    expect(await use({}, writer)).toMatchObject({ allowed: false, reason });
    expect(await used()).toBe(0);
  });

  test('nor is a mandate used that has no budget, or is not there', async () => {
    await create({});
    await expect(use()).rejects.toMatchObject({ code: 'invalid', field: 'mandate' });
    await expect(use({ mandate: 'none' })).rejects.toMatchObject({ code: 'not_found', field: 'mandate' });
  });

  test('where the count is damaged', async () => {
    await create({ budget: { uses: 9 } });
    const item = { ...mandateUsesKey('m1'), Type: 'MandateUses', used: '1' };
    await world.writer.send([{ kind: 'put', item }]);
    await expect(use()).rejects.toMatchObject({ code: 'damaged_item' });
  });
});

test('a use whose acknowledgement was lost is answered by its repetition', async () => {
  await create({ budget: { uses: 2 } });
  const close = () => Promise.reject(new Error('the connection was closed'));
  const lost = afterWrites(world.writer, close);
  const answer = await use({ operationId: 'lost' }, lost).catch((error: unknown) => error);
  const receipt = await use({ operationId: 'lost' });
  expect(receipt).toMatchObject({ allowed: true, remaining: 1 });
  expect([receipt, expect.any(Error)]).toContainEqual(answer);
  expect(await used()).toBe(1);
});

test('several uses in one transaction are each counted', async () => {
  await create({ budget: { uses: 3 } });
  const part = { command: 'mandate.use', input: USE };
  const write = (count: number) =>
    world.provision({ command: 'transaction.write', input: { commands: Array(count).fill(part) } });
  const { ok } = await write(2);
  expect(ok).toBe(true);
  expect(await used()).toBe(2);
  const answer = await write(2);
  expect(answer).toMatchObject({ ok: true, result: { results: [{ allowed: true }, { allowed: false }] } });
  expect(await used()).toBe(3);
});
