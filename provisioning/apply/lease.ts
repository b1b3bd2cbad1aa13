import { GatehouseError, stale } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { appliedKey, applyKey } from '../../table/keys.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import { type Action, create } from '../../table/write/action.ts';
import type { Plan, Planning } from '../plan.ts';
import { hasRoom } from './batch.ts';

/**
 * One apply of a tenant at a time (ADR 0018). An item says of each root which apply was its last one, and an item of that
 * apply, until it ends, until when it holds its roots. Each transaction of the apply renews the second item and fails
 * where it is gone: an apply that was taken over writes nothing more.
 */

/** Milliseconds without a transaction after which an apply counts as interrupted. */
const LEASE_MS = 60_000;

/** For how long it is known that a tenant was applied: longer than any comparison takes. */
const REMEMBERED_MS = 24 * 3_600_000;

/** Roots that one transaction takes: two items each at most. */
const ROOTS_AT_ONCE = 40;

export interface Lease {
  /** The transactions that take it. None where this operation holds it already. */
  readonly take: readonly (readonly Action[])[];
  readonly isOwn: boolean;
  readonly renewal: (now: string) => Action;
  readonly release: Action;
  /** Releases it, however things are. */
  readonly frees: readonly Action[];
}

/**
 * Reads who holds these roots. It has to be read before the table is compared: taking it fails where another apply of
 * one of the roots has begun since.
 *
 * @throws GatehouseError `apply_running` where another operation holds one of them
 */
export async function leaseOf(
  roots: readonly Ref[],
  { reader, now, operation }: { readonly reader: Reader; readonly now: string; readonly operation: string },
): Promise<Lease> {
  const sorted = [...new Map(roots.map((root) => [formatRef(root), root])).entries()].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const last = await reader.getMany(sorted.map(([, root]) => appliedKey(root)));
  const holders = [...new Set([operation, ...last.flatMap((item) => item?.apply ?? [])].map(String))];
  const found = await reader.getMany(holders.map(applyKey));
  const applies = new Map(holders.map((holder, position) => [holder, found[position]]));
  const own = applies.get(operation);
  const toTake = sorted.flatMap(([name, root], position) => {
    const item = last[position];
    const holder = item?.apply === undefined ? undefined : String(item.apply);
    const apply = holder === undefined ? undefined : applies.get(holder);
    if (holder === operation && apply) return [];
    if (apply && String(apply.expiresAt) > now) throw running(name, apply);
    return [{ root, item, overtaken: holder === operation ? undefined : apply }];
  });
  const overtaken = new Set<string>();
  const overtake = (apply: Item | undefined): readonly Action[] => {
    if (!apply || overtaken.has(apply.PK)) return [];
    overtaken.add(apply.PK);
    const when = { exists: true, equals: { expiresAt: String(apply.expiresAt) } };
    return [{ kind: 'delete', key: { PK: apply.PK, SK: apply.SK }, when, failure: LOST }];
  };
  const key = applyKey(operation);
  const until = (at: string) => ({
    expiresAt: new Date(Date.parse(at) + LEASE_MS).toISOString(),
    ttl: secondsFrom(at, REMEMBERED_MS),
  });
  const renewal = (at: string): Action => ({
    kind: 'update',
    key,
    set: until(at),
    when: { exists: true },
    failure: LOST,
  });
  const begin = create({ ...key, Type: 'Apply', startedAt: now, ...until(now) }, LOST);
  const take = batchesOf(toTake, ROOTS_AT_ONCE).map((some, position): readonly Action[] => [
    position === 0 && !own ? begin : renewal(now),
    ...some.flatMap((each): readonly Action[] => [
      {
        kind: 'update',
        key: appliedKey(each.root),
        set: { Type: 'Applied', apply: operation, ttl: secondsFrom(now, REMEMBERED_MS) },
        add: { rev: 1 },
        when: each.item ? { exists: true, equals: { rev: Number(each.item.rev) } } : { exists: false },
        failure: LOST,
      },
      ...overtake(each.overtaken),
    ]),
  ]);
  return {
    take,
    isOwn: own !== undefined,
    renewal,
    release: { kind: 'delete', key, when: { exists: true }, failure: LOST },
    frees: [{ kind: 'delete', key }],
  };
}

const secondsFrom = (at: string, milliseconds: number): number =>
  Math.floor((Date.parse(at) + milliseconds) / 1_000);

/** Another apply has begun meanwhile: it is compared anew, and refused then if that one is still under way. */
const LOST = () => stale('what another apply holds', 'manifest');

const running = (root: string, { startedAt, expiresAt }: Item): GatehouseError =>
  new GatehouseError(
    'apply_running',
    `another apply of ${root} is under way since ${startedAt}: try again when it has ended, or after ${expiresAt} if it goes on no more`,
    { field: 'manifest', until: String(expiresAt) },
  );

type Make = NonNullable<Plan['next']>;

/**
 * The steps of an apply with the lease around them: taken before the first one, renewed by each, released by the last.
 *
 * @param make makes the first step; it may be called again
 */
export const underLease = (make: Make, lease: Lease, result: Plan['result']): Make =>
  lease.take.reduceRight<Make>(
    (next, actions) => async () => ({
      actions,
      audit: [],
      result,
      next,
      frees: lease.frees,
      isPrelude: true,
      planAhead: true,
    }),
    (planning) => leased(make, lease, planning),
  );

async function leased(make: Make, lease: Lease, planning: Planning): Promise<Plan> {
  const plan = await make(planning);
  const { actions, next } = plan;
  const { release, frees } = lease;
  const renewal = lease.renewal(planning.now);
  const later = next && ((again: Planning) => leased(next, lease, again));
  const beside = later ? renewal : release;
  if (hasRoom([...actions, beside], [plan.audit].flat(), planning.splits))
    return { ...plan, actions: [...actions, beside], frees, ...(later ? { next: later } : {}) };
  const end = async (): Promise<Plan> => ({ actions: [release], audit: [], result: plan.result, frees });
  // It fills a transaction, and is made anew for it: a plan holds for the step for which it was made.
  return {
    actions: [renewal],
    audit: [],
    result: plan.result,
    frees,
    next: async (again) => ({ ...(await make(again)), frees, next: later ?? end }),
  };
}
