import { GatehouseError } from '../table/errors.ts';

/** Milliseconds after a failure in which stale entries answer without trying DynamoDB again. */
const BACK_OFF_MS = 1_000;

/** Whether DynamoDB did not answer. A conflict, or a set that stays incoherent, is not an outage. */
const isOutage = (fault: unknown): boolean =>
  fault instanceof GatehouseError && (fault.code === 'throttled' || fault.code === 'transient');

/**
 * Answers from entries older than the time-to-live while DynamoDB is down, up to a second bound
 * (`stale-if-error`, RFC 5861). Operators opt in: a revoked right then lasts up to that bound, but an outage
 * does not refuse everybody.
 *
 * @param now epoch milliseconds
 */
export function createStaleIfError(now: () => number) {
  let downUntil = Number.NEGATIVE_INFINITY;

  /**
   * Runs `load`; while DynamoDB is down, answers from `stale`.
   *
   * @param stale answers from the cache, or undefined if that is impossible within the second bound; receives
   *   the instant of the next attempt in epoch milliseconds
   * @throws what `load` throws, if `stale` gives no answer
   */
  return async function staleIfError<T>(
    load: () => Promise<T>,
    stale: (retryAt: number) => T | undefined,
  ): Promise<T> {
    if (now() < downUntil) {
      const known = stale(downUntil);
      if (known !== undefined) return known;
    }
    try {
      return await load();
    } catch (fault) {
      if (!isOutage(fault)) throw fault;
      downUntil = now() + BACK_OFF_MS;
      const known = stale(downUntil);
      if (known === undefined) throw fault;
      return known;
    }
  };
}
