import type { ComponentChildren } from 'preact';

interface FewProps<T> {
  readonly of: readonly T[];
  readonly most: number;
  /** A list item. */
  readonly show: (one: T) => ComponentChildren;
}

/** A list of which the first are shown, and the others on demand. */
export const Few = <T,>({ of, most, show }: FewProps<T>) => (
  <>
    <ul>{of.slice(0, most).map(show)}</ul>
    {of.length > most && (
      <details>
        <summary>{(of.length - most).toLocaleString('en')} more</summary>
        <ul>{of.slice(most).map(show)}</ul>
      </details>
    )}
  </>
);
