import { GatehouseError } from '../errors.ts';
import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';

/**
 * Decision items of which a part stands in items of its own, because it outgrew a size (ADR 0024). The item itself says
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
} as const;
/** With that of a root's roles: they do not stand apart, but are folded (ADR 0052). */
export type Marker = keyof typeof MARKERS | 'roleTable';
const ALL_MARKERS = [...Object.keys(MARKERS), 'roleTable'] as readonly Marker[];

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
