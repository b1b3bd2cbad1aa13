import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Time } from './time.ts';

/** Requests to DynamoDB for one answer. */
export interface Spent {
  readonly calls: number;
  /** Sequential rounds of calls: a call waits for those of the round before. */
  readonly rounds: number;
  /** Read request units as the engine reports them. */
  readonly units: number;
}

interface Tally {
  calls: number;
  rounds: number;
  units: number;
  /** Completed rounds. */
  ended: number;
}

interface Answered {
  readonly ConsumedCapacity?:
    | { readonly CapacityUnits?: number }
    | readonly { readonly CapacityUnits?: number }[];
}

export interface CountingOptions {
  readonly time: Time;
  /** Milliseconds that a request takes: at least in real time, exactly in simulated time. */
  readonly latency: () => number;
}

/** Adds latency to the requests of a client, and counts them. */
export function countRequests(client: DynamoDBDocumentClient, { time, latency }: CountingOptions) {
  const begin = (): Tally => ({ calls: 0, rounds: 0, units: 0, ended: 0 });
  let current = begin();
  client.middlewareStack.add(
    (next) => async (args) => {
      // A request that ends after the answer still counts for that answer.
      const tally = current;
      const own = tally.ended + 1;
      tally.calls += 1;
      tally.rounds = Math.max(tally.rounds, own);
      const due = time.now() + latency();
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
      const answer = await time.outside(() => next({ ...args, input }));
      const { ConsumedCapacity: consumed } = answer.output as Answered;
      for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) tally.units += CapacityUnits;
      const left = due - time.now();
      if (left > 0) await new Promise<void>((resolve) => time.schedule(left, resolve));
      tally.ended = Math.max(tally.ended, own);
      return answer;
    },
    { step: 'initialize', priority: 'high' },
  );
  return {
    reset: () => {
      current = begin();
    },
    spent: (): Spent => ({ calls: current.calls, rounds: current.rounds, units: current.units }),
  };
}
