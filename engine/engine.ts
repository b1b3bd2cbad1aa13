import type { TokenFacts } from '../table/decision/facts.ts';
import { GatehouseError, invalid } from '../table/errors.ts';
import type { Reader } from '../table/read/reader.ts';
import { watch } from './coherence.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';
import { type Need, needToken } from './needs.ts';
import { rolesInForce } from './roles.ts';
import { type Clock, createStore, type Entry } from './store.ts';
import { assemble, type Find, type Question, type View } from './view.ts';

export interface EngineOptions {
  /** Reads decision items: strongly consistent, failing as a whole when a key stays unread. */
  readonly reader: Pick<Reader, 'getMany'>;
  readonly clock: Clock;
  /** Milliseconds for which what was read may answer: how stale an allow or a deny can be. Default 60,000. */
  readonly ttlMs?: number;
  /** Bound on the cache in estimated bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds of margin when entries that were read apart are put together. Default 6,000. */
  readonly coherenceMarginMs?: number;
  readonly random?: () => number;
}

export interface CheckOptions {
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number;
}

export interface CheckRequest extends CheckOptions {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
}

/** Where a subject stands at a scope: the tenant it belongs to and the roles in force there. */
export interface Standing {
  readonly root: string;
  readonly roles: readonly string[];
}

export interface Engine {
  /**
   * Whether `subject` (`user:01J…`) may use `permission` (`dashboard`, `module:action:resource`) at
   * `scope` (`location:01J…`): SPEC section 2. Synchronous when all it needs is cached, otherwise one
   * BatchGetItem, or two for a nested scope. A name that nothing can have is a deny, not an error.
   *
   * @throws GatehouseError on faults only (`throttled`, `transient`, `damaged_item`, `internal`); a
   *   fault means "not allowed"
   */
  readonly check: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Decision | Promise<Decision>;
  /** Many checks, in the same number of reads as one; answers in the order of the requests. */
  readonly checkMany: (requests: readonly CheckRequest[]) => Promise<readonly Decision[]>;
  /** The roles in force, inherited ones included; undefined when the subject or the scope does not exist. */
  readonly rolesOf: (
    subject: string,
    scope: string,
    options?: CheckOptions,
  ) => Standing | undefined | Promise<Standing | undefined>;
  /**
   * Whom an API token stands for, by the token's id; undefined when there is no such token, or when it was
   * revoked or has ended. The caller compares the hash with that of the text it was shown.
   */
  readonly bearerOf: (tokenId: string) => Bearer | undefined | Promise<Bearer | undefined>;
}

/** The owner of an API token, and the SHA-256 of its text. */
export interface Bearer {
  readonly subject: string;
  readonly hash: string;
}

export const DEFAULT_TTL_MS = 60_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Milliseconds by which the newest write must precede the oldest read of entries that were read apart: a
 * write may take 5 s from its stamp to its arrival (the writer's deadline), and clocks may differ by 1 s.
 */
export const DEFAULT_COHERENCE_MARGIN_MS = 6_000;

/**
 * Calls for one answer. A flat scope takes one, a nested one two; another brings together what was written
 * between them. What still changes then is a fault, and a fault is "not allowed".
 */
const MAX_CALLS = 4;

/** @throws GatehouseError `invalid` for a time-to-live or a bound that is none */
export function createEngine(options: EngineOptions): Engine {
  const {
    reader,
    clock,
    ttlMs = DEFAULT_TTL_MS,
    maxBytes = DEFAULT_MAX_BYTES,
    coherenceMarginMs = DEFAULT_COHERENCE_MARGIN_MS,
    random = Math.random,
  } = options;
  if (!Number.isFinite(ttlMs) || ttlMs < 0) {
    throw invalid('ttlMs', 'ttlMs must be a number of milliseconds, 0 or more');
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw invalid('maxBytes', 'maxBytes must be a whole number of bytes, 1 or more');
  }
  const store = createStore({ reader, clock, ttlMs, maxBytes, random });

  /** The view if the cache alone can give one that was true at some instant. */
  function viewNow(question: Question, now: number): View | undefined {
    const watched = watch((need) => store.find(need, now), coherenceMarginMs);
    const view = assemble(question, watched.find, []);
    return view !== undefined && watched.isCoherent() ? view : undefined;
  }

  /**
   * Views of all questions, reading what is missing for any of them together. What this call has read or
   * found is kept at hand beside the cache, which may be too small for it, or drop it before the last read.
   */
  async function viewsOf(questions: readonly Question[], now: number): Promise<readonly View[]> {
    const atHand = new Map<string, Entry<unknown>>();
    const find: Find = <T>(need: Need<T>) => {
      const entry = (atHand.get(need.id) as Entry<T> | undefined) ?? store.find(need, now);
      if (entry) atHand.set(need.id, entry);
      return entry;
    };
    for (let calls = 0; ; calls++) {
      const missing: Need<unknown>[] = [];
      const again: Need<unknown>[] = [];
      const views = questions.map((question) => {
        const watched = watch(find, coherenceMarginMs);
        const view = assemble(question, watched.find, missing);
        // What was written just now is read again with the rest: read apart, they might not belong together.
        if (view ? !watched.isCoherent() : !watched.isSettled()) again.push(...watched.found);
        return view;
      });
      if (missing.length === 0 && again.length === 0) return views as readonly View[];
      if (calls === MAX_CALLS) {
        throw new GatehouseError(
          'transient',
          'what the decision rests on changes faster than it can be read',
        );
      }
      const loaded = again.length > 0 ? store.loadTogether([...missing, ...again]) : store.load(missing, now);
      for (const [id, entry] of await loaded) atHand.set(id, entry);
    }
  }

  return {
    check: (subject, permission, scope, { at } = {}) => {
      const now = clock.now();
      const question = { subject, permission, scope };
      const view = viewNow(question, now);
      if (view) return decide(view, at ?? now);
      return viewsOf([question], now).then(([loaded]) => decide(loaded as View, at ?? now));
    },
    checkMany: async (requests) => {
      const now = clock.now();
      const views = await viewsOf(requests, now);
      return requests.map(({ at }, position) => decide(views[position] as View, at ?? now));
    },
    rolesOf: (subject, scope, { at } = {}) => {
      const now = clock.now();
      const question = { subject, scope, permission: undefined };
      const view = viewNow(question, now);
      if (view) return standingOf(view, at ?? now);
      return viewsOf([question], now).then(([loaded]) => standingOf(loaded as View, at ?? now));
    },
    bearerOf: (tokenId) => {
      const need = needToken(tokenId);
      if (!need) return undefined;
      const now = clock.now();
      const entry = store.find(need, now);
      if (entry) return bearerFrom(entry.facts, now);
      return store
        .load([need], now)
        .then((loaded) => bearerFrom(loaded.get(need.id)?.facts as TokenFacts | null, now));
    },
  };
}

const bearerFrom = (token: TokenFacts | null, now: number): Bearer | undefined =>
  token?.active && now < token.endsAt ? { subject: token.subject, hash: token.hash } : undefined;

function standingOf(view: View, at: number): Standing | undefined {
  const root = view.scopes.at(-1);
  if (!view.subject || !root) return undefined;
  return { root: root.ref, roles: rolesInForce(view, at) };
}
