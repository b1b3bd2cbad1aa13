/** So many texts are known at once; then it begins anew. */
const MOST = 20_000;

const texts = new Map<string, string>();

/**
 * The one copy of a text that many items hold, such as the id of a group: each item that is read brings its own, and
 * they would all be kept. It is the same text either way.
 */
export function oneOf(text: string): string {
  const before = texts.get(text);
  if (before !== undefined) return before;
  if (texts.size >= MOST) texts.clear();
  texts.set(text, text);
  return text;
}
