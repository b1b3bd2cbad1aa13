import { Attribute } from '../../table/decision/attributes.ts';
import { decodeScope } from '../../table/decision/decode.ts';
import { MARKS } from '../../table/decision/entries.ts';
import { stale } from '../../table/errors.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import { type Invariant, permissionsOf } from '../../table/invariant.ts';
import type { Item } from '../../table/item.ts';
import { GLOBAL, invariantsKey, isSameKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { createCopy } from '../access-difference/copy.ts';
import { scopeKey } from '../access-difference/state.ts';
import { type Plan, recorded, withAccepted } from '../plan.ts';
import { type Extent, extentOf, extentOfEnd, mayGive } from './concerned.ts';
import { invariantsIn, readInvariantItems, readRootsWithInvariants, refuseLost } from './invariants-of.ts';
import { acceptedOf, brokenBy, type Most, refuse, unprovedError } from './new-violations.ts';
import { notHolding } from './not-holding.ts';
import type { Violation } from './violation.ts';

/** For how long a process goes by what it has read of which roots have invariants, in milliseconds. */
const ROOTS_KNOWN_MS = 30_000;

/** What one transaction may concern that is sent alone, and as a step of an apply. */
const ALONE: Most = { people: 200, items: 20_000, calls: 2_000 };
const OF_MANY: Most = { people: 2_000, items: 200_000, calls: 20_000 };
/** Roots with such invariants, where a transaction counts in all. */
const MOST_ROOTS = 40;

interface Around {
  /** ISO 8601. */
  readonly now: string;
  /** The reader of what is planned beside this and written with it, which has to know what this rests on. */
  readonly beside: Reader | undefined;
}

/** Looks at a plan before it is written. */
export type Enforce = (plan: Plan, around: Around) => Promise<Plan>;

/**
 * Keeps the invariants of `separate` at every write (ADR 0047): refuses what gives somebody something by which one is
 * broken, and lets all else that gives something write the revision of the root, on condition that it is as it was read.
 * So what an invariant may rest on is written one after the other. Where no root has invariants a plan stays as it is.
 */
export function createEnforcement({
  reader,
  clock,
}: {
  readonly reader: Reader;
  readonly clock: { readonly now: () => number };
}): Enforce {
  let known: { readonly roots: Promise<ReadonlySet<string>>; readonly until: number } | undefined;

  function rootsWithInvariants(): Promise<ReadonlySet<string>> {
    if (known && clock.now() < known.until) return known.roots;
    const roots = readRootsWithInvariants(reader);
    known = { roots, until: clock.now() + ROOTS_KNOWN_MS };
    // What could not be read is read again.
    roots.catch(() => {
      known = undefined;
    });
    return roots;
  }

  return async (planned, { now, beside }) => {
    let plan = planned;
    await refuseLost(reader, plan.actions.map(keyOf));
    if (plan.actions.some((action) => isSameKey(keyOf(action), invariantsKey(GLOBAL)))) {
      known = undefined;
      const warning = plan.isOfMany ? undefined : await notHolding(plan.actions, reader, Date.parse(now));
      if (warning !== undefined) plan = { ...plan, shownOnce: { ...plan.shownOnce, warning } };
    }
    const added = plan.actions.flatMap((action) => extentOf(action) ?? []);
    const ended = plan.actions.flatMap((action) => extentOfEnd(action) ?? []);
    const extents = [...added, ...ended];
    if (extents.length === 0) return plan;
    const all = await rootsWithInvariants();
    if (all.size === 0) return plan;
    const isEverywhere = extents.some(({ where }) => where === 'everywhere');
    const roots = isEverywhere ? [...all] : tenantsOf(plan).filter((root) => all.has(root));
    // Before all that the check reads, past what was read for the plan: whatever changes from here on changes them.
    const items = await readInvariantItems(reader, roots);
    const of = new Map<string, readonly Invariant[]>();
    const revisions: Action[] = [];
    let gives = false;
    for (const [position, item] of items.entries()) {
      const root = String(roots[position]);
      const concernedBy = (some: readonly Extent[]) =>
        invariantsIn(item).filter(
          (each) => each.separate && permissionsOf(each).some((said) => some.some((by) => mayGive(by, said))),
        );
      const concerned = concernedBy(extents);
      if (concerned.length === 0) continue;
      revisions.push(nextRevision(item));
      const isGiven = concernedBy(added).length > 0;
      gives ||= isGiven;
      // Elsewhere the end of a DENY gives nothing, as long as that stays so: the revision says when it does not.
      if (isGiven || (await isDenyOverriding(reader, root))) of.set(root, concerned);
    }
    if (revisions.length === 0) return plan;
    if (revisions.length > MOST_ROOTS) {
      if (!gives) return plan;
      throw unprovedError(`it counts in more than ${MOST_ROOTS} tenants with invariants`);
    }
    await beside?.getMany(roots.map((root) => invariantsKey(parseRef(root, 'root'))));
    const broken = of.size > 0 ? await check(plan, of, { reader, now }) : [];
    return {
      ...plan,
      actions: [...plan.actions, ...revisions],
      audit: withAccepted(plan.audit, acceptedOf(plan.accepts, broken)),
    };
  };
}

/** Whether a DENY counts in a tenant. */
async function isDenyOverriding(reader: Reader, root: string): Promise<boolean> {
  const item = await reader.get(scopeKey(root));
  return item !== undefined && decodeScope(root, item).combination === 'deny-overrides';
}

/** The invariants that a plan breaks and may break. Throws for others. */
async function check(
  { actions, accepts = [], isOfMany }: Plan,
  of: ReadonlyMap<string, readonly Invariant[]>,
  { reader, now }: { readonly reader: Reader; readonly now: string },
): Promise<readonly Violation[]> {
  const at = Date.parse(now);
  const most = isOfMany ? OF_MANY : ALONE;
  const copy = createCopy(reader, most);
  await copy.write(actions, { writtenAt: at, writeId: 'copy' });
  const { violations, unproved } = await brokenBy(copy, of, at, most);
  if (unproved !== undefined) throw unprovedError(unproved);
  refuse(violations, accepts);
  return violations;
}

/** The tenants whose records a plan writes. */
const tenantsOf = (plan: Plan): readonly string[] => [
  ...new Set(recorded(plan).flatMap(({ tenant }) => (tenant ? [formatRef(tenant)] : []))),
];

/** It is as it was read, and gets another stamp. */
const nextRevision = (item: Item | undefined): Action => ({
  kind: 'update',
  key: { PK: String(item?.PK), SK: String(item?.SK) },
  set: MARKS,
  when: { exists: true, equals: { [Attribute.writeId]: item?.[Attribute.writeId] as string | undefined } },
  failure: () => stale('what the invariants of the tenant rest on'),
});
