import { collector } from './heap.ts';

/**
 * Bytes that one question leaves on the heap, one value per round. A batch must be small enough that no
 * collection runs within it; rounds with a collection are left out. Needs `--expose-gc`.
 *
 * @param before called before each round, uncounted
 */
export async function bytesPerQuestion(
  ask: () => Promise<number>,
  rounds: number,
  before?: () => Promise<void>,
): Promise<readonly number[]> {
  const gc = collector();
  const grownBy = async (act: () => Promise<number>) => {
    gc();
    const before = process.memoryUsage().heapUsed;
    const count = await act();
    return { bytes: process.memoryUsage().heapUsed - before, count };
  };
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await before?.();
    // The measurement itself leaves some bytes too.
    const { bytes: own } = await grownBy(async () => 0);
    const { bytes, count } = await grownBy(ask);
    if (bytes >= own) found.push((bytes - own) / count);
  }
  if (found.length < rounds / 2) throw new Error('the collector ran in most rounds: ask fewer at once');
  return found;
}
