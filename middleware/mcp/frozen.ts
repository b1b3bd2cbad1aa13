/** Freezes what a schema parsed, so that a handler gets what was decided on. Bytes, maps and dates stay as they are. */
export function frozen<T>(value: T): T {
  const seen = new Set<unknown>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || seen.has(next) || !isPlain(next)) continue;
    seen.add(Object.freeze(next));
    pending.push(...Object.values(next));
  }
  return value;
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
};
