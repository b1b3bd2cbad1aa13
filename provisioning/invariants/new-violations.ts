import { GatehouseError } from '../../table/errors.ts';
import type { Invariant } from '../../table/invariant.ts';
import { type Copy, TooLarge } from '../access-difference/copy.ts';
import { createPeople, TooMany } from '../access-difference/people.ts';
import { touchedBy } from '../access-difference/touched.ts';
import type { Accepted } from '../plan.ts';
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
 * What a change breaks: for whomever it may touch, by what it gives. So what only takes away breaks nothing.
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
      const { before, after: reader } = copy;
      const bounds = { ...most, violations: Number.POSITIVE_INFINITY };
      const change = { before, people };
      const found = await proveInvariants({ reader, root, invariants, at, bounds, change });
      if (found.unproved !== undefined) return { unproved: found.unproved };
      violations.push(...found.violations);
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

/** Throws where others are broken than those that may be. */
export function refuse(violations: readonly Violation[], accepted: readonly Accepted[]): void {
  const refused = violations.filter(({ name }) => !accepted.some(({ invariant }) => invariant === name));
  if (refused.length > 0)
    throw new GatehouseError('invariant_violated', refused.map(violationText).join('; '));
}

/** Of the invariants that may be broken those that are. */
export const acceptedOf = (
  accepted: readonly Accepted[] = [],
  violations: readonly Violation[] = [],
): readonly Accepted[] =>
  accepted.filter(({ invariant }) => violations.some(({ name }) => name === invariant));

export const unprovedError = (why: string): GatehouseError =>
  new GatehouseError('invariant_unproved', `whether the invariants would hold is not known: ${why}`);
