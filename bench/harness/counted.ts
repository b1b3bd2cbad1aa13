import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Requests to DynamoDB for one answer. */
export type Spent = ReturnType<ReturnType<typeof countRequests>['spent']>;

interface Answered {
  readonly ConsumedCapacity?:
    | { readonly CapacityUnits?: number }
    | readonly { readonly CapacityUnits?: number }[];
}

/**
 * Counts the requests of a client, and draws a latency for each: nothing waits for it.
 *
 * @param latency in milliseconds
 */
export function countRequests(client: DynamoDBDocumentClient, latency: () => number) {
  /** The longest call of each round, and how many rounds are completed. */
  const begin = () => ({ calls: 0, units: 0, longest: [] as number[], ended: 0 });
  let current = begin();
  client.middlewareStack.add(
    (next) => async (args) => {
      // A request that ends after the answer still counts for that answer.
      const tally = current;
      const round = tally.ended;
      tally.calls += 1;
      tally.longest[round] = Math.max(tally.longest[round] ?? 0, latency());
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
      const answer = await next({ ...args, input });
      const { ConsumedCapacity: consumed } = answer.output as Answered;
      for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) tally.units += CapacityUnits;
      tally.ended = Math.max(tally.ended, round + 1);
      return answer;
    },
    { step: 'initialize', priority: 'high' },
  );
  return {
    reset: () => {
      current = begin();
    },
    spent: () => ({
      calls: current.calls,
      /** Sequential rounds of calls: a call waits for those of the round before. */
      rounds: current.longest.length,
      /** Read request units as the engine reports them. */
      units: current.units,
      /** Milliseconds of the drawn latencies: in each round the longest counts. */
      ms: current.longest.reduce((sum, ms) => sum + ms, 0),
    }),
  };
}
