import type { SubjectFacts } from '../../table/decision/facts.ts';
import { type Bearer, isGoodBearer } from '../bearer.ts';
import { judge, judgeMember } from '../decide.ts';
import { DENIED, type Decision } from '../decision.ts';
import { isSubscribed } from '../entitlements.ts';
import type { Footing, RolesInForce } from '../footing.ts';
import { BEARER, SUBJECT } from '../needs.ts';
import { type Standing, standingAt } from '../standing.ts';
import { type Entry, SET_BACK_MS, type Store } from '../store.ts';
import type { Times } from './basis.ts';
import { createFootings, type Held, STRIDE } from './footings.ts';
import { createGrounds, type Ground, type Ruling } from './grounds.ts';

/**
 * Decides out of the cache alone, by what was made of it before: two or three look-ups, then numbers. What is made of an
 * entry goes with it: how a subject stands at a place hangs on the subject, the ground on its scope, what each role does
 * to a permission on the root. Whatever else it was made of says itself whether it is still there (ADR 0018).
 */
export function createReady(store: Store, marginMs: number) {
  const grounds = createGrounds(store);
  const stand = createFootings(store, grounds);
  const { latest } = store;

  /** As coherence.ts has it: brought by one call, or written well before the first of them was read. */
  function belong(a: Times, b: Times, c: Times): boolean {
    if (a.call === b.call && b.call === c.call) return true;
    let written = a.writtenAt;
    let read = a.readAt;
    if (b.writtenAt > written) written = b.writtenAt;
    if (c.writtenAt > written) written = c.writtenAt;
    if (b.readAt < read) read = b.readAt;
    if (c.readAt < read) read = c.readAt;
    return written < read - marginMs;
  }

  /** Whether what the subject comes with is good; undefined when the cache cannot tell. */
  function isGood(
    bearer: Bearer,
    who: Entry<unknown>,
    ground: Ground,
    ruling: Ruling,
    subject: string,
    now: number,
    at: number,
  ) {
    const shown = store.find(BEARER, bearer.ref, now);
    return shown && belong(shown, who, ground.basis) && belong(shown, ground.basis, ruling)
      ? isGoodBearer(shown.facts, subject, bearer.hash, at)
      : undefined;
  }

  /**
   * @param at the instant to decide for, in epoch milliseconds; undefined: now
   * @returns undefined when the cache cannot tell, or not in this way: then the view has to be put together
   */
  function decideNow(
    subject: string,
    permission: string,
    scope: string,
    bearer: Bearer | undefined,
    at: number | undefined,
  ): Decision | undefined {
    const now = store.now();
    // A clock that was set back: the long way looks at each entry.
    if (now < latest.readAt - SET_BACK_MS) return undefined;
    const who = store.find(SUBJECT, subject, now);
    if (who === undefined || who.facts === null) return undefined;
    const ground = grounds.groundAt(scope, now);
    if (ground === undefined) return undefined;
    const ruling = grounds.rulingOn(ground, permission, now);
    if (ruling === undefined || !belong(who, ground.basis, ruling)) return undefined;
    if (bearer !== undefined) {
      const good = isGood(bearer, who, ground, ruling, subject, now, at ?? store.openedAt + now);
      if (good !== true) return good === undefined ? undefined : DENIED.bearer_refused;
    }
    const isSold =
      ruling.soldModule === undefined || isSubscribed(ground, ruling.soldModule, at ?? store.openedAt + now);
    const held = who.made as Held | undefined;
    if (held !== undefined && (at === undefined || at < Number.POSITIVE_INFINITY)) {
      for (let i = 0; i < held.length; i += STRIDE) {
        if (held[i] !== ground) continue;
        const own = held[i + 1];
        if (typeof own === 'number')
          return judgeMember(own, held[i + 2] as number, ground.denyOverrides, ruling, isSold);
        const footing = own as Footing;
        if (holdsAt(footing, at ?? store.openedAt + now)) return judge(footing, ruling, isSold);
      }
    }
    return judge(stand(who as Entry<SubjectFacts>, ground, now, at ?? store.openedAt + now), ruling, isSold);
  }

  /** The same for where a subject stands; undefined as well for who is refused whatever it asks for. */
  function standingNow(subject: string, scope: string, at: number | undefined): Standing | undefined {
    const now = store.now();
    if (now < latest.readAt - SET_BACK_MS) return undefined;
    const who = store.find(SUBJECT, subject, now);
    if (who === undefined || who.facts === null) return undefined;
    const ground = grounds.groundAt(scope, now);
    if (ground === undefined || !belong(who, ground.basis, ground.basis)) return undefined;
    const instant = at ?? store.openedAt + now;
    const footing = footingIn(who.made as Held | undefined, ground, instant);
    const held = footing ?? stand(who as Entry<SubjectFacts>, ground, now, instant);
    return held.refusal ? undefined : standingAt(ground, held);
  }

  return { decideNow, standingNow };
}

/** How a subject stands at a place by its row, at an instant; undefined when the row does not say. */
function footingIn(
  held: Held | undefined,
  ground: Ground,
  at: number,
): (RolesInForce & Partial<Pick<Footing, 'refusal'>>) | undefined {
  const place = held?.indexOf(ground) ?? -1;
  if (held === undefined || place < 0 || !(at < Number.POSITIVE_INFINITY)) return undefined;
  const own = held[place + 1];
  if (typeof own === 'number') return { ownRoles: own, globalRoles: held[place + 2] as number };
  return holdsAt(own as Footing, at) ? (own as Footing) : undefined;
}

const holdsAt = ({ window: { start, end } }: Footing, at: number): boolean => start <= at && at < end;
