import { GatehouseError } from '../errors.ts';
import { FORM, FORMS, SPLIT_FORM } from '../form.ts';
import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';
import { parseAttribute } from './attributes.ts';

/**
 * Decision items of which a part stands in items of its own, because it outgrew a size (ADR 0003). The item itself says
 * which one by an attribute, its marker. No command splits an item: `gatehouse migrate` does.
 */

/** Beyond how many entries `gatehouse migrate` lets a part of an item stand apart. */
export interface SplitThresholds {
  /** Groups of a subject. */
  readonly groupsOfSubject: number;
  /** Groups with roles at a scope. */
  readonly groupsOfScope: number;
  /** Roles that a root owns. */
  readonly rolesOfRoot: number;
}

export const SPLIT_THRESHOLDS: SplitThresholds = {
  groupsOfSubject: 2_000,
  groupsOfScope: 2_000,
  rolesOfRoot: 1_000,
};

/** The markers, by the attribute that holds each: an item without it holds the part itself. */
export const MARKERS = {
  /** On a subject: its groups stand apart, by the scope of the group. */
  groupsIn: 'scope',
  /** On a scope: the roles of its groups stand apart, but for those of its group of everyone. */
  groupRoles: 'apart',
} as const;
/** With that of a root's roles: they do not stand apart, but are folded (ADR 0003). */
export type Marker = keyof typeof MARKERS | 'roleTable';
const ALL_MARKERS = [...Object.keys(MARKERS), 'roleTable'] as readonly Marker[];

/**
 * On the nodes of a scope and of its groups: subjects list their groups there by scope, apart from all others. It names
 * the migration that began so, and comes before what it says is true of all subjects. A node that has it is of form 2.
 */
export const BY_SCOPE = 'byScope';

/** The value of {@link BY_SCOPE} on the node of a scope whose groups are on their way back into its item. */
export const BACK = 'back';

/** Whether the groups of a scope stand apart, or are on their way there, by its node. */
export const isSplitting = (scope: Item): boolean => isByScope(scope) && scope[BY_SCOPE] !== BACK;

/** What a new group takes over from the node of its scope. */
export const markOf = (scope: Item): Readonly<Record<string, unknown>> =>
  isSplitting(scope) ? { [BY_SCOPE]: scope[BY_SCOPE], [FORM]: SPLIT_FORM } : {};

/** Whether the memberships of a group are listed by scope. */
export const isByScope = (group: Item): boolean => group[BY_SCOPE] !== undefined;

/** The form of a decision item, by what it says itself: anything that stands apart makes it that of split items. */
export const formOfParts = (item: Readonly<Record<string, unknown>>): number =>
  ALL_MARKERS.some((marker) => item[marker] !== undefined) ||
  Object.keys(item).some((name) => parseAttribute(name)?.kind === 'at')
    ? SPLIT_FORM
    : FORMS.usual;

/**
 * Which items are known to have a marker: what writes have met. It is never trusted: each write has the condition that
 * the item is as it is taken to be, and a write that finds it otherwise notes so and is planned anew.
 */
export interface KnownSplits {
  readonly has: (key: Key, marker: Marker) => boolean;
  /** Notes what an item says, and answers with the error by which the command is planned anew. */
  readonly meet: (key: Key, marker: Marker, found: Item) => GatehouseError;
}

/** So many are remembered; then it begins anew. */
const MOST = 10_000;

export function createKnownSplits(): KnownSplits {
  const known = new Set<string>();
  const nameOf = (key: Key, marker: Marker): string => `${identityOf(key)}\n${marker}`;
  return {
    has: (key, marker) => known.has(nameOf(key, marker)),
    meet: (key, marker, found) => {
      if (known.size >= MOST) known.clear();
      if (found[marker] === undefined) known.delete(nameOf(key, marker));
      else known.add(nameOf(key, marker));
      return new GatehouseError('stale', `${key.PK} / ${key.SK} holds its ${marker} in another form by now`);
    },
  };
}

/** Notes what an item says of itself, as it was read. */
export function noteSplits(splits: KnownSplits, key: Key, item: Item | undefined): void {
  for (const marker of ALL_MARKERS) if (item?.[marker] !== undefined) splits.meet(key, marker, item);
}

/** Whether a part of the item stands apart. */
export const isSplit = (item: Item | undefined): boolean =>
  Object.keys(MARKERS).some((marker) => item?.[marker] !== undefined);
