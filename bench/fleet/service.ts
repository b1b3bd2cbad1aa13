import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { Random } from '../../test/proof/oracle/random.ts';
import { ASSUMED } from './assumptions.ts';
import { type Partitions, readUnitsOf } from './partitions.ts';
import type { Population } from './population.ts';

/** What an instance has asked DynamoDB for. */
export interface Asked {
  /** Calls that were sent, second attempts included. */
  calls: number;
  /** Read units of what was answered. */
  units: number;
}

export const nothingAsked = (): Asked => ({ calls: 0, units: 0 });

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
  /** The items of one attempt that were not throttled, and the keys that were. */
  function attempt(keys: readonly Key[], asked: Asked) {
    const items: Item[] = [];
    const unread: Key[] = [];
    let units = 0;
    for (const key of keys) {
      const { item, bytes } = population.find(key) ?? ABSENT;
      const cost = readUnitsOf(bytes);
      if (!partitions.take(partitions.of(key.PK), cost, others())) {
        unread.push(key);
        continue;
      }
      units += cost;
      if (item) items.push(item);
    }
    asked.calls += 1;
    asked.units += units;
    return { items, unread, units };
  }

  function query(asked: Asked) {
    const units = readUnitsOf(population.routes.length * 250);
    asked.calls += 1;
    const partition = partitions.of(String(population.routes[0]?.PK));
    const isServed = partitions.take(partition, units, others());
    if (isServed) asked.units += units;
    return { items: isServed ? population.routes : [], isServed };
  }

  async function send(
    command: unknown,
    { abortSignal }: { readonly abortSignal: AbortSignal },
    asked: Asked,
  ) {
    for (let attempts = 1; ; attempts++) {
      const isBatch = command instanceof BatchGetCommand;
      if (!isBatch && !(command instanceof QueryCommand))
        throw new Error('the service knows no such command');
      // As of the start: items are read at an instant between start and end.
      const tables = isBatch ? Object.entries(command.input.RequestItems ?? {}) : [];
      const [name, wanted] = tables[0] ?? ['', undefined];
      const keys = (wanted?.Keys ?? []) as unknown as readonly Key[];
      const result = isBatch
        ? { ...attempt(keys, asked), isServed: true }
        : { ...query(asked), unread: [], units: 0 };
      await wait(latency());
      if (abortSignal.aborted) throw timedOut();
      const isThrottled = !result.isServed || (isBatch && result.unread.length === keys.length);
      if (!isThrottled)
        return isBatch
          ? {
              Responses: { [name]: result.items },
              ...(result.unread.length > 0 && { UnprocessedKeys: { [name]: { Keys: result.unread } } }),
            }
          : { Items: result.items };
      // The SDK makes two attempts in all.
      if (attempts === 2) throw throttling();
      await wait(random.next() * ASSUMED.retryMs);
      if (abortSignal.aborted) throw timedOut();
    }
  }

  return {
    /** The client of one instance, which counts for it. */
    clientOf: (asked: Asked): DynamoDBDocumentClient =>
      ({
        send: (command: unknown, options: { readonly abortSignal: AbortSignal }) =>
          send(command, options, asked),
      }) as unknown as DynamoDBDocumentClient,
  };
}
