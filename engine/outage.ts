import { GatehouseError } from '../table/errors.ts';
import type { Clock } from './store.ts';

/** So long after DynamoDB failed nothing is asked of it that what is cached can answer. */
const RETRY_AFTER_MS = 1_000;

/** DynamoDB gave no answer; it may the next time. Anything else is no outage. */
const isOutage = (fault: unknown): boolean =>
  fault instanceof GatehouseError && (fault.code === 'throttled' || fault.code === 'transient');

/**
 * Answers from what is older than the time-to-live while DynamoDB is down, within a second bound: what an operator
 * may choose who would rather let a revoked right live on for so long than refuse everybody. Off unless chosen.
 */
export function createBridge(clock: Clock) {
  let downUntil = Number.NEGATIVE_INFINITY;

  /**
   * What `load` brings; while it fails, what `older` has.
   *
   * @param older what is cached within the second bound, at an instant; undefined when that does not suffice
   * @throws what `load` throws, when nothing older suffices
   */
  return async function bridge<T>(
    now: number,
    load: () => Promise<T>,
    older: (now: number) => T | undefined,
  ): Promise<T> {
    if (now < downUntil) {
      const known = older(now);
      if (known !== undefined) return known;
    }
    try {
      return await load();
    } catch (fault) {
      if (!isOutage(fault)) throw fault;
      const failedAt = clock.now();
      downUntil = failedAt + RETRY_AFTER_MS;
      const known = older(failedAt);
      if (known === undefined) throw fault;
      return known;
    }
  };
}
