/** Leaves out as many as may be: large pieces first, single ones in the end. */
export async function fewest<T>(
  all: readonly T[],
  suffices: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = all;
  for (let size = Math.ceil(kept.length / 2); size >= 1; ) {
    let isLess = false;
    for (let from = kept.length - size; from > -size; from -= size) {
      const some = [...kept.slice(0, Math.max(from, 0)), ...kept.slice(Math.max(from, 0) + size)];
      if (some.length === kept.length || !(await suffices(some))) continue;
      kept = some;
      isLess = true;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (!isLess) break;
  }
  return kept;
}
