import { GatehouseError } from '../../table/errors.ts';
import { type Invariant, permissionsOf } from '../../table/invariant.ts';
import type { Item } from '../../table/item.ts';
import { overlap } from '../../table/permission-name.ts';
import { type Copy, TooLarge } from '../access-difference/copy.ts';
import { createPeople } from '../access-difference/people.ts';
import { touchedBy } from '../access-difference/touched.ts';
import { hasEffect } from '../edges/role-effects.ts';
import type { Accepted } from '../plan.ts';
import { extentOf, mayGive, rolesGivenBy } from './concerned.ts';
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
  const said = [...of.values()].flat().flatMap(permissionsOf);
  const unless = async (unproved: string): Promise<Broken> =>
    (await givesAny(copy, said)) ? { unproved } : { violations: [] };
  try {
    const touched = createPeople(copy.after, most);
    const { isWhole, isOfTokens } = await touchedBy(copy, touched);
    const people = [...touched.candidates.keys()];
    if (!isWhole || people.length > most.people)
      return await unless(`it concerns more than ${most.people} people`);
    const violations: Violation[] = [];
    for (const [root, invariants] of of) {
      const { before, after: reader } = copy;
      const bounds = { ...most, violations: Number.POSITIVE_INFINITY };
      const change = { before, people, isOfTokens };
      const found = await proveInvariants({ reader, root, invariants, at, bounds, change });
      if (found.unproved !== undefined) return await unless(found.unproved);
      violations.push(...found.violations);
    }
    return { violations };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return unless(error.message);
  }
}

/** Whether what was written may give anybody one of these permissions: not what takes away, nor a role that allows none. */
async function givesAny(copy: Copy, said: readonly string[]): Promise<boolean> {
  const actions = copy.actions();
  const idle = new Set<string>();
  // Of a role that cannot be read any more, nobody knows.
  const mayAllow = (error: unknown): true => {
    if (error instanceof TooLarge) return true;
    throw error;
  };
  const allowsAny = ({ effect, permission }: Item): boolean =>
    effect === 'ALLOW' && said.some((one) => overlap(one, String(permission)));
  for (const id of rolesGivenBy(actions))
    if (!(await hasEffect(copy.after, id, allowsAny).catch(mayAllow))) idle.add(id);
  return actions
    .flatMap((action) => extentOf(action, (id) => idle.has(id)) ?? [])
    .some((extent) => said.some((each) => mayGive(extent, each)));
}

/** Who would, or would perhaps, hold what, where, through what, with which token, and from when on. */
export const violationText = ({ name, who, certain, holds, from }: Violation): string =>
  `${name}: ${who.subject.name ?? who.subject.ref} would ${certain ? '' : 'perhaps '}hold ${holds
    .map(({ permission, scope, through }) => `${permission} at ${scope.name ?? scope.ref} (${through})`)
    .join(
      ' and ',
    )}${who.token ? `, with a token that names ${who.token.groups.join(', ')}` : ''}, from ${from}`;

/** A line for each violation, or that there may be some. */
export const brokenLines = (broken: Broken | undefined): readonly string[] =>
  broken?.unproved === undefined
    ? (broken?.violations ?? []).map(violationText)
    : [`it is not known whether: ${broken.unproved}`];

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
