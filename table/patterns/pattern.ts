import type { IndexName } from '../entities/entity.ts';
import { instant } from '../entities/fields.ts';
import { invalid } from '../errors.ts';
import { isId, type Ref } from '../identifiers.ts';
import type { Reader } from '../read/reader.ts';

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

/** A period as lists take it, in UTC. Throws `invalid` naming the bound that is no instant. */
export const periodOf = ({ from, until }: Period): Period => ({
  from: instantOf(from, 'from'),
  until: instantOf(until, 'until'),
});

function instantOf(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined;
  const { data, error } = instant.safeParse(text);
  if (error) throw invalid(field, `${field} ${error.issues[0]?.message}`);
  return data;
}

/** One of the values that there are. Throws `invalid` naming `field` for another. */
export function optionOf<T extends string>(value: T, options: readonly T[], field: string): T {
  if (!options.includes(value)) throw invalid(field, `${field} is none of ${options.join(', ')}`);
  return value;
}
