import { vi } from 'vitest';

/** Milliseconds after which what has not come true never will, on the slowest machine. */
const LIMIT_MS = 60_000;

/** Waits until `check` passes, however busy the machine is, and returns what it returned. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: LIMIT_MS });

/** Waits until `condition` holds, however busy the machine is. */
export const until = (condition: () => boolean): Promise<boolean> =>
  vi.waitUntil(condition, { timeout: LIMIT_MS, interval: 1 });
