import type { SubjectFacts } from '../../table/decision/facts.ts';
import { ALWAYS, type Footing, footingOf } from '../footing.ts';
import type { Entry, Store } from '../store.ts';
import type { createGrounds, Ground } from './grounds.ts';

/**
 * How a subject stands at places where it was asked for: for each the ground, and what it holds there. That is most
 * often nothing but roles, at all times, and few enough for a word of each kind: then these two words stand in the row
 * itself. Otherwise the footing does. A row is one piece of memory.
 */
export type Held = readonly (Ground | Footing | number | undefined)[];

/** Of each place: the ground, then the words of its own roles and of those everywhere; or the footing, then nothing. */
export const STRIDE = 3;

/** Places of one subject that are kept; at any more it is worked out each time. */
const PLACES = 64;

/** Estimated bytes. */
const ROW = 48;
const PLACE = 24;
const FOOTING = 150;

const isOrdinary = ({ refusal, isAdmin, isLicensed, window, ownRoles, globalRoles }: Footing): boolean =>
  refusal === undefined &&
  !isAdmin &&
  isLicensed &&
  window === ALWAYS &&
  typeof ownRoles === 'number' &&
  typeof globalRoles === 'number';

/** Works out how subjects stand, and keeps it with their entries. */
export function createFootings(store: Store, { stands }: ReturnType<typeof createGrounds>) {
  return function stand(who: Entry<SubjectFacts>, ground: Ground, now: number, at: number): Footing {
    const footing = footingOf(who.facts, ground, at);
    const before = (who.made ?? []) as Held;
    const row: (Ground | Footing | number | undefined)[] = [];
    let replaced: Held[number];
    for (let i = 0; i < before.length; i += STRIDE) {
      const other = before[i] as Ground;
      if (other.scope === ground.scope) replaced = before[i + 1];
      else if (stands(other.basis, now)) row.push(...before.slice(i, i + STRIDE));
    }
    if (row.length === PLACES * STRIDE) return footing;
    const isWord = isOrdinary(footing);
    row.push(
      ground,
      isWord ? (footing.ownRoles as number) : footing,
      isWord ? (footing.globalRoles as number) : undefined,
    );
    // A copy has no room to grow.
    who.made = row.slice();
    const places = (row.length - before.length) / STRIDE;
    const larger = isWord || typeof replaced === 'object' ? 0 : FOOTING;
    store.grow(who, (before.length === 0 ? ROW : 0) + PLACE * places + larger);
    return footing;
  };
}
