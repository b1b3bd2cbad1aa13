import { ulid } from 'ulid';
import { beforeAll, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { readFreshnessToken } from '../../table/freshness-token.ts';
import { parseKey } from '../../table/keys.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import type { Writer } from '../../table/write/writer.ts';
import { createInputs, WRITE_COMMANDS } from './kinds.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/**
 * Each write of a decision item carries the time at which it is sent (ADR 0008), known here by its key alone: one
 * that went without would leave the item with the time of an older write, and nobody would see it.
 */
let world: LedgerWorld;
let inputOf: (command: string) => Promise<Input>;
const stamping = new Set<string>();
beforeAll(async () => {
  world = await createLedgerWorld();
  inputOf = createInputs(world);
});

const isOfDecision = (action: Action): boolean =>
  ['decision', 'owned-effects'].includes(String(parseKey(keyOf(action))?.form));

const written = (action: Action): Input | undefined =>
  action.kind === 'put' ? action.item : action.kind === 'update' ? action.set : undefined;

test.each(WRITE_COMMANDS)('%s', async (command) => {
  const input = await inputOf(command);
  let sentAt: number | undefined;
  const send: Writer['send'] = async (actions) => {
    sentAt = world.clock.now();
    for (const action of actions.filter(isOfDecision)) {
      if (action.kind === 'delete') continue;
      expect(written(action)).toMatchObject({ Type: 'Decision', writtenAt: sentAt });
      stamping.add(command);
    }
    await world.writer.send(actions);
  };
  // Reading takes its time: what is sent is not of the moment at which it was planned.
  const slow =
    <A extends readonly unknown[], R>(read: (...given: A) => R) =>
    (...given: A): R => {
      world.clock.advance(1);
      return read(...given);
    };
  const { get, getMany, list, listAll } = world.reader;
  const reader = {
    ...world.reader,
    get: slow(get),
    getMany: slow(getMany),
    list: slow(list),
    listAll: slow(listAll),
  };
  const provision = createProvisioning({ ...world, reader, writer: { send }, newId: () => ulid() });
  const answer = await provision({ command, input });
  expect(answer.ok && readFreshnessToken(answer.token)).toBe(sentAt);
});

test('there are such writes', () => {
  expect(stamping.size).toBeGreaterThan(50);
});
