import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { Random } from '../../test/proof/oracle/random.ts';
import { ASSUMED } from './assumptions.ts';
import { type Partitions, readUnitsOf } from './partitions.ts';
import type { Population } from './population.ts';

/** What an instance has asked DynamoDB for: calls, second attempts included, and read units of what was answered. */
export const nothingAsked = () => ({ calls: 0, units: 0 });
export type Asked = ReturnType<typeof nothingAsked>;

export interface ServiceOptions {
  /** Lets so many milliseconds pass. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly partitions: Partitions;
  readonly population: Population;
  readonly random: Random;
  /** Milliseconds of a call. */
  readonly latency: () => number;
  /** Instances for which a sampled one stands, beside itself. */
  readonly others: () => number;
}

/** An absent item costs a unit too. */
const ABSENT = { item: undefined, bytes: 0 };

const throttling = (): Error => Object.assign(new Error('throttled'), { name: 'ThrottlingException' });
const timedOut = (): Error => Object.assign(new Error('timed out'), { name: 'TimeoutError' });

/**
 * DynamoDB as a client of the SDK sees it, so that the table's own reader runs on it: BatchGetItem with keys that
 * come back unread, throttling with the SDK's second attempt, a latency, and the reader's deadline.
 */
export function createService({ wait, partitions, population, random, latency, others }: ServiceOptions) {
  /** One attempt: what was not throttled, as the answer of the call, and whether that was nothing. */
  function attempt(command: unknown, asked: Asked) {
    asked.calls += 1;
    const take = (partitionKey: string, bytes: number): boolean => {
      const units = readUnitsOf(bytes);
      const isServed = partitions.take(partitions.of(partitionKey), units, others());
      if (isServed) asked.units += units;
      return isServed;
    };
    if (command instanceof QueryCommand) {
      const isServed = take(String(population.routes[0]?.PK), population.routes.length * 250);
      return { answer: { Items: population.routes }, isThrottled: !isServed };
    }
    if (!(command instanceof BatchGetCommand)) throw new Error('the service knows no such command');
    const [[name, wanted] = ['', undefined]] = Object.entries(command.input.RequestItems ?? {});
    const items: Item[] = [];
    const unread: Key[] = [];
    const keys = (wanted?.Keys ?? []) as unknown as readonly Key[];
    for (const key of keys) {
      const { item, bytes } = population.find(key) ?? ABSENT;
      if (!take(key.PK, bytes)) unread.push(key);
      else if (item) items.push(item);
    }
    const left = unread.length > 0 && { UnprocessedKeys: { [name]: { Keys: unread } } };
    const answer = { Responses: { [name]: items }, ...left };
    return { answer, isThrottled: unread.length === keys.length };
  }

  async function send(command: unknown, abortSignal: AbortSignal, asked: Asked) {
    // The SDK makes two attempts in all.
    for (let attempts = 1; ; attempts++) {
      // As of the start: items are read at an instant between start and end.
      const { answer, isThrottled } = attempt(command, asked);
      await wait(latency());
      if (abortSignal.aborted) throw timedOut();
      if (!isThrottled) return answer;
      if (attempts === 2) throw throttling();
      await wait(random.next() * ASSUMED.retryMs);
      if (abortSignal.aborted) throw timedOut();
    }
  }

  return {
    /** The client of one instance, which counts for it. */
    clientOf: (asked: Asked): DynamoDBDocumentClient =>
      ({
        send: (command: unknown, { abortSignal }: { readonly abortSignal: AbortSignal }) =>
          send(command, abortSignal, asked),
      }) as unknown as DynamoDBDocumentClient,
  };
}
