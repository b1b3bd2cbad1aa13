import { ulid } from 'ulid';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { findingsIn } from './findings.ts';
import { createInputs, WRITE_COMMANDS } from './kinds.ts';
import { createMishaps, TIMED_OUT } from './mishaps.ts';
import { createLedgerWorld, type Input, writesOf } from './support.ts';

/** Our own retry after an answer of DynamoDB was lost does nothing twice. */
/** The retry is the writer's, the same for all commands: in the soak tier each of them is sent. */
const EACH = size(5, 1);
const SOME = WRITE_COMMANDS.filter((_, n) => n % EACH === SEED % EACH);
let count = 0;
const newOperation = () => `operation-${++count}`;
const world = await createLedgerWorld();
const mishaps = createMishaps(world);
const inputOf: (command: string) => Promise<Input> = createInputs(world);
beforeEach(() => void mishaps.splice(0));
afterAll(async () => {
  mishaps.length = 0;
  expect(await findingsIn(await world.everything(), world.clock)).toEqual([]);
});

describe.each(SOME)('%s', (command) => {
  test('with a lost acknowledgement: done once, and answered', async () => {
    const input = await inputOf(command);
    world.calls.length = 0;
    const writes = await writesOf(world, async () => {
      mishaps.push('lost acknowledgement');
      // Nobody chose an operationId: it is our own retry that must not do it twice.
      expect(await world.provision({ command, input })).toMatchObject({ ok: true });
    });
    expect(writes).toBe(1);
    // An erasure has a second transaction, after the deletion; an apply has one before, which takes its tenant.
    const sent = ['user.erase', 'tenant.apply'].includes(command) ? 3 : 2;
    expect(world.calls.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(sent);
  });
});

describe('when the time is up after a lost acknowledgement', () => {
  /** A writer whose deadline is over after the first attempt. */
  const impatient = () => {
    const over = new AbortController();
    const pacing = { deadline: () => over.signal, pause: async () => over.abort() };
    return createProvisioning({
      ...world,
      writer: world.watch(createWriter({ client: world.client, table: world.table, pacing })),
      newId: () => ulid(),
    });
  };
  const event = () => ({ command: 'user.create', input: {}, operationId: newOperation() });

  test('what was written is answered as done', async () => {
    const deletion = { command: 'user.delete', input: { id: (await world.run('user.create', {})).id } };
    for (const each of [event(), { command: 'user.create', input: {} }, deletion]) {
      mishaps.push('lost acknowledgement');
      expect(await impatient()(each)).toMatchObject({ ok: true });
    }
  });

  test('what was not written is reported as transient, and can be sent again', async () => {
    mishaps.push(TIMED_OUT);
    const same = event();
    const writes = await writesOf(world, async () => {
      expect(await impatient()(same)).toMatchObject({ error: { code: 'transient', retryable: true } });
    });
    expect(writes).toBe(0);
    expect(await world.provision(same)).toMatchObject({ ok: true });
  });
});
