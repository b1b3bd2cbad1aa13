import { afterAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatFreshnessToken } from '../../table/freshness-token.ts';
import { operationKey } from '../../table/keys.ts';
import { commandsOf, outcomeOf } from '../support/world.ts';
import { findingsOn } from './findings.ts';
import { createInputs, WRITE_COMMANDS } from './kinds.ts';
import { createLightLedgerWorld, type Input, type LedgerWorld, writesOf } from './support.ts';

/** Idempotency under `operationId`: however often, however late, whatever was lost on the way. */
const MONTH = 30 * 86_400_000;

let count = 0;
const newOperation = () => `operation-${++count}`;
const world = await createLightLedgerWorld();
const inputOf: (command: string) => Promise<Input> = createInputs(world);
afterAll(async () => expect(await findingsOn(world)).toEqual([]));

/** An answer as it is given again: a secret is shown once. */
function kept(answer: Answer): Answer {
  if (!answer.ok) return answer;
  const { token: _, ...result } = answer.result;
  return { ...answer, result };
}

describe.each(WRITE_COMMANDS)('%s', (command) => {
  test('when its twin is faster, again at once, and a month later: one write, and the same result', async () => {
    const event = { command, input: await inputOf(command), operationId: newOperation() };
    const writes = await writesOf(world, async () => {
      let first: unknown;
      const second = await world.provisionAround(event, async () => {
        first = kept(await world.provision(event));
      });
      expect(first).toMatchObject({ ok: true, token: expect.stringMatching(/^gh1\./) });
      expect(second).toEqual(first);
      const count = world.transactions.length;
      expect(await world.provision(event)).toEqual(first);
      world.clock.advance(MONTH);
      // The token is of the time of the answer, as of every answer.
      const token = formatFreshnessToken(world.clock.now());
      expect(await world.provision(event)).toEqual({ ...(first as object), token });
      expect(world.transactions.length).toBe(count);
    });
    expect(writes).toBe(1);
  });
});

describe.each(['user.create', 'user.delete', 'user.update', 'grant.create', 'grant.update', 'role.delete'])(
  '%s',
  (command) => {
    test('when its twin is done before it has planned: the same answer, whatever the twin has changed', async () => {
      const event = { command, input: await inputOf(command), operationId: newOperation() };
      let twin: unknown;
      // The first thing read is the record of the operation; there is none yet.
      const get: typeof world.reader.get = async (key) => {
        const item = await world.reader.get(key);
        twin ??= await world.provision(event);
        return item;
      };
      const slow = commandsOf({ ...world, reader: { ...world.reader, get } });
      expect(await slow.provision(event)).toEqual(twin);
      expect(twin).toMatchObject({ ok: true });
    });

    test('three times at once: one write, and all get its answer', async () => {
      const event = { command, input: await inputOf(command), operationId: newOperation() };
      const writes = await writesOf(world, async () => {
        const [first, ...others] = await Promise.all([1, 2, 3].map(() => world.provision(event)));
        expect(first).toMatchObject({ ok: true });
        for (const other of others) expect(other).toEqual(first);
      });
      expect(writes).toBe(1);
    });
  },
);

describe('an operationId', () => {
  test('that was used for another input or command is a mismatch, and nothing is written', async () => {
    const operationId = newOperation();
    await world.provision({ command: 'user.create', input: { username: 'first' }, operationId });
    const { id } = await world.run('user.read', { username: 'first' });
    const count = world.transactions.length;
    for (const other of [
      { command: 'user.create', input: { username: 'second' } },
      { command: 'user.create', input: {} },
      { command: 'group.create', input: { username: 'first' } },
      { command: 'user.delete', input: { id } },
    ]) {
      const answer = await world.provision({ ...other, operationId });
      // What is no good input of its command is that before anything else.
      const code = other.command === 'group.create' ? 'invalid' : 'operation_mismatch';
      expect(answer).toMatchObject({ ok: false, error: { code, retryable: false } });
    }
    expect(world.transactions.length).toBe(count);
  });

  test('does not mind in which order the fields of an input stand', async () => {
    const operationId = newOperation();
    const first = { givenName: 'Ann', familyName: 'Arbor' };
    const answer = await world.provision({ command: 'user.create', input: first, operationId });
    const turned = { familyName: 'Arbor', givenName: 'Ann' };
    expect(await world.provision({ command: 'user.create', input: turned, operationId })).toEqual(answer);
  });

  test('with two inputs at once: one is done, the other is a mismatch', async () => {
    const operationId = newOperation();
    const writes = await writesOf(world, async () => {
      const named = (username: string) =>
        world.provision({ command: 'user.create', input: { username }, operationId });
      const outcomes = (await Promise.all(['left', 'right'].map(named))).map(outcomeOf);
      expect(outcomes.toSorted()).toEqual(['ok', 'operation_mismatch operationId']);
    });
    expect(writes).toBe(1);
  });

  test('answers as it did the first time, whatever has happened since', async () => {
    const event = { command: 'user.create', input: { username: 'passing' }, operationId: newOperation() };
    const first = await world.provision(event);
    const { id } = await world.run('user.read', { username: 'passing' });
    await world.run('user.delete', { id });
    expect(await world.provision(event)).toEqual(first);
    expect(await world.refused('user.read', { id })).toMatchObject({ code: 'not_found' });
  });

  test('of which nobody can see whether a copy has carried it out is answered as unknown', async () => {
    const { id } = await world.run('user.create', {});
    const event = { command: 'user.delete', input: { id }, operationId: newOperation() };
    let looks = 0;
    const get: LedgerWorld['reader']['get'] = async (key) => {
      if (key.PK !== operationKey(event.operationId).PK) return world.reader.get(key);
      if (++looks > 1) throw new GatehouseError('transient', 'GetItem did not get an answer in time');
      const record = await world.reader.get(key);
      // The copy is faster: this one's plan finds no user any more.
      expect(await world.provision(event)).toMatchObject({ ok: true });
      return record;
    };
    const unlucky = commandsOf({ ...world, reader: { ...world.reader, get } });
    expect(await unlucky.provision(event)).toMatchObject({ error: { code: 'transient', retryable: true } });
    expect(await world.provision(event)).toMatchObject({ ok: true });
    expect(looks).toBe(2);
  });

  test('is not used up by a command that failed', async () => {
    const event = { command: 'user.create', input: { username: 'wanted' }, operationId: newOperation() };
    const { id } = await world.run('user.create', { username: 'wanted' });
    expect(await world.provision(event)).toMatchObject({ error: { code: 'conflict' } });
    await world.run('user.delete', { id });
    expect(await world.provision(event)).toMatchObject({ ok: true });
  });

  test('is remembered for good; one that nobody chose is forgotten after a day', async () => {
    const operationId = newOperation();
    await world.provision({ command: 'user.create', input: {}, operationId });
    expect(await world.reader.get(operationKey(operationId))).not.toHaveProperty('ttl');
    const first = world.transactions.length;
    await world.run('user.create', {});
    const unnamed = (await world.touchedSince(first)).find((item) => item.Type === 'Operation');
    expect(unnamed?.ttl).toBe(Math.floor(world.clock.now() / 1000) + 86_400);
  });
});
