import type { SubjectFacts } from '../../table/decision/facts.ts';
import { type Bearer, isGoodBearer } from '../bearer.ts';
import { judge } from '../decide.ts';
import { DENIED, type Decision } from '../decision.ts';
import { BEARER, SUBJECT } from '../needs.ts';
import { type Entry, SET_BACK_MS, type Store } from '../store.ts';
import type { Times } from './basis.ts';
import { createGrounds } from './grounds.ts';
import { createStandings } from './standings.ts';

/**
 * Decides out of the cache alone, by what was made of it before: two or three look-ups, then numbers. What is made of an
 * entry goes with it: how a subject stands at a place hangs on the subject, the ground on its scope, what each role does
 * to a permission on the root. Whatever else it was made of says itself whether it is still there (ADR 0018).
 */
export function createReady(store: Store, marginMs: number) {
  const grounds = createGrounds(store);
  const standingNow = createStandings(store, grounds);
  const { latest } = store;

  /** As coherence.ts has it: brought by one call, or written well before the first of them was read. */
  const belong = (a: Times, b: Times, c: Times): boolean =>
    (a.call === b.call && b.call === c.call) ||
    Math.max(a.writtenAt, b.writtenAt, c.writtenAt) < Math.min(a.readAt, b.readAt, c.readAt) - marginMs;

  /**
   * @param now in ticks
   * @param at the instant to decide for, in epoch milliseconds; undefined: now
   * @returns undefined when the cache cannot tell, or not in this way: then the view has to be put together
   */
  return function decideNow(
    subject: string,
    permission: string,
    scope: string,
    bearer: Bearer | undefined,
    now: number,
    at: number | undefined,
  ): Decision | undefined {
    // A clock that was set back: the long way looks at each entry.
    if (now < latest.readAt - SET_BACK_MS) return undefined;
    const who = store.find(SUBJECT, subject, now);
    if (who === undefined || who.facts === null) return undefined;
    const standing = standingNow(who as Entry<SubjectFacts>, scope, now, at);
    if (standing === undefined) return undefined;
    const ground = standing.place;
    const ruling = grounds.rulingOn(ground, permission, now);
    if (ruling === undefined || !belong(who, ground.basis, ruling.basis)) return undefined;
    if (bearer !== undefined) {
      const shown = store.find(BEARER, bearer.ref, now);
      if (!shown || !belong(shown, who, ground.basis) || !belong(shown, ground.basis, ruling.basis))
        return undefined;
      if (!isGoodBearer(shown.facts, subject, bearer.hash, at ?? store.openedAt + now))
        return DENIED.bearer_refused;
    }
    return judge(standing, ruling.effects, at ?? store.openedAt + now);
  };
}
