import { invalid } from '../table/errors.ts';
import { NOT_AN_INSTANT, readInstant } from '../table/instant.ts';

/** An instant: ISO 8601 with its offset, a day (its first instant in UTC), epoch milliseconds or a Date. */
export type Instant = string | number | Date;

/** A clock that stands still until a test moves it. */
export interface TestClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** @throws GatehouseError `invalid` for what is no instant */
  readonly set: (instant: Instant) => void;
  /** @throws GatehouseError `invalid` for what is no number of milliseconds */
  readonly advance: (milliseconds: number) => void;
}

/** @throws GatehouseError `invalid` on `field` for what is no instant */
export function epochOf(instant: Instant, field: string): number {
  const at = typeof instant === 'string' ? readInstant(instant) : Number(instant);
  if (at !== undefined && Number.isFinite(at)) return at;
  throw invalid(field, `${field}: ${String(instant)} ${NOT_AN_INSTANT}`);
}

/** @throws GatehouseError `invalid` for what is no instant */
export function createTestClock(at: Instant | undefined, now = Date.now): TestClock {
  let current = at === undefined ? now() : epochOf(at, 'at');
  return {
    now: () => current,
    set: (instant) => {
      current = epochOf(instant, 'instant');
    },
    advance: (milliseconds) => {
      if (!Number.isFinite(milliseconds)) throw invalid('milliseconds', 'milliseconds must be a number');
      current += milliseconds;
    },
  };
}
