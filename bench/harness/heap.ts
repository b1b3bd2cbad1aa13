/**
 * Bytes that are held once all that nobody holds is gone: on the heap, and in buffers beside it. Needs `--expose-gc`.
 */
export async function heldBytes(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('run this with --expose-gc');
  // What a promise or a timer still holds is let go of after a turn.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
