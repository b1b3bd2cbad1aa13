import { GatehouseError } from '../table/errors.ts';
import { watch } from './coherence.ts';
import { cachedSight, type Freshness, type Sight, sightSince } from './freshness.ts';
import type { Need } from './needs.ts';
import type { Entry, Store } from './store.ts';
import { assemble, type Find, type Question, type View } from './view.ts';

/**
 * Calls for one answer. A flat scope takes one, a nested one two; another brings together what was written
 * between them. What still changes then is a fault, and a fault is "not allowed".
 */
const MAX_CALLS = 4;

const changesTooFast = (): GatehouseError =>
  new GatehouseError('transient', 'what the decision rests on changes faster than it can be read');

/** Views, and the instant from which on something that they rest on is too old to answer. */
export interface Views {
  readonly views: readonly View[];
  readonly expiresAt: number;
}

const toViews = (views: readonly (View | undefined)[], rest: Iterable<Entry<unknown>>): Views => {
  let expiresAt = Number.POSITIVE_INFINITY;
  for (const entry of rest) if (entry.expiresAt < expiresAt) expiresAt = entry.expiresAt;
  return { views: views as readonly View[], expiresAt };
};

/** Items of one BatchGetItem: what is brought by several was not read together. */
const ITEMS_AT_ONCE = 100;

const count = (needs: readonly Need<unknown>[]): number => new Set(needs.map(({ id }) => id)).size;

/** Brings the two halves of the questions, each for itself. */
async function inHalves(
  questions: readonly Question[],
  bring: (half: readonly Question[]) => Promise<Views>,
): Promise<Views> {
  const middle = Math.ceil(questions.length / 2);
  const [first, second] = await Promise.all([
    bring(questions.slice(0, middle)),
    bring(questions.slice(middle)),
  ]);
  return {
    views: [...first.views, ...second.views],
    expiresAt: Math.min(first.expiresAt, second.expiresAt),
  };
}

/**
 * Views out of the store: from the cache alone when it can give one that was true at some instant, otherwise with
 * what has to be read.
 *
 * @param marginMs by how much the newest write must precede the oldest read of what was read apart
 */
export function createViews(store: Store, marginMs: number) {
  /** The view if the cache alone can give one that was true at some instant. */
  function viewNow(question: Question, now: number): View | undefined {
    const watched = watch((need) => store.find(need, now), marginMs);
    const view = assemble(question, watched.find, []);
    return view !== undefined && watched.isCoherent() ? view : undefined;
  }

  /**
   * Views of all questions, reading what is missing for any of them together. What this call has read or
   * found is kept at hand beside the cache, which may be too small for it, or drop it before the last read.
   */
  async function viewsIn(questions: readonly Question[], now: number, sight: Sight): Promise<Views> {
    const atHand = new Map<string, Entry<unknown>>();
    const find: Find = <T>(need: Need<T>) => {
      const entry = (atHand.get(need.id) as Entry<T> | undefined) ?? sight.find(need);
      if (entry) atHand.set(need.id, entry);
      return entry;
    };
    for (let calls = 0; ; calls++) {
      const missing: Need<unknown>[] = [];
      const again: Need<unknown>[] = [];
      const views = questions.map((question) => {
        const watched = watch(find, marginMs);
        const view = assemble(question, watched.find, missing);
        // What was written just now is read again with the rest: read apart, they might not belong together.
        if (view ? !watched.isCoherent() : !watched.isSettled()) again.push(...watched.found);
        return view;
      });
      if (missing.length === 0 && again.length === 0) return toViews(views, atHand.values());
      const wanted = [...missing, ...again];
      // More than one call can bring together: fewer questions, then, until what each needs fits.
      if (questions.length > 1 && count(wanted) > ITEMS_AT_ONCE) {
        return inHalves(questions, (half) => viewsIn(half, now, sight));
      }
      if (calls === MAX_CALLS) throw changesTooFast();
      const loaded = again.length > 0 ? store.loadTogether(wanted) : sight.load(missing, now);
      for (const [id, entry] of await loaded) atHand.set(id, entry);
    }
  }

  /**
   * Views of all questions as they stand at one instant. The cache is asked only where the scopes stand, so as
   * to know what to read; when that was wrong, or unknown, all is read once more with what is now known.
   */
  async function snapshotsOf(questions: readonly Question[], now: number): Promise<Views> {
    let find: Find = (need) => store.find(need, now);
    let rest: Iterable<Entry<unknown>> = [];
    for (let calls = 0; calls <= MAX_CALLS; calls++) {
      const needs: Need<unknown>[] = [];
      const missing: Need<unknown>[] = [];
      const known = find;
      const noted: Find = (need) => {
        needs.push(need);
        return known(need);
      };
      const views = questions.map((question) => assemble(question, noted, missing));
      if (calls > 0 && missing.length === 0) return toViews(views, rest);
      const snapshot = await store.loadSnapshot([...needs, ...missing]);
      rest = snapshot.values();
      find = <T>(need: Need<T>) => snapshot.get(need.id) as Entry<T> | undefined;
    }
    throw changesTooFast();
  }

  /** Views of all questions, as fresh as asked. */
  function viewsOf(questions: readonly Question[], now: number, freshness: Freshness): Promise<Views> {
    if (freshness === 'strong') return snapshotsOf(questions, now);
    const sight =
      freshness === 'cached' ? cachedSight(store, now) : sightSince(store, now, freshness.atLeast, marginMs);
    return viewsIn(questions, now, sight);
  }

  return { viewNow, viewsOf };
}
