/** Milliseconds as they go by: for what waits, or spreads over several processes. */
export const wallMs = (): number => performance.now();

/**
 * Milliseconds of processor time that this process has taken, its collector and compiler included: for what computes
 * only. It does not count the turns that others had, so that a machine with other work gives nearly the same figures
 * as one without. Steps of a microsecond.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
