import { invalid } from '../table/errors.ts';
import { createReady } from './ready/ready.ts';
import { type Clock, createStore, type DecisionReader } from './store.ts';
import { createViews } from './views.ts';

/** What views are taken of, and how old what they show may be. */
export interface ViewOptions {
  /** Reads decision items: strongly consistent, failing as a whole when a key stays unread. */
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Milliseconds for which what was read may answer: how stale an allow or a deny can be. Default 60,000. */
  readonly ttlMs?: number;
  /**
   * Milliseconds for which what was read may answer while DynamoDB is down; `cached` questions only. Default 0: then
   * nothing older than `ttlMs` ever answers.
   */
  readonly outageTtlMs?: number;
  /** Bound on the cache in estimated bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds of margin when entries that were read apart are put together. Default 6,000. */
  readonly coherenceMarginMs?: number;
  /** Draws from [0, 1). */
  readonly random?: () => number;
}

export const DEFAULT_TTL_MS = 60_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Milliseconds by which the newest write must precede the oldest read of entries that were read apart: a
 * write may take 5 s from its stamp to its arrival (the writer's deadline), and clocks may differ by 1 s.
 */
export const DEFAULT_COHERENCE_MARGIN_MS = 6_000;

/**
 * Opens the store, and with it views: from the cache alone when it can give one that was true at some instant,
 * otherwise with what has to be read.
 *
 * @throws GatehouseError `invalid` for a time-to-live or a bound that is none
 */
export function openViews(options: ViewOptions) {
  const { reader, clock, ttlMs = DEFAULT_TTL_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  const {
    outageTtlMs = 0,
    coherenceMarginMs: marginMs = DEFAULT_COHERENCE_MARGIN_MS,
    random = Math.random,
  } = options;
  for (const [name, value] of Object.entries({ ttlMs, outageTtlMs })) {
    if (!Number.isFinite(value) || value < 0)
      throw invalid(name, `${name} must be a number of milliseconds, 0 or more`);
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalid('maxBytes', 'maxBytes must be a whole number of bytes, 1 or more');
  const store = createStore({ reader, clock, ttlMs, maxBytes, random });
  return { ...createViews(store, { marginMs, outageTtlMs }), ...createReady(store, marginMs), store };
}
