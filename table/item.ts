import type { Key } from './keys.ts';

/** An item as the document client hands it over: checked by whoever reads it, never trusted as it is. */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}
