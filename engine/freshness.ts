import { invalid } from '../table/errors.ts';
import { readFreshnessToken } from '../table/freshness-token.ts';
import type { Need } from './needs.ts';
import type { Entry, Spending, Store } from './store.ts';
import type { Find } from './view.ts';

/**
 * How fresh a decision must be (SPEC section 2).
 *
 * - `cached`: what was read within the time-to-live may answer. The default.
 * - `strong`: the table now, all items of the decision as they stand at one instant. Nothing cached answers.
 * - `atLeast`: no state older than a write, in any process: the token came with the answer to that write.
 */
export type Freshness = 'cached' | 'strong' | { readonly atLeast: string };

/** What a decision may look at, and how it gets at the rest. */
export interface Sight {
  readonly find: Find;
  readonly load: (
    needs: readonly Need<unknown>[],
    now: number,
    spending: Spending | undefined,
  ) => Promise<ReadonlyMap<string, Entry<unknown>>>;
}

export const cachedSight = (store: Store, now: number): Sight => ({
  find: (kind, id) => store.find(kind, id, now),
  load: store.load,
});

/**
 * The writer's stamp is older than the write's arrival by up to the writer's deadline, and its clock may differ
 * from ours: together the margin. What was read later than that after the stamp has seen the write. So has
 * every read that begins now: whoever holds the token was answered. Reads under way may have begun before.
 *
 * @throws GatehouseError `invalid` for a text that is no token
 */
export function sightSince(store: Store, now: number, token: string, marginMs: number): Sight {
  const writtenAt = readFreshnessToken(token);
  if (writtenAt === undefined)
    throw invalid('freshness', 'atLeast is not a token that came with the answer to a write');
  const oldest = store.ticksOf(writtenAt) + marginMs;
  return {
    find: (kind, id) => {
      const entry = store.find(kind, id, now);
      return entry !== undefined && entry.readAt > oldest ? entry : undefined;
    },
    load: (needs, _, spending) => store.loadTogether(needs, spending),
  };
}
