import type { Invariant } from '../../table/invariant.ts';
import type { Reader } from '../../table/reader.ts';
import { carryOut } from '../access-difference/carry-out.ts';
import { type Copy, createCopy, TooLarge } from '../access-difference/copy.ts';
import { invariantsIn, readInvariantItems, readRootsWithInvariants } from '../invariants/invariants-of.ts';
import { acceptedOf, type Broken, brokenBy, refuse, unprovedError } from '../invariants/new-violations.ts';
import { notHolding } from '../invariants/not-holding.ts';
import type { Accepted } from '../plan.ts';
import type { ManifestPlan } from './plan.ts';
import type { Commands } from './state.ts';
import type { Step } from './steps.ts';

/** How much is looked at for a plan. */
const MOST = { people: 2_000, items: 20_000, calls: 10_000 };

/** What a plan breaks of the invariants of its tenants, and the names of all that there are. */
export type BrokenInvariants = Broken & { readonly invariants: readonly string[] };

/** The invariants of the tenants of a manifest. */
async function invariantsOn(
  reader: Reader,
  { state }: Pick<ManifestPlan, 'state'>,
): Promise<ReadonlyMap<string, readonly Invariant[]>> {
  const all = await readRootsWithInvariants(reader);
  const roots = [...(state?.scopes.values() ?? [])].flatMap(({ ref }) => (all.has(ref) ? [ref] : []));
  const items = await readInvariantItems(reader, roots);
  const found = items.map((item, position) => [String(roots[position]), invariantsIn(item)] as const);
  return new Map(found.filter(([, invariants]) => invariants.length > 0));
}

/** What is broken once the steps are written to this copy; undefined where there is no invariant. */
export async function brokenOn(
  copy: Copy,
  compared: Pick<ManifestPlan, 'state'>,
  at: number,
): Promise<BrokenInvariants | undefined> {
  const of = await invariantsOn(copy.after, compared);
  if (of.size === 0) return undefined;
  const invariants = [...of.values()].flat().map(({ name }) => name);
  return { ...(await brokenBy(copy, of, at, MOST)), invariants };
}

/**
 * Throws what the steps of a manifest break, and where it is not known whether they do.
 *
 * @param accepted invariants that they may break
 * @returns those of them that they do break, or may; and a warning of who breaks new ones already
 */
export async function refuseBroken(
  compared: Pick<ManifestPlan, 'state'>,
  steps: readonly Step[],
  accepted: readonly Accepted[],
  { reader, commands, at }: { readonly reader: Reader; readonly commands: Commands; readonly at: number },
): Promise<{ readonly accepted: readonly Accepted[]; readonly warning?: string | undefined }> {
  const isNew = steps.some(({ kind }) => kind === 'invariant');
  if (steps.length === 0 || (!isNew && (await invariantsOn(reader, compared)).size === 0))
    return { accepted: [] };
  const copy = createCopy(reader, MOST);
  let broken: BrokenInvariants | undefined;
  try {
    await carryOut(steps, copy, commands, at);
    broken = await brokenOn(copy, compared, at);
  } catch (error) {
    throw error instanceof TooLarge ? unprovedError(error.message) : error;
  }
  if (!broken) return { accepted: [] };
  const { invariants, violations, unproved } = broken;
  const isAccepted = (name: string) => accepted.some(({ invariant }) => invariant === name);
  if (unproved === undefined) refuse(violations, accepted);
  else if (!invariants.every(isAccepted)) throw unprovedError(unproved);
  const broke = accepted.filter(({ invariant }) => invariants.includes(invariant));
  return {
    accepted: unproved === undefined ? acceptedOf(accepted, violations) : broke,
    warning: await notHolding(copy.actions(), copy.after, at),
  };
}
