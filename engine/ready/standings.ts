import type { SubjectFacts } from '../../table/decision/facts.ts';
import { ALWAYS, type Standing, standingOf } from '../standing.ts';
import type { Entry, Store } from '../store.ts';
import type { createGrounds, Ground } from './grounds.ts';

/** Places of one subject that are kept beside the last one; more are worked out when they are asked for. */
const OTHERS = 31;

/** Estimated bytes. */
const STANDING = 220;
const POINTER = 8;

type Standings = readonly Standing<Ground>[];

/** How subjects stand hangs on their entries: at the place that was asked for last, and at others. */
export function createStandings(store: Store, { groundAt, stands }: ReturnType<typeof createGrounds>) {
  /** The one that others have as well, if it is like theirs. */
  function shared(standing: Standing<Ground>): Standing<Ground> {
    const { place, own, everywhere, refusal, isAdmin, window } = standing;
    if (refusal || isAdmin || window !== ALWAYS) return standing;
    const roles = `${own.join()} ${everywhere.join()}`;
    const known = place.standings.get(roles);
    if (known) return known;
    place.standings.set(roles, standing);
    store.grow(place.own, STANDING);
    return standing;
  }

  /** Makes this the last one; of the others those stay that may still be of use. */
  function keep(who: Entry<SubjectFacts>, standing: Standing<Ground>): void {
    const last = who.made as Standing<Ground> | undefined;
    const others = (who.more ?? []) as Standings;
    const before = last ? [last, ...others] : others;
    const rest = before.filter(({ place }) => place.scope !== standing.place.scope).slice(0, OTHERS);
    who.made = standing;
    if (rest.length > 0 || who.more !== undefined) who.more = rest;
    store.grow(who, POINTER * (1 + rest.length - others.length));
  }

  /** Finds it among the others, or works it out. */
  function standingThen(
    who: Entry<SubjectFacts>,
    scope: string,
    now: number,
    at: number,
  ): Standing<Ground> | undefined {
    const ground = groundAt(scope, now);
    if (ground === undefined) return undefined;
    const others = (who.more ?? []) as Standings;
    const known = others.find((each) => each.place === ground && holdsAt(each, at));
    const made = known ?? standingOf(who.facts, ground, at);
    if (!holdsAt(made, at)) return undefined;
    const standing = known ?? shared(made);
    keep(who, standing);
    if (standing === made && !known) store.grow(who, STANDING);
    return standing;
  }

  /**
   * How the subject stands at the scope, if the cache has all of it.
   *
   * @param at undefined: now
   */
  return function standingNow(
    who: Entry<SubjectFacts>,
    scope: string,
    now: number,
    at: number | undefined,
  ): Standing<Ground> | undefined {
    const last = who.made as Standing<Ground> | undefined;
    return last !== undefined &&
      last.place.scope === scope &&
      (at === undefined && last.window === ALWAYS ? true : holdsAt(last, at ?? store.openedAt + now)) &&
      stands(last.place.basis, now)
      ? last
      : standingThen(who, scope, now, at ?? store.openedAt + now);
  };
}

const holdsAt = ({ window: { start, end } }: Standing, at: number): boolean => start <= at && at < end;
