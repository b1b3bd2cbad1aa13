import { SPLIT_THRESHOLDS, type SplitThresholds } from '../../table/decision/split.ts';
import { stale } from '../../table/errors.ts';
import { FORM, FORMS, formOf, isNewer } from '../../table/form.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  distinctKeys,
  isOfDecision,
  isSameKey,
  type Key,
  nodeKey,
  parseKey,
  partitionOf,
  secretKey,
} from '../../table/keys.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import type { Expected, Update } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { readEdge } from '../edges/read-edge.ts';
import { inTurns } from '../in-turns.ts';
import { pagesOf } from '../list-pages.ts';
import { unnamedBy } from '../verify/of-item.ts';
import { attempt, isMeanwhile } from '../verify/relation.ts';
import { createPace, walkOver } from '../verify/walk.ts';
import { createSplitter } from './split.ts';

/**
 * Brings the items of a table to the form that this release writes. The table itself says how far it is, so a migration
 * that was killed goes on when it is started again. It walks where verification walks. Records of what happened (audit
 * log, operations) stay as they were written; readers know all their forms.
 */
export interface MigrateOptions {
  readonly reader: Reader;
  readonly clock: { readonly now: () => number };
  /** Counts only, when left out. */
  readonly writer?: Writer | undefined;
  /** Items read per second, at most. */
  readonly rate?: number;
  /** Partitions that are migrated at a time. Default 8. */
  readonly width?: number;
  readonly onProgress?: (progress: Migrated) => void;
  /** Fresh ULIDs. */
  readonly newId: () => string;
  /** Beyond which size a part of a decision item stands apart. */
  readonly thresholds?: SplitThresholds;
  /** Brings parts that stand apart back into their items, where they fit (ADR 0003). Default false. */
  readonly joins?: boolean;
}

export interface Migrated {
  /** Items that were looked at by the last walk. */
  readonly items: number;
  /** Items that were brought to the form, by all walks. */
  readonly migrated: number;
  /** Items of an older form that the last walk found and did not migrate: 0 when all is done. */
  readonly older: number;
  /** Items of a newer form: they stay as they are. */
  readonly newer: number;
  /** Decision items that were split, or joined, by all walks. */
  readonly split: number;
  /** Decision items to be split, or joined, that the last walk found and left as they are. */
  readonly unsplit: number;
}

/** Each walk but the last one writes. More than one finds something where an older release still writes. */
const MAX_WALKS = 4;

/** Items of one transaction: few, so that it seldom meets a command. */
const A_TRANSACTION = 25;

/**
 * Migrates the table, and counts at the end what is still of an older form.
 *
 * @throws GatehouseError as the service fails
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const { writer } = options;
  let before = { migrated: 0, split: 0 };
  for (let walk = 1; ; walk++) {
    const writes = writer !== undefined && walk < MAX_WALKS;
    const { written, ...found } = await migrateOnce(
      { ...options, writer: writes ? writer : undefined },
      before,
    );
    before = found;
    // What a walk has written is looked at again by the next one.
    if (!writes || (found.older === 0 && written === 0)) return found;
  }
}

/** Decision items have always said their form: one that does not is damaged. */
function isOlder(item: Item): boolean {
  if (item[FORM] !== undefined) return Number.isSafeInteger(item[FORM]) && formOf(item) < FORMS.usual;
  const parsed = parseKey(item);
  return !isOfDecision(parsed) && parsed?.form !== 'log' && parsed?.form !== 'operation';
}

/** What no partition of the walk has: a grant under its own id, seen from the first item of its edge. */
function keysElsewhere(item: Item): readonly Key[] {
  const [first, ...others] = attempt(() => readEdge(item))?.keys ?? [];
  return first && isSameKey(first, item) ? others.filter((key) => parseKey(key)?.form === 'node') : [];
}

/** On condition that it is as it was read; what it says does not change, and so its stamp does not. */
const bringUp = (item: Item): Update => ({
  kind: 'update',
  key: { PK: item.PK, SK: item.SK },
  set: { [FORM]: FORMS.usual },
  when: { exists: true, equals: { [FORM]: item[FORM] as Expected } },
  failure: () => stale(`${item.PK} / ${item.SK}`),
});

async function migrateOnce(
  {
    reader,
    writer,
    clock,
    rate,
    width = 8,
    onProgress,
    newId,
    thresholds = SPLIT_THRESHOLDS,
    joins = false,
  }: MigrateOptions,
  before: { readonly migrated: number; readonly split: number },
): Promise<Migrated & { readonly written: number }> {
  const counts = { items: 0, older: 0, newer: 0, written: 0 };
  const pace = createPace(clock, rate);
  const unnamed = new Map<string, Ref>();
  const splitter = createSplitter({ reader, writer, clock, newId, thresholds, joins });
  const state = () => ({
    items: counts.items,
    older: counts.older,
    newer: counts.newer,
    migrated: before.migrated + counts.written,
    split: before.split + splitter.counts.split,
    unsplit: splitter.counts.unsplit,
    written: counts.written + splitter.counts.split,
  });

  /** One that somebody changed meanwhile is left to the next walk. */
  async function write(items: readonly Item[]): Promise<void> {
    try {
      await writer?.send(items.map(bringUp));
      counts.written += items.length;
    } catch (error) {
      if (!isMeanwhile(error)) throw error;
      if (items.length > 1) for (const item of items) await write([item]);
      else counts.older += 1;
    }
  }

  async function look(items: readonly Item[]): Promise<void> {
    counts.items += items.length;
    await pace(counts.items);
    counts.newer += items.filter(isNewer).length;
    const older = items.filter(isOlder);
    if (!writer) counts.older += older.length;
    else for (const some of batchesOf(older, A_TRANSACTION)) await write(some);
    for (const item of items) await splitter.look(item);
  }

  async function lookAt(keys: readonly Key[]): Promise<void> {
    if (keys.length > 0) await look((await reader.getMany(keys)).filter((item) => item !== undefined));
  }

  async function partition(ref: Ref): Promise<void> {
    const name = attempt(() => partitionOf(ref));
    if (name === undefined) return;
    for await (const items of pagesOf(reader, { ranges: [{ partition: name }] })) {
      for (const item of items) for (const other of unnamedBy(item)) unnamed.set(formatRef(other), other);
      await look(items);
      await lookAt(items.flatMap(keysElsewhere));
    }
    if (nodeAt(nodeKey(ref))?.kind.entity.secret) await lookAt([secretKey(ref)]);
    onProgress?.(state());
  }

  const seen = new Set<string>();
  for await (const { refs, keys } of walkOver(reader, undefined, undefined)) {
    for (const ref of refs) seen.add(formatRef(ref));
    await inTurns(refs, partition, width);
    if (keys.length === 0) continue;
    await lookAt(distinctKeys(keys));
    onProgress?.(state());
  }
  for (const [name, ref] of unnamed) if (!seen.has(name)) await partition(ref);
  return state();
}
