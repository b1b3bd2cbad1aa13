import { GatehouseError } from '../table/errors.ts';
import { watch } from './coherence.ts';
import { cachedSight, type Freshness, type Sight, sightSince } from './freshness.ts';
import { createHints } from './hints.ts';
import type { Need } from './needs.ts';
import { createBridge } from './outage.ts';
import { type Entry, ofKind, type Spending, type Store } from './store.ts';
import { assemble, type Find, type Question, type View, whole } from './view.ts';

/**
 * Calls for one answer. A flat scope takes one, a nested one two; another brings together what was written
 * between them. What still changes then is a fault, and a fault is "not allowed".
 */
const MAX_CALLS = 4;

const changesTooFast = (): GatehouseError =>
  new GatehouseError('stale', 'what the decision rests on changes faster than it can be read');

/** Views, and the tick from which on something that they rest on is too old to answer. */
export interface Views {
  readonly views: readonly View[];
  readonly expiresAt: number;
  /** Whether they rest on what is older than the time-to-live, because DynamoDB is down. */
  readonly isOutdated: boolean;
}

function toViews(
  questions: readonly Question[],
  found: readonly (View | undefined)[],
  rest: Iterable<Entry<unknown>>,
): Views {
  let expiresAt = Number.POSITIVE_INFINITY;
  for (const entry of rest) if (entry.expiresAt < expiresAt) expiresAt = entry.expiresAt;
  const views = questions.map((question, position) => whole(found[position] as View, question));
  return { views, expiresAt, isOutdated: false };
}

/** Items of one BatchGetItem: what is brought by several was not read together. */
const ITEMS_AT_ONCE = 100;

const count = (needs: readonly Need<unknown>[]): number => new Set(needs.map(({ id }) => id)).size;

/** What has to be asked for to have the same anew. */
const needsOf = (entries: ReadonlyMap<string, Entry<unknown>>): readonly Need<unknown>[] =>
  [...entries].flatMap(([id, { kind }]) => kind.needOf(id) ?? []);

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
    isOutdated: first.isOutdated || second.isOutdated,
  };
}

export interface Bounds {
  /** By how much the newest write must precede the oldest read of what was read apart. */
  readonly marginMs: number;
  readonly outageTtlMs: number;
}

/**
 * Views out of the store: from the cache alone when it can give one that was true at some instant, otherwise with
 * what has to be read.
 */
export function createViews(store: Store, { marginMs, outageTtlMs }: Bounds) {
  /** The view that `find` alone can give, if it was true at some instant. */
  function viewFrom(question: Question, find: Find): View | undefined {
    const watched = watch(find, marginMs);
    const view = assemble(question, watched.find, []);
    return view !== undefined && watched.isCoherent() ? whole(view, question) : undefined;
  }

  /** The view if the cache alone can give one. */
  const viewNow = (question: Question, now: number): View | undefined =>
    viewFrom(question, (kind, id) => store.find(kind, id, now));

  /** The views if the cache alone can give all of them. */
  function viewsFrom(
    questions: readonly Question[],
    find: Find,
  ): { readonly views: readonly View[]; readonly rest: readonly Entry<unknown>[] } | undefined {
    const rest: Entry<unknown>[] = [];
    const noted: Find = (kind, id) => {
      const entry = find(kind, id);
      if (entry) rest.push(entry);
      return entry;
    };
    const views: View[] = [];
    for (const question of questions) {
      const view = viewFrom(question, noted);
      if (!view) return undefined;
      views.push(view);
    }
    return { views, rest };
  }

  /** What the cache has while DynamoDB is down: what may answer anyway, or else what it holds from before. */
  function olderViews(questions: readonly Question[], now: number): Views | undefined {
    const fresh = viewsFrom(questions, (kind, id) => store.find(kind, id, now));
    if (fresh) return toViews(questions, fresh.views, fresh.rest);
    const older = viewsFrom(questions, (kind, id) => store.findOlder(kind, id, now, outageTtlMs));
    if (!older) return undefined;
    const oldestRead = Math.min(...older.rest.map(({ readAt }) => readAt));
    return { views: older.views, expiresAt: oldestRead + outageTtlMs, isOutdated: true };
  }

  /**
   * Views of all questions, reading what is missing for any of them together. What this call has read or
   * found is kept at hand beside the cache, which may be too small for it, or drop it before the last read.
   */
  async function viewsIn(
    questions: readonly Question[],
    now: number,
    sight: Sight,
    spending?: Spending,
  ): Promise<Views> {
    const atHand = new Map<string, Entry<unknown>>();
    // What the questions rest on, as far as they get: not what was read along and is of no use.
    const rest = new Map<string, Entry<unknown>>();
    const find: Find = (kind, id) => {
      const entry = ofKind(kind, atHand.get(id)) ?? sight.find(kind, id);
      if (entry) {
        atHand.set(id, entry);
        rest.set(id, entry);
      }
      return entry;
    };
    const { hints, forgo } = createHints(store);
    for (let calls = 0; ; calls++) {
      rest.clear();
      const missing: Need<unknown>[] = [];
      let isMixed = false;
      const views = questions.map((question) => {
        const watched = watch(find, marginMs);
        const view = assemble(question, watched.find, missing, hints);
        if (view ? !watched.isCoherent() : !watched.isSettled()) isMixed = true;
        return view;
      });
      if (missing.length === 0 && !isMixed) return toViews(questions, views, rest.values());
      // What was written just now is read again with all the rest: read apart, they might not belong together. All of
      // it, for what questions share would be new for the one and so too new for the other.
      const wanted = isMixed ? [...missing, ...needsOf(rest)] : missing;
      // More than one call can bring together: fewer questions, then, until what each needs fits.
      if (questions.length > 1 && count(wanted) > ITEMS_AT_ONCE) {
        return inHalves(questions, (half) => viewsIn(half, now, sight, spending));
      }
      if (calls === MAX_CALLS) throw changesTooFast();
      const loaded = isMixed ? store.loadTogether(wanted, spending) : sight.load(wanted, now, spending);
      for (const [id, entry] of await loaded.catch(forgo)) atHand.set(id, entry);
    }
  }

  /**
   * Views of all questions as they stand at one instant. The cache is asked only where the scopes stood, so as
   * to know what to read; when that was wrong, or unknown, all is read once more with what is now known.
   */
  async function snapshotsOf(questions: readonly Question[], spending?: Spending): Promise<Views> {
    const { hints, forgo } = createHints(store);
    let find: Find = () => undefined;
    let rest: Iterable<Entry<unknown>> = [];
    for (let calls = 0; calls <= MAX_CALLS; calls++) {
      const needs: Need<unknown>[] = [];
      const missing: Need<unknown>[] = [];
      const known = find;
      const noted: Find = (kind, id) => {
        const need = kind.needOf(id);
        if (need) needs.push(need);
        return known(kind, id);
      };
      const views = questions.map((question) => assemble(question, noted, missing, hints));
      if (calls > 0 && missing.length === 0) return toViews(questions, views, rest);
      const snapshot = await store.loadSnapshot(needs, spending).catch(forgo);
      rest = snapshot.values();
      find = (kind, id) => ofKind(kind, snapshot.get(id));
    }
    throw changesTooFast();
  }

  const bridge = outageTtlMs > 0 ? createBridge(store) : undefined;

  /** Views of all questions, as fresh as asked. What they cost is added to `spending`, if that is given. */
  function viewsOf(
    questions: readonly Question[],
    now: number,
    freshness: Freshness,
    spending?: Spending,
  ): Promise<Views> {
    if (freshness === 'strong') return snapshotsOf(questions, spending);
    if (freshness !== 'cached') {
      return viewsIn(questions, now, sightSince(store, now, freshness.atLeast, marginMs), spending);
    }
    const load = () => viewsIn(questions, now, cachedSight(store, now), spending);
    return bridge ? bridge(now, load, (later) => olderViews(questions, later)) : load();
  }

  /** One item alone, as old as a `cached` view. */
  function entryOf<T>(need: Need<T>, now: number): Entry<T> | Promise<Entry<T>> {
    const { kind, id } = need;
    const load = async () => (await store.load([need], now)).get(id) as Entry<T>;
    const known = store.find(kind, id, now);
    if (known) return known;
    return bridge ? bridge(now, load, (later) => store.findOlder(kind, id, later, outageTtlMs)) : load();
  }

  return { viewNow, viewsOf, entryOf };
}
