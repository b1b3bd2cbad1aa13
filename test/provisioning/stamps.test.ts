import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { decodeStamp } from '../../table/decision/decode.ts';
import { GatehouseError } from '../../table/errors.ts';
import { readFreshnessToken } from '../../table/freshness-token.ts';
import { decisionKey, guardKey, parseKey } from '../../table/keys.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { watchReads } from '../support/watched-reader.ts';
import { afterWrites, watchWrites } from '../support/watched-writer.ts';
import { commandsOf } from '../support/world.ts';
import { createInputs, WRITE_COMMANDS } from './kinds.ts';
import { createLightLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/**
 * Each write of a decision item or a guard carries the time at which it is sent and the id of its transaction, known
 * here by its key alone: one that went without would leave the item with the stamp of an older write, and nobody
 * would see it (SPEC section 2).
 */
const stamping = new Set<string>();
const world = await createLightLedgerWorld();
const inputOf: (command: string) => Promise<Input> = createInputs(world);

const formOf = (action: Action) => String(parseKey(keyOf(action))?.form);
const isStamped = (action: Action): boolean =>
  ['decision', 'tenant-effects', 'guard'].includes(formOf(action)) &&
  (action.kind === 'put' || action.kind === 'update');

const written = (action: Action): Input | undefined =>
  action.kind === 'put' ? action.item : action.kind === 'update' ? action.set : undefined;

test.each(WRITE_COMMANDS)('%s', async (command) => {
  const input = await inputOf(command);
  const ids = new Set<unknown>();
  const look = (_: number, actions: readonly Action[]) => {
    const [sentAt, stamps] = [world.clock.now(), actions.filter(isStamped).map(written)];
    for (const stamp of stamps)
      expect(stamp).toMatchObject({ writtenAt: sentAt, writeId: stamps[0]?.writeId });
    for (const action of actions) {
      if (formOf(action) !== 'guard' && isStamped(action))
        expect(written(action)).toMatchObject({ Type: 'Decision' });
    }
    if (stamps.length > 0) {
      stamping.add(command);
      const id = stamps[0]?.writeId;
      expect(typeof id === 'string' && id !== '').toBe(true);
      // Another transaction, be it of the same command, is another write.
      expect(ids.has(id)).toBe(false);
      ids.add(id);
    }
  };
  // Reading takes its time: what is sent is not of the moment at which it was planned.
  const reader = watchReads(world.reader, () => world.clock.advance(1));
  await commandsOf({ ...world, reader, writer: watchWrites(world.writer, look) }).run(command, input);
});

test('a transaction that waited for items that others shared has the time of its sending', async () => {
  const waits: number[] = [];
  const writer = watchWrites(world.writer, (_, actions) => {
    for (const { writtenAt } of actions.filter(isStamped).map((action) => written(action) ?? {}))
      expect(writtenAt).toBe(world.clock.now());
    world.clock.advance(50);
  });
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    world.clock.advance(milliseconds);
  };
  const provision = createProvisioning({ ...world, writer, sleep, newId: () => ulid() });
  const id = ulid();
  const inBatch = async (command: string, input: Input) => {
    const answer = await provision({ batch: [{ command, input }] });
    expect(answer).toMatchObject({ ok: true, result: { answers: [{ ok: true }] } });
  };
  await inBatch('tenant.create', { id, name: id });
  await inBatch('tenant.update', { id, status: 'suspended' });
  await inBatch('tenant.update', { id, status: 'active' });
  expect(waits).toEqual([50, 50]);
});

test('there are such writes', () => expect(stamping.size).toBeGreaterThan(60));

describe('which write it is', () => {
  const email = () => `${ulid().toLowerCase()}@example.com`;
  const stampsOf = async (address: string, id: unknown) => ({
    guard: decodeStamp((await world.reader.get(guardKey('EMAIL', address))) as never),
    user: decodeStamp((await world.reader.get(decisionKey({ type: 'user', id: String(id) }))) as never),
  });

  test('what a guard repeats of its owner comes with a stamp as well', async () => {
    const address = email();
    const { id } = await world.run('user.create', { email: address });
    const before = await stampsOf(address, id);
    await world.run('user.update', { id, emailProvider: 'google' });
    expect((await stampsOf(address, id)).guard.writeId).not.toBe(before.guard.writeId);
  });

  test('is another for what is planned anew', async () => {
    const sent: unknown[] = [];
    const writer = watchWrites(world.writer, (number, actions) => {
      sent.push(actions.map(written).find((each) => each?.writeId)?.writeId);
      if (number === 1) throw new GatehouseError('stale', 'changed by someone else meanwhile');
    });
    const address = email();
    const { id } = await commandsOf({ ...world, writer }).run('user.create', { email: address });
    expect(sent).toHaveLength(2);
    expect(new Set(sent).size).toBe(2);
    expect((await stampsOf(address, id)).user.writeId).toBe(sent[1]);
  });
});

describe('the freshness token', () => {
  const timeOf = (answer: Awaited<ReturnType<LedgerWorld['provision']>>) =>
    answer.ok ? readFreshnessToken(String(answer.token)) : undefined;

  const slowly = (after: () => void) =>
    commandsOf({ ...world, writer: afterWrites(world.writer, after) }).provision;

  test('is of the time of the answer, not of the write, which may have taken long', async () => {
    const sentAt = world.clock.now();
    const provision = slowly(() => world.clock.advance(2_500));
    expect(timeOf(await provision({ command: 'user.create', input: {} }))).toBe(sentAt + 2_500);
  });

  test('of a repeated operation is of the time of the repetition: its write may have arrived late', async () => {
    const event = { command: 'user.create', input: {}, operationId: ulid() };
    const first = await world.provision(event);
    world.clock.advance(7_000);
    const again = await world.provision(event);
    expect(again).toMatchObject({ ok: true, result: (first as { result: Input }).result });
    expect(timeOf(again)).toBe(world.clock.now());
  });

  test('of what was acknowledged to nobody is of the time at which it was found', async () => {
    const { id } = await world.run('user.create', {});
    const provision = slowly(() => {
      world.clock.advance(3_000);
      throw new GatehouseError('transient', 'TransactWriteItems did not get an answer in time');
    });
    expect(timeOf(await provision({ command: 'user.delete', input: { id } }))).toBe(world.clock.now());
  });

  test('does not come with a dry run, which wrote nothing', async () => {
    const answer = await world.provision({ command: 'user.create', input: {}, dryRun: true });
    expect(answer).toEqual({ ok: true, result: expect.anything(), dryRun: true });
  });
});
