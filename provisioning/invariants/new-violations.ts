import { GatehouseError } from '../../table/errors.ts';
import type { Invariant } from '../../table/invariant.ts';
import { type Copy, TooLarge } from '../access-difference/copy.ts';
import { createPeople, TooMany } from '../access-difference/people.ts';
import { touchedBy } from '../access-difference/touched.ts';
import { proveInvariants } from './prove.ts';
import type { Violation } from './violation.ts';

/** How much is looked at. */
export interface Most {
  /** Whose rights a change may concern. */
  readonly people: number;
  readonly items: number;
  readonly calls: number;
}

/** What a change breaks that holds before it; or why that is not known. */
export type Broken =
  | { readonly violations: readonly Violation[]; readonly unproved?: never }
  | { readonly unproved: string; readonly violations?: never };

/**
 * What a change breaks: for whomever it may touch, what is not so before it. So what only takes away breaks nothing.
 *
 * @param copy to which the change is written
 * @param of the invariants, by the root that has them
 * @param at epoch milliseconds
 */
export async function brokenBy(
  copy: Copy,
  of: ReadonlyMap<string, readonly Invariant[]>,
  at: number,
  most: Most,
): Promise<Broken> {
  try {
    const touched = createPeople(copy.after, most);
    const { isWhole } = await touchedBy(copy, touched);
    const people = [...touched.candidates.keys()];
    if (!isWhole || people.length > most.people)
      return { unproved: `it concerns more than ${most.people} people` };
    const violations: Violation[] = [];
    for (const [root, invariants] of of) {
      const prove = (reader: Copy['after'], some: readonly string[], those: readonly Invariant[]) =>
        proveInvariants({ reader, root, invariants: those, at, people: some, bounds: most });
      const after = await prove(copy.after, people, invariants);
      if (after.unproved !== undefined) return { unproved: after.unproved };
      if (after.violations.length === 0) continue;
      for (const one of people) {
        const now = await prove(copy.after, [one], invariants);
        if (now.violations.length === 0) continue;
        const earlier = await prove(copy.before, [one], invariants);
        const known = new Set(earlier.violations.map(({ invariant }) => invariant));
        violations.push(...now.violations.filter(({ invariant }) => !known.has(invariant)));
      }
    }
    return { violations };
  } catch (error) {
    if (error instanceof TooMany) return { unproved: `it concerns more than ${most.people} people` };
    if (error instanceof TooLarge)
      return { unproved: `it takes more than ${most.items} items or ${most.calls} calls to read` };
    throw error;
  }
}

/** Who would hold what, where, through what, and from when on. */
export const violationText = ({ name, who, holds, from }: Violation): string =>
  `${name}: ${who.subject.name ?? who.subject.ref} would hold ${holds
    .map(({ permission, scope, through }) => `${permission} at ${scope.name ?? scope.ref} (${through})`)
    .join(' and ')}, from ${from}`;

export const violated = (violations: readonly Violation[]): GatehouseError =>
  new GatehouseError('invariant_violated', violations.map(violationText).join('; '));

export const unprovedError = (why: string): GatehouseError =>
  new GatehouseError('invariant_unproved', `whether the invariants would hold is not known: ${why}`);
