const AT_ONCE = 12;
/** Reads by key that share calls: as many as one BatchGetItem holds. */
export const IN_ONE_CALL = 100;

/** Does a piece of work for each, a few at a time; results in the order of the input. */
export async function inTurns<T, R>(
  all: readonly T[],
  work: (each: T, position: number) => Promise<R>,
  atOnce = AT_ONCE,
): Promise<readonly R[]> {
  const results: R[] = new Array(all.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length) {
      const position = next++;
      results[position] = await work(all[position] as T, position);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  return results;
}
