import { createHash } from 'node:crypto';
import type { Path } from '../document.ts';
import type { Row } from './look.ts';

/**
 * One thing or one tie, as a manifest wants it or as the table has it: what a command creates, changes and removes.
 */
export interface Fact {
  /** As in the names of commands: `user`, `membership`. */
  readonly kind: string;
  /** The input fields that name it. */
  readonly identity: Row;
  /** What it should be; null for nothing. Of a fact of the table: all that is known of it. */
  readonly values: Row;
  /** What can be said at its creation only, and must be so. */
  readonly fixed?: Row;
  /** Said at its creation, and of no interest afterwards. */
  readonly initial?: Row;
  /** What follows from what the file does not say of it: holds with --prune. */
  readonly implied?: Row;
  /** For people. */
  readonly label: string;
  /** Where in the file it stands. Of a fact of the table: nowhere. */
  readonly path: Path;
  /** The section of a manifest that speaks of such facts. */
  readonly section: string;
  /** It belongs to no tenant: others may rely on it. */
  readonly shared?: boolean;
}

/** Objects with their keys in order: what is equal is written equally. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

export const same = (a: unknown, b: unknown): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

export const keyOf = ({ kind, identity }: Pick<Fact, 'kind' | 'identity'>): string =>
  `${kind} ${JSON.stringify(sorted(identity))}`;

/**
 * The id that a thing gets which is made from a manifest: a UUID (version 8) that follows from what it is and where it
 * stands. So a repetition makes the same thing, and not a twin, however it was interrupted.
 */
export function derivedId(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

export const without = (input: Row): Row =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Some fields of many, as far as they are there. */
export const pick = (of: Row, keys: Iterable<string>): Row =>
  without(Object.fromEntries([...keys].map((key) => [key, of[key]])));
