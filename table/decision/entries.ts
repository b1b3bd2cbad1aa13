import { conflict, notFound } from '../errors.ts';
import { formatRef, type Ref } from '../identifiers.ts';
import { decisionKey, globalKey, identityOf, isSameKey, type Key, parseKey } from '../keys.ts';
import { create, type Put, type Update, type Value } from '../write/action.ts';
import { Attribute, type Entry, FOLDED, parseAttribute } from './attributes.ts';
import { writtenIn } from './folded-roles.ts';

/**
 * Changes of decision items (ADR 0003): the difference of what nodes and edges say before and after. Each is one update
 * that reads nothing, in the transaction of the node or edge. The time of the write is put in when it is sent
 * (writes.ts).
 */
export type Change = Pick<Update, 'set' | 'remove' | 'add' | 'takeOut'>;

/** What only decision items carry, and each write of one sets. */
export const MARKS = { Type: 'Decision' };

export const update = (key: Key, change: Change): Update => ({
  kind: 'update',
  key,
  ...change,
  set: { ...change.set, ...MARKS },
});

/** Any other item is of a subject, a scope or a credential, and exists as long as the node does. */
const MADE_BY_ITS_ENTRIES: ReadonlySet<string> = new Set(['global', 'page', 'permission', 'resource-type']);

/** The node with which the item begins and ends; undefined where the first entry makes it. */
function nodeWith(key: Key): Ref | undefined {
  const parsed = parseKey(key);
  if (parsed?.form !== 'decision' || MADE_BY_ITS_ENTRIES.has(parsed.type)) return undefined;
  return { type: parsed.type, id: parsed.id };
}

/** An update of a decision item. Refused where the node is not there with which the item begins. */
export function changeAt(key: Key, change: Change): Update {
  const node = nodeWith(key);
  const changed = update(key, change);
  if (!node) return changed;
  const missing = () => notFound(node.type, formatRef(node));
  if (change.set?.[Attribute.everyone] === undefined)
    return { ...changed, when: { exists: true }, failure: missing };
  return {
    ...changed,
    when: { exists: true, equals: { [Attribute.everyone]: undefined } },
    failure: (found) =>
      found ? conflict('everyone', `${formatRef(node)} has a group of everyone already`) : missing(),
  };
}

/** A new decision item of a node with which it begins. */
export const newItem = (ref: Ref, entries: readonly Entry[]): Put => {
  const said = entries.filter(({ value }) => value !== undefined);
  const attributes = Object.fromEntries(said.map(({ attribute, value }) => [attribute, value]));
  return create({ ...decisionKey(ref), ...MARKS, ...attributes }, () =>
    conflict('id', `${formatRef(ref)} exists already`),
  );
};

/**
 * The updates that bring decision items from some entries to others: one for each item that is named, changed or not,
 * since an update stamps its item as well.
 *
 * @param given attributes that are written whether they differ or not: another command may be changing them
 */
export function entryChanges(
  before: readonly Entry[],
  after: readonly Entry[],
  given: ReadonlySet<string> = new Set(),
): readonly Update[] {
  const earlier = before.filter(({ attribute }) => !ONLY_GROWS.has(attribute));
  const items = new Map([...earlier, ...after].map(({ at }) => [identityOf(at), at]));
  return [...items.values()].map((key) => {
    const here = ({ at }: Entry) => isSameKey(at, key);
    return changesAt(key, earlier.filter(here), after.filter(here), given);
  });
}

/**
 * Denials: should the item that says which role denies be missing, it is missed. Roots with invariants: who has read that
 * one has none may go on for a while.
 */
export const ONLY_GROWS: ReadonlySet<string> = new Set([Attribute.denials, Attribute.rootsWithInvariants]);

function changesAt(
  key: Key,
  before: readonly Entry[],
  after: readonly Entry[],
  given: ReadonlySet<string>,
): Update {
  const inForm = (isFolded: boolean): Update => {
    const written = (entries: readonly Entry[]) => entries.flatMap((each) => writtenIn(isFolded, each) ?? []);
    return changeAt(key, difference(written(before), written(after), given));
  };
  const areOfRoles = [...before, ...after].some(isOfRole) && !isSameKey(key, globalKey());
  if (!areOfRoles) return inForm(false);
  return {
    ...inForm(false),
    otherForm: { attribute: Attribute.roleTable, value: FOLDED, update: inForm(true) },
  };
}

/** Whether an entry is written in another way where a root's roles are folded. */
const isOfRole = ({ attribute }: Entry): boolean =>
  attribute === Attribute.closing || ['role', 'wild'].includes(String(parseAttribute(attribute)?.kind));

/** Flags that go by being false. */
const FLAGS: readonly string[] = [Attribute.isAdmin, Attribute.registered];

function difference(
  before: readonly Entry[],
  after: readonly Entry[],
  given: ReadonlySet<string>,
): Required<Change> {
  const set: Record<string, Value> = {};
  const remove: string[] = [];
  const add: Record<string, Set<string>> = {};
  const takeOut: Record<string, Set<string>> = {};
  const write = ({ attribute, member, value }: Entry, sets: typeof add): void => {
    if (member !== undefined) sets[attribute] = new Set([...(sets[attribute] ?? []), member]);
    else if (value !== undefined) set[attribute] = value as Value;
    else if (FLAGS.includes(attribute)) set[attribute] = false;
    else remove.push(attribute);
  };
  const nameOf = ({ attribute, member }: Entry) => JSON.stringify([attribute, member]);
  const [was, is] = [before, after].map((entries) => new Map(entries.map((each) => [nameOf(each), each])));
  for (const [name, entry] of is ?? []) {
    const earlier = was?.get(name);
    if (!earlier || given.has(entry.attribute) || !isSame(earlier.value, entry.value)) write(entry, add);
  }
  for (const [name, { value: _, ...entry }] of was ?? []) if (!is?.has(name)) write(entry, takeOut);
  return { set, remove, add, takeOut };
}

/** Where properties stand in another order they are written once more. */
const isSame = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);
const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value instanceof Set ? [...value].sort() : value);

/** Whether an update changes more than the stamp of a decision item. */
export const changesEntries = (action: Update): boolean =>
  !changesNothing(action) || (action.otherForm !== undefined && !changesNothing(action.otherForm.update));

/** Whether an update changes nothing beside the `Type` that each update of a decision item sets. */
export const changesNothing = ({ set, remove, add, takeOut }: Update): boolean =>
  Object.keys(set ?? {}).every((name) => name === 'Type') &&
  (remove ?? []).length === 0 &&
  [add, takeOut].every((part) => Object.keys(part ?? {}).length === 0);
