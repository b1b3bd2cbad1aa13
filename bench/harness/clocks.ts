/** Wall-clock milliseconds: for work that waits or runs in several processes. */
export const wallMs = (): number => performance.now();

/**
 * Milliseconds of processor time of this process, garbage collector and compiler included: for work that only
 * computes. Other processes' time does not count, so a busy machine gives nearly the same figures.
 * Resolution: 1 µs.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
