import * as z from 'zod';
import type { Actor } from '../../engine/index.ts';
import { DECISION, HEARTBEAT } from '../../table/decision-line.ts';
import { defined } from '../../table/defined.ts';

/** What one line of a decision log says, as a reader of logs takes it (docs/observability.md). */

/** Which process wrote a line, and as which one, counted from 1. Lines from before numbers have none. */
interface Numbered {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly service: string;
  readonly api: string | undefined;
  readonly process: string | undefined;
  readonly sequence: number | undefined;
}

/** A decision. Ids that are not plain are pseudonyms, `sha256:…`. */
export interface DecisionRecord extends Numbered {
  readonly is: 'decision';
  /** What was asked: `check`, `request`, `policy`, … */
  readonly kind: string;
  /** The share with which such a decision was written, above 0 and at most 1. */
  readonly rate: number;
  /** References, as the tenant; undefined where it is not known. */
  readonly subject: string | undefined;
  /** Who acted for the subject. */
  readonly actor?: string | undefined;
  /** By which mandate: a reference, or its pseudonym. */
  readonly mandate?: string | undefined;
  readonly permission: string | undefined;
  readonly scope: string | undefined;
  readonly tenant: string | undefined;
  readonly allowed: boolean;
  readonly reason: string;
  readonly route: string | undefined;
  /** The instant that was asked about, in epoch milliseconds; undefined for that of the decision. */
  readonly askedFor: number | undefined;
  /** What the answer rests on besides the table. */
  readonly rests: readonly string[];
}

/** Who acted, as a question has it. */
export const actorIn = ({ actor, mandate }: Pick<DecisionRecord, 'actor' | 'mandate'>): Actor | undefined =>
  actor === undefined ? undefined : { subject: actor, ...defined({ mandate }) };

/** A sign of life: how many decisions a process made since its last one, logged or not. */
export interface HeartbeatRecord extends Numbered {
  readonly is: 'heartbeat';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly mode: string;
  /** The share with which allows are written: 0 where none is. */
  readonly rate: number;
  readonly decisions: number;
  /** Whether the process, or the invocation, ends with it. */
  readonly ended: boolean;
}

/** `other`: a line of something else. `damaged`: one that may have been a decision, and cannot be read. */
export type LogRecord =
  | DecisionRecord
  | HeartbeatRecord
  | { readonly is: 'other' }
  | { readonly is: 'damaged' };

const OTHER: LogRecord = { is: 'other' };
const DAMAGED: LogRecord = { is: 'damaged' };

const id = z.string().max(1_100);
const entity = z.object({ type: z.string().max(300), id });
const share = z.number().min(0).max(1);
const head = {
  timestamp: z.iso.datetime(),
  service: z.string().max(256).optional(),
  process: z.string().min(1).max(64).optional(),
  sequence: z.int().min(1).optional(),
};

const decision = z.object({
  ...head,
  kind: z.string().max(32).optional(),
  rate: share.optional(),
  subject: entity.optional(),
  actor: entity.optional(),
  mandate: id.optional(),
  action: z.object({ name: id }).optional(),
  resource: entity.optional(),
  decision: z.boolean(),
  context: z.object({
    reason: z.string().max(128),
    route: id.optional(),
    api: id.optional(),
    tenant: id.optional(),
    at: z.iso.datetime().optional(),
    rests: z.array(z.string().max(32)).max(16).optional(),
  }),
});

const heartbeat = z.object({
  ...head,
  api: id.optional(),
  since: z.iso.datetime(),
  mode: z.string().max(32),
  rate: share,
  decisions: z.int().min(0),
  ended: z.boolean().optional(),
});

/** What every line of a decision log has in it. Most lines of a log group are others, and are not parsed. */
const MARK = '"decision';

/**
 * Reads one line. What stands before the first brace is left out: an export of a log group puts the time there.
 *
 * @param text without its end of line
 */
export function readLogLine(text: string): LogRecord {
  if (!text.includes(MARK)) return OTHER;
  const from = text.indexOf('{');
  let data: unknown;
  try {
    data = JSON.parse(from > 0 ? text.slice(from) : text);
  } catch {
    return DAMAGED;
  }
  const { message } = Object(data) as { readonly message?: unknown };
  if (message === DECISION) return readDecision(data);
  return message === HEARTBEAT ? readHeartbeat(data) : OTHER;
}

function readDecision(data: unknown): LogRecord {
  const { data: line } = decision.safeParse(data);
  if (!line) return DAMAGED;
  const { timestamp, service = '', process, sequence, kind = 'request', rate = 1 } = line;
  const { subject, actor, mandate, action, resource, context } = line;
  const { reason, route, api, tenant, at, rests = [] } = context;
  // A line that was written cannot have had no chance of it.
  if (rate === 0) return DAMAGED;
  return {
    is: 'decision',
    at: Date.parse(timestamp),
    service,
    kind,
    rate,
    allowed: line.decision,
    reason,
    askedFor: at === undefined ? undefined : Date.parse(at),
    rests,
    process,
    sequence,
    api,
    route,
    tenant,
    permission: action?.name,
    subject: subject && `${subject.type}:${subject.id}`,
    actor: actor && `${actor.type}:${actor.id}`,
    mandate,
    scope: resource && `${resource.type}:${resource.id}`,
  };
}

function readHeartbeat(data: unknown): LogRecord {
  const line = heartbeat.safeParse(data).data;
  if (!line) return DAMAGED;
  const { timestamp, service = '', process, sequence, api, since, mode, rate } = line;
  const { decisions, ended = false } = line;
  return {
    is: 'heartbeat',
    at: Date.parse(timestamp),
    since: Date.parse(since),
    service,
    mode,
    rate,
    decisions,
    ended,
    process,
    sequence,
    api,
  };
}
