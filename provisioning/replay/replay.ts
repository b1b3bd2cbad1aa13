import { groupBy } from '../../table/group-by.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import { differences } from '../canonical.ts';
import { isClosed } from '../kinds/entries.ts';
import type { Sent } from '../plan.ts';
import { countsOf, recordsOf } from '../verify/logs.ts';
import type { Attributes } from '../visible.ts';
import { createCounts, type Gap, gapsIn } from './counts.ts';
import { createDenials } from './denials.ts';
import { byTime, type ChangeRecord, type Line, logName } from './record.ts';
import { concernsAccess, edgesBeside, endsNode, isRemoval, readOf, replayOf } from './rules.ts';

/**
 * Records count from this long before the restore point: the time of a record is that of the planning, and its
 * commit comes later. To replay what the table has already does nothing.
 */
const MARGIN_MS = 3_600_000;

/**
 * Clocks of two writers may differ by this much (ADR 0014), so that of two records of one entity the earlier may
 * be the last. Of such two, the one that closes more counts as the last.
 */
const SKEW_MS = 2_000;

/** More records than this after one restore point are refused: the collection is in memory. */
export const MAX_RECORDS = 1_000_000;

/** What all records say of one entity. */
interface Known {
  last: ChangeRecord;
  /** Of a node, its last removal. What was made under its name afterwards is another one. */
  ended?: ChangeRecord | undefined;
  /** Attributes that were changed since the restore point. */
  readonly changed: Set<string>;
}

/** Takes in lines, and says what they come to. */
export function createCollection(since: number) {
  const from = new Date(since - MARGIN_MS).toISOString();
  const entities = new Map<string, Known>();
  const ids = new Set<string>();
  const counts = createCounts();
  let latest: string | undefined;

  /** @returns false when there are too many records */
  function add(line: Line): boolean {
    if (line.kind === 'count') counts.count(line.image, line.image.records);
    if (line.kind !== 'change') return true;
    const { record } = line;
    if (record.at < from || ids.has(record.id)) return true;
    if (ids.size >= MAX_RECORDS) return false;
    ids.add(record.id);
    if (record.counter) counts.find(record.counter);
    if (latest === undefined || latest < record.at) latest = record.at;
    // What a template gives is in the edges; its own record does not say what the role is.
    const own = record.action === 'role-template.apply' ? [] : [record];
    for (const each of [...own, ...edgesBeside(record)]) if (concernsAccess(each)) note(each);
    return true;
  }

  function note(record: ChangeRecord): void {
    const name = formatRef(record.entity);
    const known = entities.get(name) ?? { last: record, changed: new Set() };
    entities.set(name, known);
    for (const name of differences(record.before ?? {}, record.after ?? {})) known.changed.add(name);
    if (isLater(record, known.last)) known.last = record;
    if (endsNode(record) && !(known.ended && byTime(known.ended, record) > 0)) known.ended = record;
  }

  return {
    from,
    add,
    /** Every entity that was changed, in the order of its removal or else of its last record. */
    entities: (): readonly Readonly<Known>[] =>
      [...entities.values()].sort((a, b) => byTime(a.ended ?? a.last, b.ended ?? b.last)),
    records: () => ids.size,
    /** When the last of the records was made. What was changed after it is in none. */
    latest: () => latest,
    counts: counts.all,
  };
}

export type Collection = ReturnType<typeof createCollection>;

/** How much a record closes: a removal most. */
const closing = (record: ChangeRecord): number =>
  isRemoval(record) ? 2 : Number(isClosed(record.after?.status));

/** Whether a node of the table was made after this removal, and so is not what was removed. */
function isMadeAfter(ended: ChangeRecord, last: ChangeRecord, { createdAt }: Attributes): boolean {
  const made = last.after?.createdAt;
  // Not all records say it.
  if (made !== undefined) return made === createdAt;
  return typeof createdAt === 'string' && Date.parse(createdAt) > Date.parse(ended.at) + SKEW_MS;
}

function isLater(a: ChangeRecord, b: ChangeRecord): boolean {
  const isAtOnce = Math.abs(Date.parse(a.at) - Date.parse(b.at)) <= SKEW_MS;
  if (isAtOnce && closing(a) !== closing(b)) return closing(a) > closing(b);
  return byTime(a, b) > 0;
}

/**
 * Compares the counts with the records. A count goes up in the transaction of its records, so the last count of
 * the collection, less what the table had at the restore point, is how many there must be.
 *
 * @param reader of the restored table
 */
export async function gapsOf(collection: Collection, reader: Reader): Promise<readonly Gap[]> {
  const gaps: Gap[] = [];
  for (const counts of groupBy(collection.counts(), ({ of }) => logName(of.owner)).values())
    gaps.push(...gapsIn(counts, await countsBefore(reader, counts[0]?.of.owner, collection.from)));
  return gaps;
}

/** The counts of a log, less the records from `from` on, which the collection has as well. */
async function countsBefore(
  reader: Reader,
  owner: Ref | undefined,
  from: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map(await countsOf(reader, owner));
  for (const [name, records] of await recordsOf(reader, owner, { from }))
    counts.set(name, (counts.get(name) ?? 0) - records);
  return counts;
}

/** What became of the entities that were changed. */
export interface Replayed {
  readonly replayed: readonly Sent[];
  /** How many entities have nothing that is to be taken away. */
  readonly alreadySo: number;
  readonly byHand: readonly string[];
  readonly lost: readonly string[];
  readonly refused: readonly (Sent & { readonly message: string })[];
}

export interface ReplayOptions {
  /** Of the restored table. */
  readonly reader: Pick<Reader, 'get' | 'listAll'>;
  /** What a read command answers; undefined where there is no such entity. */
  readonly read: (sent: Sent) => Promise<Attributes | undefined>;
  /** Sends a write command: `gone` where there is nothing to take away, otherwise why it was refused. */
  readonly write: (sent: Sent) => Promise<'done' | 'gone' | { readonly message: string }>;
  readonly onProgress?: (done: number, of: number) => Promise<void>;
}

/**
 * Takes away from the restored table what was taken away since, an entity at a time, in the order of time. Records
 * of one instant, or of two clocks, may stand in the wrong order: what is refused, such as the deletion of a scope
 * before that of its child, is sent again after the others, for as long as one of them succeeds.
 */
export async function replay(
  collection: Collection,
  { reader, read, write, onProgress }: ReplayOptions,
): Promise<Replayed> {
  const replayed: Sent[] = [];
  const byHand: string[] = [];
  const lost: string[] = [];
  let refused: (Sent & { message: string })[] = [];
  let alreadySo = 0;
  const send = async (sent: Sent): Promise<void> => {
    const outcome = await write(sent);
    if (outcome === 'done') replayed.push(sent);
    else if (outcome !== 'gone') refused.push({ ...sent, ...outcome });
  };
  const entities = collection.entities();
  const givesDenial = createDenials(
    entities.map(({ last }) => last),
    reader,
  );
  for (const [done, { last, ended, changed }] of entities.entries()) {
    await onProgress?.(done, entities.length);
    const asked = readOf(last);
    const current = asked && (await read(asked));
    const isGone = ended !== undefined && ended !== last && !(current && isMadeAfter(ended, last, current));
    const todo = isGone
      ? { ...replayOf(last, undefined, changed), commands: replayOf(ended, current, changed).commands }
      : replayOf(last, current, changed);
    byHand.push(...todo.byHand);
    if (todo.lost.length > 0 && (await givesDenial(last, current)))
      byHand.push(...todo.lost.map((text) => `${text}, and a role that it gives has a DENY`));
    else lost.push(...todo.lost);
    const before = replayed.length + refused.length;
    for (const sent of todo.commands) await send(sent);
    if (before === replayed.length + refused.length && todo.byHand.length + todo.lost.length === 0)
      alreadySo += 1;
  }
  for (let left = Number.POSITIVE_INFINITY; refused.length > 0 && refused.length < left; ) {
    left = refused.length;
    const again = refused;
    refused = [];
    for (const { command, input } of again) await send({ command, input });
  }
  return { replayed, alreadySo, byHand, lost, refused };
}
