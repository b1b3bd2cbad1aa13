/** Collects garbage at once. */
export function collector(): () => void {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('run this with --expose-gc');
  return gc;
}

/**
 * Collects all garbage, which also compacts the heap as in a process that has run for a while. Needs
 * `--expose-gc`.
 */
export async function collect(): Promise<void> {
  const gc = collector();
  // A promise or a timer releases what it references a turn later.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
}

/** Bytes in use after a full collection: on the heap and in external buffers. */
export async function usedBytes(): Promise<number> {
  await collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
