import type { IndexName } from '../entities/entity.ts';
import { instant } from '../entities/fields.ts';
import { invalid } from '../errors.ts';
import { isId, isRef, parseRef, type Ref } from '../identifiers.ts';
import type { Reader } from '../reader.ts';

/** One read of a pattern, in the order in which they are made. */
export interface Read {
  readonly operation: 'GetItem' | 'BatchGetItem' | 'Query';
  /** The base table, strongly consistent, when left out. */
  readonly index?: IndexName;
}

/** What is to be known of an access pattern: `docs/table.md` is made from it, and tests hold it to it. */
export interface Facts {
  readonly name: string;
  /** What it asks, in a few words. */
  readonly title: string;
  readonly reads: readonly Read[];
  /** The rows of the seeds that it answers (SPEC section 4). */
  readonly rows: readonly string[];
}

/** A named way of reading the table: one function of a reader and an input. */
export interface Pattern<I, O> {
  (reader: Reader, input: I): Promise<O>;
  readonly facts: Facts;
}

export const pattern = <I, O>(facts: Facts, read: (reader: Reader, input: I) => Promise<O>): Pattern<I, O> =>
  // Async, so that bad input is refused as everything else is: by the promise.
  Object.assign(async (reader: Reader, input: I) => read(reader, input), { facts });

/** Where a list goes on and how much of it is wanted: input of every list. */
export interface PageInput {
  /** At most this many items, 1 to 1,000; 100 when left out. */
  readonly limit?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
}

/** From an instant on, until before another: ISO 8601. */
export interface Period {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** The node of a type with this id. Throws `invalid` naming `field` for what is no id. */
export function refOf(type: string, id: string, field: string): Ref {
  if (!isId(id)) throw invalid(field, `${field} is neither a ULID nor a UUID`);
  return { type, id };
}

/** A user by id, or a technical user by reference. Throws `invalid` on `user` for what is neither. */
export function subjectOf(text: string): Ref {
  const isTechnical = isRef(text) && text.startsWith('technical-user:');
  return isTechnical ? parseRef(text, 'user') : refOf('user', text, 'user');
}

/** An instant as the table holds it, in UTC. Throws `invalid` naming `field` for what is none. */
export function instantOf(text: string, field: string): string {
  const parsed = instant.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalid(field, `${field} is not an ISO 8601 date and time such as 2026-01-31T08:00:00Z`);
}

/** Both ends of a period, read as instants. */
export const periodOf = ({ from, until }: Period): Period => ({
  from: from === undefined ? undefined : instantOf(from, 'from'),
  until: until === undefined ? undefined : instantOf(until, 'until'),
});

/** One of the values that there are. Throws `invalid` naming `field` for another. */
export function optionOf<T extends string>(value: T, options: readonly T[], field: string): T {
  if (!options.includes(value)) throw invalid(field, `${field} is none of ${options.join(', ')}`);
  return value;
}
