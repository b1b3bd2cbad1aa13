/** The opened scopes in the address: references with commas between, those opened last at the end. */

/** An address stays short: what was opened first is closed then. */
const MOST = 40;
/** Nothing is open, and nobody wants something opened for them. */
const NONE = 'none';

export const readOpen = (text: string | undefined): readonly string[] =>
  [...new Set((text ?? '').split(',').filter((ref) => ref.includes(':')))].slice(-MOST);

export const formatOpen = (refs: readonly string[]): string =>
  refs.length === 0 ? NONE : [...new Set(refs)].slice(-MOST).join(',');

export const toggled = (refs: readonly string[], ref: string): readonly string[] =>
  refs.includes(ref) ? refs.filter((each) => each !== ref) : [...refs, ref];
