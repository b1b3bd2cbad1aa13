import type { Invariant } from '../../table/invariant.ts';
import { overlap } from '../../table/permission-name.ts';
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
 * @param earlier those of the same scopes before a change: what was granted then breaks nothing anew
 */
export function firstBreach(
  { separate, within = 'tenant', never }: Invariant,
  timelines: readonly Timeline[],
  permissions: readonly string[],
  isExempt: (scope: string) => boolean,
  earlier?: readonly Timeline[],
): Breach | undefined {
  const all = [...timelines, ...(earlier ?? [])];
  const instants = [...new Set(all.flatMap(({ from }) => from))].sort((a, b) => a - b);
  /** Where one is granted that this covers: once for certain, or else once perhaps. */
  function grantedIn(
    some: readonly Timeline[],
    said: string,
    at: number,
    counts: (permission: string) => boolean = () => true,
  ): Granted | undefined {
    let perhaps: Granted | undefined;
    for (const timeline of some) {
      const verdicts = verdictsAt(timeline, at);
      for (const [position, permission] of permissions.entries()) {
        const verdict = verdicts[position] ?? 'no';
        if (verdict === 'no' || !overlap(said, permission) || !counts(permission)) continue;
        const { scope, text } = timeline;
        if (verdict === 'certain') return { permission, scope, certain: true, text };
        perhaps ??= { permission, scope, certain: false, text };
      }
    }
    return perhaps;
  }
  const isInTenant = separate !== undefined && within === 'tenant';
  const placesOf = (each: readonly Timeline[]) => (isInTenant ? [each] : each.map((one) => [one]));
  const before = earlier && placesOf(earlier);
  let first: Breach | undefined;
  for (const from of instants)
    for (const [place, some] of placesOf(timelines).entries()) {
      const asked = separate ?? (never === undefined || isExempt(some[0]?.scope ?? '') ? [] : [never]);
      const grantedOf = (said: string, counts?: (permission: string) => boolean) => {
        const granted = grantedIn(some, said, from, counts);
        return granted ? [{ said, granted }] : [];
      };
      const isNew = (permission: string) => !before || !grantedIn(before[place] ?? [], permission, from);
      const [one] = asked.flatMap((said) => grantedOf(said, isNew)).toSorted(certainFirst);
      const rest = asked.filter((said) => said !== one?.said).flatMap((said) => grantedOf(said));
      const [other] = rest.toSorted(certainFirst);
      if (!one || (separate && !other)) continue;
      const worst = [one, ...(other ? [other] : [])].toSorted(
        (a, b) => asked.indexOf(a.said) - asked.indexOf(b.said),
      );
      const breach = { granted: worst.map(({ granted }) => granted), from };
      if (isCertain(breach)) return breach;
      first ??= breach;
    }
  return first;
}

const certainFirst = (a: { readonly granted: Granted }, b: { readonly granted: Granted }): number =>
  Number(b.granted.certain) - Number(a.granted.certain);
