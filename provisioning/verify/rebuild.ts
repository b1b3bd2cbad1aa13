import { isSplitting } from '../../table/decision/split.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  distinctKeys,
  GLOBAL,
  identityOf,
  type Key,
  META,
  parseKey,
  partitionOf,
} from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { canonical } from '../canonical.ts';
import { pagesOf } from '../list-pages.ts';
import { isApiRevision } from './decision-form.ts';
import { decisionFaults } from './decisions.ts';
import { type Around, derive, scopesAround } from './derive.ts';
import { findingId } from './finding.ts';
import { type Gathered, type GatherOptions, gather } from './gather.ts';
import { type Fault, type Found, MAX_TRIES, toFinding } from './relation.ts';

/**
 * Decision items against their sources for certain. Every write of an entry stamps its item: where an item is the same
 * before and after its sources were read, they are of one moment.
 */

type Table = Pick<GatherOptions, 'reader' | 'spend'>;

/** Reads all that the decision items of a partition follow from. */
async function gatherAnew(
  { reader, spend = async () => {} }: Table,
  ref: Ref,
): Promise<{ readonly gathered: Gathered; readonly around: Around }> {
  async function* pages() {
    for await (const items of pagesOf(reader, { ranges: [{ partition: partitionOf(ref) }] })) {
      await spend(items.length);
      yield items;
    }
  }
  const gathered = await gather({ reader, spend, alsoNamed: true }, ref, pages());
  const keys = scopesAround(gathered);
  const items = await reader.getMany([...keys, ...keys.map(({ PK }) => ({ PK, SK: META }))]);
  await spend(items.length);
  const marked = keys.filter((_, n) => {
    const node = items[keys.length + n];
    return node !== undefined && isSplitting(node);
  });
  const scopes = new Map(keys.map((key, n) => [identityOf(key), items[n]]));
  const find = (key: Key): Found => scopes.get(identityOf(key));
  return { gathered, around: { find, marked: new Set(marked.map(identityOf)) } };
}

/** With these decision items as they are now. */
function withItems(gathered: Gathered, keys: readonly Key[], items: readonly Found[]): Gathered {
  const stored = new Map(gathered.stored);
  for (const [n, key] of keys.entries()) {
    const item = items[n];
    if (item) stored.set(identityOf(key), item);
    else stored.delete(identityOf(key));
  }
  return { ...gathered, stored };
}

/**
 * The faults of the decision items of a partition, for certain.
 *
 * @param before the decision items as they were earlier
 */
export async function settleDecisions(
  table: Table & { readonly clock: { readonly now: () => number } },
  ref: Ref,
  before: Gathered['stored'],
): Promise<readonly Fault[]> {
  const { reader, spend, clock } = table;
  const certain = new Map<string, Fault>();
  let earlier = before;
  let doubtful: ReadonlyMap<string, Fault> | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { gathered, around } = await gatherAnew(table, ref);
    const suspected = decisionFaults(gathered, around, clock.now());
    if (suspected.length === 0) return [...certain.values()];
    const own = decisionKey(ref);
    const keys = distinctKeys([own, ...suspected.map(({ key }) => key)]);
    const now = withItems(gathered, keys, await reader.getMany(keys));
    await spend?.(keys.length);
    const isSettled = (name: string) => {
      const item = earlier.get(name);
      return item !== undefined && canonical(item) === canonical(now.stored.get(name));
    };
    const faults = decisionFaults(now, around, clock.now());
    const open = new Map<string, Fault>();
    for (const fault of faults) {
      const name = identityOf(fault.key);
      (isSettled(name) ? certain : open).set(findingId(toFinding(fault)), fault);
    }
    // What is missing has no stamp, and what is written all the time never rests: then it is found each time.
    const last: ReadonlyMap<string, Fault> | undefined = doubtful;
    doubtful = new Map([...open].filter(([id]) => last?.has(id) ?? true));
    if (doubtful.size === 0) return [...certain.values()];
    earlier = now.stored;
  }
  return [...certain.values(), ...(doubtful?.values() ?? [])];
}

/** A decision item as it was, and as it should be; undefined where that cannot be said. */
export interface Rebuilt {
  readonly before: Found;
  readonly item: Found;
}

/**
 * Decision items of one partition, made anew. Each is to be written on condition that the old one has not changed, so
 * that no concurrent write is lost.
 */
export async function rebuild(reader: Reader, ref: Ref, keys: readonly Key[]): Promise<readonly Rebuilt[]> {
  const before = await reader.getMany(keys);
  const { gathered, around } = await gatherAnew({ reader }, ref);
  const { items } = derive(withItems(gathered, keys, before), around);
  return keys.map((key, n): Rebuilt => {
    const parsed = parseKey(key);
    const isOfNode =
      ref.type !== GLOBAL.type &&
      parsed !== undefined &&
      !isApiRevision(parsed) &&
      parsed.form !== 'tenant-effects';
    const isKnown =
      !gathered.isUnread &&
      !gathered.unsound.has(identityOf(key)) &&
      (gathered.node !== undefined || !isOfNode);
    return {
      before: before[n],
      item: isKnown ? (items.get(identityOf(key)) as Item | undefined) : undefined,
    };
  });
}
