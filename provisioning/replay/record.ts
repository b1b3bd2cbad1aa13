import * as z from 'zod';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import { monthOf } from '../audit.ts';
import { byText } from '../canonical.ts';
import type { ChangedEdge } from '../edges/edges-beside.ts';
import type { Attributes } from '../visible.ts';

/** What is kept of the audit log outside the table, as a replay reads it. */

/** A change that was carried out. */
export interface ChangeRecord {
  readonly id: string;
  /** The command: `user.update`. */
  readonly action: string;
  /** What was changed: `user`, `membership`, … and its id. */
  readonly entity: Ref;
  /** ISO 8601. */
  readonly at: string;
  readonly before?: Attributes | undefined;
  readonly after?: Attributes | undefined;
  /** Edges that were changed beside; undefined in a record from before these were kept. */
  readonly edges?: readonly ChangedEdge[] | undefined;
  /** References of nodes that were made beside. */
  readonly made?: readonly string[] | undefined;
  /** Items that a repair was about. */
  readonly repaired?: readonly Key[] | undefined;
  /** The count that has it; undefined for a record from before counts, or one that a list printed. */
  readonly counter?: Counter | undefined;
}

/** One count: of the records of one log and month that were given this counter. */
export interface Counter {
  readonly owner: Ref | undefined;
  /** As 2026-11. */
  readonly month: string;
  readonly counter: number;
}

/** A count as it stood after a change. */
export interface CountImage extends Counter {
  readonly records: number;
}

/** The name of a log: `tenant:ID`, or `global`. */
export const logName = (owner: Ref | undefined): string => (owner ? formatRef(owner) : 'global');

export const counterName = ({ owner, month, counter }: Counter): string =>
  `${logName(owner)} ${month} ${counter}`;

/** In the order of time. */
export const byTime = (a: ChangeRecord, b: ChangeRecord): number => byText(a.at, b.at) || byText(a.id, b.id);

/** What one line is. `other`: a record of an application, or of another item, which a replay ignores. */
export type Line =
  | { readonly kind: 'change'; readonly record: ChangeRecord }
  | { readonly kind: 'count'; readonly image: CountImage }
  | { readonly kind: 'other' };

const OTHER: Line = { kind: 'other' };

const attributes = z.record(z.string(), z.unknown());
const shown = z.object({
  id: z.string().max(256),
  action: z.string().max(64),
  entityType: z.string().max(256),
  entityId: z.string().max(4_096),
  timestamp: z.iso.datetime(),
  source: z.string().max(64),
  before: attributes.optional(),
  after: attributes.optional(),
  edges: z
    .array(
      z.object({ label: z.string().max(64), before: attributes.optional(), after: attributes.optional() }),
    )
    .optional(),
  made: z.array(z.string().max(4_096)).optional(),
  findings: z.array(z.object({ key: z.object({ PK: z.string(), SK: z.string() }) })).optional(),
  counter: z.int().min(0).max(99).optional(),
});

const count = z.object({ records: z.int().min(1) });

/**
 * Reads one line: a record of the table's stream, as the pipe of deploy/stack/audit.yml stores it, or an audit record
 * as `audit.list` prints it.
 *
 * @returns undefined for what is neither
 */
export function readLine(data: unknown): Line | undefined {
  const line = attributes.safeParse(data).data;
  if (!line) return undefined;
  if (!('dynamodb' in line)) return changeOf(line, undefined);
  const image = attributes.safeParse(attributes.safeParse(line.dynamodb).data?.NewImage).data;
  // The deletion of a record by its time-to-live.
  if (!image) return OTHER;
  const item = attributes.safeParse(plainOf({ M: image })).data;
  if (!item || typeof item.PK !== 'string' || typeof item.SK !== 'string') return undefined;
  const key = parseKey(item as unknown as Key);
  if (key?.form === 'log') return line.eventName === 'INSERT' ? changeOf(item, key.owner) : OTHER;
  if (key?.form !== 'log-count') return OTHER;
  const records = count.safeParse(item).data?.records;
  const { owner, month, counter } = key;
  return records === undefined ? undefined : { kind: 'count', image: { owner, month, counter, records } };
}

/** What an audit record says, as the table or a list has it. */
export function changeOf(item: Attributes, owner: Ref | undefined): Line | undefined {
  const read = shown.safeParse(item).data;
  if (!read) return undefined;
  const { entityType, entityId, timestamp: at, source, edges, findings, counter, ...said } = read;
  const record: ChangeRecord = {
    ...said,
    at,
    entity: { type: entityType, id: entityId },
    edges: edges as readonly ChangedEdge[] | undefined,
    repaired: findings?.map(({ key }) => key),
    counter: counter === undefined ? undefined : { owner, month: monthOf(at), counter },
  };
  // What an application says of itself is no change of ours, whatever it calls it. It is counted all the same.
  return {
    kind: 'change',
    record: source === 'provisioning' ? record : { ...record, action: 'audit.create' },
  };
}

/** How deep values are nested at most: DynamoDB takes 32 levels. */
const MAX_DEPTH = 40;

/** The value of an attribute as the stream has it: `{ "S": "text" }`. */
function plainOf(value: unknown, depth = 0): unknown {
  const typed = attributes.safeParse(value).data;
  const [type, of] = Object.entries(typed ?? {})[0] ?? [];
  if (depth > MAX_DEPTH) return undefined;
  if (type === 'N') return Number(of);
  if (type === 'NULL') return null;
  if (type === 'NS' && Array.isArray(of)) return of.map(Number);
  if (type === 'L' && Array.isArray(of)) return of.map((each) => plainOf(each, depth + 1));
  if (type === 'M')
    return Object.fromEntries(
      Object.entries(attributes.safeParse(of).data ?? {}).map(([name, each]) => [
        name,
        plainOf(each, depth + 1),
      ]),
    );
  return of;
}
