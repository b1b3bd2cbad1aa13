import { fromBase64Url, sha256 } from '../../table/bytes.ts';
import { entityOf } from '../../table/entities/registry.ts';
import { readSubject } from '../../table/identifiers.ts';
import { canonical } from '../canonical.ts';
import type { Path } from './problem.ts';

export type Row = Readonly<Record<string, unknown>>;

/** One node or one edge, as a manifest asks for it (desired) or as the table holds it (current). */
export interface Entry {
  /** As in the names of commands: `user`, `membership`. */
  readonly kind: string;
  /** The input fields that name it. */
  readonly identity: Row;
  /** Desired: what it should be; null for no value. Current: all that is known of it. */
  readonly values: Row;
  /** Given at its creation, and not changed later: a difference is a problem. */
  readonly fixed?: Row;
  /** Given at its creation, and not compared later. */
  readonly initial?: Row;
  /** Values that follow from what the manifest leaves out. They count when pruning. */
  readonly implied?: Row;
  /** The entry (its key) whose creation makes this one too: the permissions of a role that comes from a template. */
  readonly madeWith?: string;
  /** For people. */
  readonly label: string;
  /** Its place in the manifest; empty for a current entry. */
  readonly path: Path;
  /** The section of a manifest that holds such entries. */
  readonly section: string;
  /** It belongs to no tenant: others may rely on it. */
  readonly shared?: boolean;
}

/** The input fields by which commands name what is there: of a type that was added, its reference. */
export function nameOf({ kind, identity }: Pick<Entry, 'kind' | 'identity'>): Row {
  const namedIn = entityOf(kind)?.namedIn;
  return namedIn === undefined ? identity : { [namedIn]: `${identity.type}:${identity.id}` };
}

/** A subject as commands name it, by which no scope of the same reference is meant. */
export function subjectName(user: unknown): string {
  const { type, id } = readSubject(String(user), 'user');
  return `${type}:${id}`;
}

export const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

export const keyOf = ({ kind, identity }: Pick<Entry, 'kind' | 'identity'>): string =>
  `${kind} ${canonical(identity)}`;

/**
 * The id of a node that is made from a manifest: a UUID (version 8, RFC 9562) that follows from what it is and where it
 * belongs. So a repetition makes the same node again, however the first attempt ended.
 */
export async function derivedId(...parts: readonly string[]): Promise<string> {
  const bytes = fromBase64Url(await sha256(JSON.stringify(parts)));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** The fields that have a value, be it null. */
export const without = (input: Row): Row =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Some fields of many, as far as they have a value. */
export const pick = (of: Row, keys: Iterable<string>): Row =>
  without(Object.fromEntries([...keys].map((key) => [key, of[key]])));
