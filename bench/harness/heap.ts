/**
 * Lets go of all that nobody holds, and so puts what is held together, as it is in a process that has run for a while.
 * Needs `--expose-gc`.
 */
export async function collect(): Promise<void> {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('run this with --expose-gc');
  // What a promise or a timer still holds is let go of after a turn.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
}

/** Bytes that are held once all that nobody holds is gone: on the heap, and in buffers beside it. */
export async function heldBytes(): Promise<number> {
  await collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
