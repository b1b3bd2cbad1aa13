import type { GatehouseError } from '../errors.ts';
import type { Item } from '../item.ts';
import type { Key } from '../keys.ts';

/**
 * One write of a transaction, as data. A transaction is a list of these: it can be looked at, tested
 * and turned into a dry run without a network.
 */
export type Value =
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>
  | Set<string>;

/** What must be true of the item for the write to happen. `equals` compares attributes as they stand. */
export interface Condition {
  /** Whether the item is there; either will do when left out. */
  readonly exists?: boolean | undefined;
  /** Attribute → expected value; undefined means "has no such attribute". */
  readonly equals?: Readonly<Record<string, Expected>>;
  /** Attribute → the largest number that it may be; one that is not there is none. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** The newest form that the item may have (form.ts): put in when the action is sent, after all conditions are united. */
  readonly form?: number;
}

export type Expected = string | number | boolean | readonly string[] | ReadonlySet<string> | undefined;

/** Turns a failed condition into an error; `found` is the item as it stood, if there was one. */
export type Failure = (found: Item | undefined) => GatehouseError;

interface Conditional {
  readonly when: Condition;
  readonly failure: Failure;
}

export interface Put extends Partial<Conditional> {
  readonly kind: 'put';
  readonly item: Item;
}

/** An update of top-level attributes; without a condition it creates the item when there is none. */
export interface Update extends Partial<Conditional> {
  readonly kind: 'update';
  readonly key: Key;
  readonly set?: Readonly<Record<string, Value>>;
  readonly remove?: readonly string[];
  /** Numbers are added, sets are united. */
  readonly add?: Readonly<Record<string, number | Set<string>>>;
  /** Members to take out of sets; a set that becomes empty is gone. */
  readonly takeOut?: Readonly<Record<string, Set<string>>>;
  /** Set only where the item has no such attribute: put in when the action is sent, after all updates are united. */
  readonly initial?: Readonly<Record<string, Value>>;
  /**
   * Where the item may be of another form, in which the same change is written in another way: settled when the
   * action is sent.
   */
  readonly otherForm?: OtherForm;
}

/** An item is of the other form where `attribute` has this value, and of the usual one where it has none. */
export interface OtherForm {
  readonly attribute: 'roleTable';
  readonly value: string;
  /** The whole update as it is there. */
  readonly update: Update;
}

export interface Delete extends Partial<Conditional> {
  readonly kind: 'delete';
  readonly key: Key;
}

export interface Check extends Conditional {
  readonly kind: 'check';
  readonly key: Key;
}

export type Action = Put | Update | Delete | Check;

export const keyOf = (action: Action): Key =>
  action.kind === 'put' ? { PK: action.item.PK, SK: action.item.SK } : action.key;

/** A new item; `failure` when there is one already. */
export const create = (item: Item, failure: Failure): Put => ({
  kind: 'put',
  item,
  when: { exists: false },
  failure,
});
