import { GatehouseError } from '../table/errors.ts';

/** So long after DynamoDB failed nothing is asked of it that older entries can answer, in milliseconds. */
const BACK_OFF_MS = 1_000;

/** DynamoDB gave no answer; it may the next time. A conflict, or a set that stays incoherent, is no outage. */
export const isOutage = (fault: unknown): boolean =>
  fault instanceof GatehouseError && (fault.code === 'throttled' || fault.code === 'transient');

/**
 * Answers from what is older than the time-to-live while DynamoDB is down, within a second bound (`stale-if-error`, RFC
 * 5861): what an operator may choose who would rather let a revoked right live on for so long than refuse everybody.
 *
 * @param now epoch milliseconds
 */
export function createStaleIfError(now: () => number) {
  let downUntil = Number.NEGATIVE_INFINITY;

  /**
   * What `load` brings; while it fails, what `stale` has.
   *
   * @param stale undefined when what is cached within the second bound does not suffice; it is given the instant of the
   *   next try, in epoch milliseconds
   * @throws what `load` throws, when nothing stale suffices
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
