/** Numbers that are random and, from the same seed, always the same (Mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    /** From 0 to below 1. */
    next,
    below,
    /** From `least` to `most`, both included. */
    between: (least: number, most: number): number => least + below(most - least + 1),
    /** True in one of `times` cases. */
    oneIn: (times: number): boolean => below(times) === 0,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[below(list.length)] as T;
    },
    /** Up to `most` of them, each at most once. */
    some: <T>(list: readonly T[], most: number): T[] => {
      const left = [...list];
      const taken: T[] = [];
      for (let count = below(most + 1); count > 0 && left.length > 0; count--) {
        taken.push(...left.splice(below(left.length), 1));
      }
      return taken;
    },
  };
}

export type Random = ReturnType<typeof createRandom>;
