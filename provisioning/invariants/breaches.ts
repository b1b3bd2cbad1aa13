import type { Invariant } from './invariant.ts';
import { type Timeline, verdictsAt } from './timelines.ts';

/** A permission that is held at a scope. */
export interface Granted {
  readonly permission: string;
  readonly scope: string;
  /** Whatever conditions say, and without a token that names a group. */
  readonly certain: boolean;
  /** The same for all who hold the same there. */
  readonly text: string;
}

/** What breaks an invariant: two permissions that are held together, or one. */
export interface Breach {
  readonly granted: readonly Granted[];
  /** From when on, in epoch milliseconds. */
  readonly from: number;
}

export const isCertain = ({ granted }: Breach): boolean => granted.every(({ certain }) => certain);

/**
 * What breaks an invariant first; what breaks it whatever conditions say comes before what may break it.
 *
 * @param timelines of one subject at scopes of one root
 * @param permissions in the order of their verdicts
 * @param isExempt whether the invariant excepts the subject at a scope
 */
export function firstBreach(
  { separate, within = 'tenant', never }: Invariant,
  timelines: readonly Timeline[],
  permissions: readonly string[],
  isExempt: (scope: string) => boolean,
): Breach | undefined {
  const instants = [...new Set(timelines.flatMap(({ from }) => from))].sort((a, b) => a - b);
  /** Where a permission is granted: once for certain, or else once perhaps. */
  function grantedIn(some: readonly Timeline[], permission: string, at: number): Granted | undefined {
    let perhaps: Granted | undefined;
    for (const timeline of some) {
      const verdict = verdictsAt(timeline, at)[permissions.indexOf(permission)] ?? 'no';
      if (verdict === 'no') continue;
      const { scope, text } = timeline;
      if (verdict === 'certain') return { permission, scope, certain: true, text };
      perhaps ??= { permission, scope, certain: false, text };
    }
    return perhaps;
  }
  const together = separate && within === 'tenant' ? [timelines] : timelines.map((each) => [each]);
  let first: Breach | undefined;
  for (const from of instants)
    for (const some of together) {
      const asked = separate ?? (never === undefined || isExempt(some[0]?.scope ?? '') ? [] : [never]);
      const granted = asked.flatMap((permission) => grantedIn(some, permission, from) ?? []);
      const worst = granted
        .toSorted((a, b) => Number(b.certain) - Number(a.certain))
        .slice(0, separate ? 2 : 1);
      if (worst.length < (separate ? 2 : 1)) continue;
      const breach = { granted: worst, from };
      if (isCertain(breach)) return breach;
      first ??= breach;
    }
  return first;
}
