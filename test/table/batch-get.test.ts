import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { refusalOf } from './support.ts';

const TABLE = 'the-table';
const key = (n: number): Key => ({ PK: `USER#${n}`, SK: 'DECISION' });
const item = (n: number): Item => ({ ...key(n), n });
const keys = (count: number, from = 0) => Array.from({ length: count }, (_, i) => key(from + i));

type Answer = Record<string, unknown> | Error;

/** A reader over a service that answers call by call as told; time passes only with the pauses. */
function setUp(answer: (asked: readonly Key[], call: number) => Answer, pausesUntilDeadline = 1_000) {
  const client = createClient({ endpoint: 'http://127.0.0.1:1' });
  const deadline = new AbortController();
  const pauses: number[] = [];
  const inputs: BatchGetCommandInput[] = [];
  mockClient(client)
    .on(BatchGetCommand)
    .callsFake(async (input: BatchGetCommandInput) => {
      inputs.push(input);
      const outcome = answer((input.RequestItems?.[TABLE]?.Keys ?? []) as Key[], inputs.length);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  const reader = createReader({
    client,
    table: TABLE,
    pacing: {
      deadline: () => deadline.signal,
      pause: async (attempt) => {
        pauses.push(attempt);
        if (pauses.length === pausesUntilDeadline) deadline.abort();
      },
    },
  });
  const asked = () => inputs.map((input) => (input.RequestItems?.[TABLE]?.Keys ?? []) as Key[]);
  return { reader, inputs, asked, pauses };
}

const itemOf = ({ PK, SK }: Key): Item => ({ PK, SK, n: Number(PK.slice(5)) });
const all = (asked: readonly Key[]) => ({ Responses: { [TABLE]: asked.map(itemOf) } });
const unread = (left: readonly Key[]) => ({ [TABLE]: { Keys: [...left] } });

describe('keys', () => {
  test('are read 100 a call, all of them strongly consistent', async () => {
    const { reader, inputs, asked } = setUp(all);
    const items = await reader.getMany(keys(250));
    expect(items).toEqual(Array.from({ length: 250 }, (_, n) => item(n)));
    expect(asked().map((each) => each.length)).toEqual([100, 100, 50]);
    for (const input of inputs) {
      expect(Object.keys(input.RequestItems ?? {})).toEqual([TABLE]);
      expect(input.RequestItems?.[TABLE]?.ConsistentRead).toBe(true);
    }
  });

  test('that are there twice are asked once, since DynamoDB refuses duplicates, and answered twice', async () => {
    const { reader, asked } = setUp(all);
    const twice = [key(1), key(2), { ...key(1) }, { PK: 'USER#1', SK: 'META' }];
    const items = await reader.getMany(twice);
    expect(asked()).toEqual([[key(1), key(2), { PK: 'USER#1', SK: 'META' }]]);
    expect(items.map((each) => each && [each.PK, each.SK])).toEqual(twice.map(({ PK, SK }) => [PK, SK]));
  });

  test('are sent without whatever else their objects hold', async () => {
    const { reader, asked } = setUp(all);
    await reader.getMany([item(1)]);
    expect(asked()).toEqual([[key(1)]]);
  });

  test('are answered in their order, whatever the order of the service, absent ones with undefined', async () => {
    const { reader } = setUp((asked) => ({
      Responses: {
        [TABLE]: asked
          .filter(({ PK }) => PK !== 'USER#1')
          .map(itemOf)
          .reverse(),
      },
    }));
    expect(await reader.getMany(keys(4))).toEqual([item(0), undefined, item(2), item(3)]);
  });
});

describe('keys that come back unread', () => {
  test('are asked again, only they, with a pause before each attempt', async () => {
    const { reader, asked, pauses } = setUp(([first, ...left]) => ({
      Responses: { [TABLE]: first ? [itemOf(first)] : [] },
      UnprocessedKeys: left.length > 0 ? unread(left) : {},
    }));
    expect(await reader.getMany(keys(3))).toEqual([item(0), item(1), item(2)]);
    expect(asked()).toEqual([[key(0), key(1), key(2)], [key(1), key(2)], [key(2)]]);
    expect(pauses).toEqual([1, 2]);
  });

  test('may be all of them, with nothing read at all', async () => {
    const { reader, inputs } = setUp((asked, call) =>
      call === 1 ? { UnprocessedKeys: unread(asked) } : all(asked),
    );
    expect(await reader.getMany(keys(2))).toEqual([item(0), item(1)]);
    expect(inputs.every((input) => input.RequestItems?.[TABLE]?.ConsistentRead)).toBe(true);
  });

  test('for ever are throttling at the deadline, and never absent', async () => {
    const { reader, pauses } = setUp(
      ([first, ...left]) => ({
        Responses: { [TABLE]: left.length > 0 && first ? [itemOf(first)] : [] },
        UnprocessedKeys: unread(left.length > 0 || !first ? left : [first]),
      }),
      7,
    );
    expect(await refusalOf(() => reader.getMany(keys(3)))).toMatchObject({
      code: 'throttled',
      retryable: true,
    });
    expect(pauses).toHaveLength(7);
  });

  test('in one call of three fail the whole read', async () => {
    const { reader } = setUp(
      (asked) => (asked.length < 100 ? { UnprocessedKeys: unread(asked) } : all(asked)),
      2,
    );
    expect(await refusalOf(() => reader.getMany(keys(201)))).toMatchObject({ code: 'throttled' });
  });
});

describe('half an answer is none', () => {
  test.each<readonly [what: string, answer: Answer]>([
    ['nothing', {}],
    ['no table', { Responses: {} }],
    ['another table', { Responses: { 'the-table-2': [] } }],
    ['unread keys of another table', { UnprocessedKeys: { 'the-table-2': { Keys: [key(0)] } } }],
    ['an item nobody asked for', { Responses: { [TABLE]: [item(0), item(9)] } }],
    ['an item with another sort key', { Responses: { [TABLE]: [{ PK: 'USER#0', SK: 'META' }] } }],
    ['an item without its key', { Responses: { [TABLE]: [{ n: 0 }] } }],
    [
      'an unread key nobody asked for',
      { Responses: { [TABLE]: [item(0)] }, UnprocessedKeys: unread([key(9)]) },
    ],
  ])('%s', async (_what, answer) => {
    const { reader } = setUp(() => answer);
    expect(await refusalOf(() => reader.getMany(keys(2)))).toMatchObject({
      code: 'internal',
      retryable: false,
    });
  });
});

describe('a failure', () => {
  const failure = (name: string) => Object.assign(new Error('it says USER#1 is secret'), { name });

  test('of one call of three fails the whole read', async () => {
    const { reader } = setUp((asked) => (asked.length < 100 ? failure('ThrottlingException') : all(asked)));
    expect(await refusalOf(() => reader.getMany(keys(201)))).toMatchObject({ code: 'throttled' });
  });

  test('after half of the keys were read fails the whole read', async () => {
    const { reader } = setUp(([first, ...left], call) =>
      call === 1 && first
        ? { Responses: { [TABLE]: [itemOf(first)] }, UnprocessedKeys: unread(left) }
        : failure('InternalServerError'),
    );
    expect(await refusalOf(() => reader.getMany(keys(2)))).toMatchObject({ code: 'transient' });
  });
});
