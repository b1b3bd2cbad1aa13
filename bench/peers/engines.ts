import type { CheckOptions } from '../../engine/engine.ts';
import type { Item } from '../../table/item.ts';
import { batchesOf } from '../../table/reader.ts';
import { writeTable } from '../model/table.ts';
import type { Question } from '../model/world.ts';
import type { Deployed } from './deployed.ts';

/** Longer than a run, so that nothing expires within it. */
const TTL_MS = 3_600_000;
/** Questions that are asked together. */
const AHEAD = 500;

/** A question with the options of its check. */
export interface Asked extends Question {
  readonly options?: CheckOptions;
}

/**
 * Makes engines of Gatehouse, bundled as it is deployed, on a table of the embedded engine with these items: with expiry,
 * the bound on memory, the coherence test and the chain of scopes. Only the time-to-live is longer than the default.
 */
export async function openEngines(
  { createEngine }: Deployed,
  endpoint: string,
  table: string,
  items: readonly Item[],
) {
  const { reader } = await writeTable(endpoint, table, items);
  return (options: { readonly observe?: () => void; readonly maxBytes?: number } = {}) =>
    createEngine({ reader, clock: { now: Date.now }, ttlMs: TTL_MS, ...options });
}

type Asking = Pick<ReturnType<Deployed['createEngine']>, 'checkMany'>;

/**
 * Reads what questions look at into an engine's cache. The loop that asks them is the candidate's own: V8 optimises a check
 * by who calls it, and a loop that engines of several bundles share takes up to 7 µs in place of 5.
 */
export async function readAhead(engine: Asking, questions: readonly Asked[]): Promise<void> {
  for (const some of batchesOf(questions, AHEAD))
    await engine.checkMany(
      some.map(({ options, ...question }) => ({ ...question, actor: options?.actor, given: options })),
    );
}
