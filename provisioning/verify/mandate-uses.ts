import type { Ref } from '../../table/identifiers.ts';
import { inTenant, logOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { mandateUsesKey, nodeKey } from '../../table/keys.ts';
import { MAX_PAGE, type Reader } from '../../table/reader.ts';
import { CLOCK_SKEW_MS } from '../../table/timing.ts';
import { isMap } from '../../table/value.ts';
import type { Action } from '../../table/write/action.ts';
import { mergedPagesOf, pagesOf } from '../list-pages.ts';
import { isExpired } from './node-damage.ts';
import { type Fault, type Found, fault, type Relation } from './relation.ts';

/**
 * What the uses of a mandate with a budget come to (ADR 0048): one counter, beside the record of each use in the log of its
 * tenant. A counter that is too low lets more be used. It is raised, and never lowered: a record may be gone.
 */

/** What the log says that was used, and the counter before the log was read. */
interface Recorded {
  readonly least: number;
  readonly most: number;
  readonly before: number;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const usedIn = (uses: Found): number => (isCount(uses?.used) ? uses.used : 0);

/** What a budget allows in all; undefined where there is none that can be read. */
function mostOf({ budget }: Item): number | undefined {
  const most = isMap(budget) ? (budget.uses ?? budget.sum) : undefined;
  return isCount(most) ? most : undefined;
}

/** @param recorded what is known of the log; nothing while it was not read */
export function usesRelation(ref: Ref, now: number, recorded?: Recorded): Relation {
  const key = mandateUsesKey(ref.id);
  return {
    name: `uses ${key.PK}`,
    keys: [nodeKey(ref), key],
    judge: ([node, uses]) => {
      const most = node && mostOf(node);
      if (!node || most === undefined || isExpired(node, now)) return [];
      const faults: Fault[] = [];
      const own = { Type: 'MandateUses', ttl: node.ttl as number };
      for (const [attribute, value] of uses ? Object.entries(own) : [])
        if (uses?.[attribute] !== value) {
          const repair: readonly Action[] = [{ kind: 'update', key, set: own }];
          // Without the right time-to-live it goes while its mandate counts, or stays for another one of this id.
          faults.push(fault('copy_differs', key, String(value), { attribute, effect: 'either', repair }));
        }
      const damaged = { attribute: 'used', effect: 'closes' } as const;
      if (uses && !isCount(uses.used))
        return [...faults, fault('node_damaged', key, 'a whole number, 0 or more', damaged)];
      const used = usedIn(uses);
      if (used > most) faults.push(fault('node_damaged', key, `at most ${most}`, damaged));
      if (!recorded) return faults;
      if (used < recorded.least) {
        // An addition: uses since then are added, too. The revision is what a second repair meets.
        const add = { used: recorded.least - used, rev: 1 };
        const repair: readonly Action[] = [{ kind: 'update', key, set: own, add }];
        const code = uses ? 'copy_differs' : 'copy_missing';
        const expected = `${recorded.least} or more: so much is in the log`;
        faults.push(fault(code, key, expected, { attribute: 'used', effect: 'opens', repair }));
      } else if (Math.min(used, recorded.before) > recorded.most)
        faults.push(fault('copy_differs', key, `${recorded.most}: no more is in the log`, damaged));
      return faults;
    },
  };
}

/**
 * Compares the counters of a tenant's mandates that count with its log, a page of mandates at a time. Answers what is to
 * be looked at again.
 *
 * @param spend is told how many items were read
 */
export async function* usesInLog(
  reader: Reader,
  tenant: Ref,
  now: number,
  spend: (items: number) => Promise<void>,
): AsyncGenerator<Relation> {
  const isLive = (item: Item): boolean =>
    item.status === 'active' &&
    mostOf(item) !== undefined &&
    now < Date.parse(String(item.endsAt)) &&
    !Number.isNaN(Date.parse(String(item.createdAt)));
  for await (const page of pagesOf(reader, inTenant('mandate', tenant, {}), MAX_PAGE)) {
    await spend(page.length);
    const nodes = page.filter(isLive);
    if (nodes.length === 0) continue;
    const keys = nodes.map(({ id }) => mandateUsesKey(String(id)));
    const before = await reader.getMany(keys);
    const sums = await sumsOf(reader, tenant, nodes, spend);
    // Records come with their count: what the log had, the counter has now.
    const after = await reader.getMany(keys);
    await spend(2 * keys.length);
    for (const [position, node] of nodes.entries()) {
      const { least = 0, most = 0 } = sums.get(String(node.id)) ?? {};
      const recorded = { least, most, before: usedIn(before[position]) };
      const relation = usesRelation({ type: 'mandate', id: String(node.id) }, now, recorded);
      if (relation.judge([node, after[position]]).length > 0) yield relation;
    }
  }
}

interface Sums {
  readonly since: number;
  least: number;
  most: number;
}

/** What the log says that was used by each of these mandates: another one of its id may have been there before. */
async function sumsOf(
  reader: Reader,
  tenant: Ref,
  nodes: readonly Item[],
  spend: (items: number) => Promise<void>,
): Promise<ReadonlyMap<string, Sums>> {
  const sums = new Map<string, Sums>(
    nodes.map(({ id, createdAt }) => [
      String(id),
      { since: Date.parse(String(createdAt)), least: 0, most: 0 },
    ]),
  );
  const first = Math.min(...[...sums.values()].map(({ since }) => since)) - CLOCK_SKEW_MS;
  for await (const records of mergedPagesOf(reader, logOf(tenant, { from: new Date(first).toISOString() }))) {
    await spend(records.length);
    for (const { action, entityType, entityId, timestamp, after } of records) {
      if (action !== 'mandate.use' || entityType !== 'mandate' || !isMap(after)) continue;
      const sum = sums.get(String(entityId));
      const at = Date.parse(String(timestamp));
      const { taken } = after;
      if (!sum || !isCount(taken) || !(at >= sum.since - CLOCK_SKEW_MS)) continue;
      sum.most += taken;
      if (at >= sum.since) sum.least += taken;
    }
  }
  return sums;
}
