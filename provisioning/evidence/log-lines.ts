import * as z from 'zod';
import type { Actor } from '../../engine/index.ts';
import { DECISION, HEARTBEAT } from '../../table/decision-line.ts';
import { defined } from '../../table/defined.ts';

/** What one line of a decision log says, as a reader of logs takes it (docs/observability.md). */

const id = z.string().max(1_100);
const reference = z
  .object({ type: z.string().max(300), id })
  .transform(({ type, id: named }) => `${type}:${named}`);
/** In epoch milliseconds. */
const instant = z.iso.datetime().transform((text) => Date.parse(text));
const head = {
  timestamp: instant,
  service: z.string().max(256).default(''),
  /** Which process wrote a line, and as which one, counted from 1. Lines from before numbers have none. */
  process: z.string().min(1).max(64).optional(),
  sequence: z.int().min(1).optional(),
};

/** References as the tenant; undefined where they are not known. Ids that are not plain are pseudonyms, `sha256:…`. */
const decision = z
  .object({
    ...head,
    /** What was asked: `check`, `request`, `policy`, … */
    kind: z.string().max(32).default('request'),
    /** The share with which such a decision was written: a line that was written cannot have had no chance of it. */
    rate: z.number().gt(0).max(1).default(1),
    subject: reference.optional(),
    /** Who acted for the subject. */
    actor: reference.optional(),
    /** By which mandate: a reference, or its pseudonym. */
    mandate: id.optional(),
    action: z.object({ name: id }).optional(),
    resource: reference.optional(),
    decision: z.boolean(),
    context: z.object({
      reason: z.string().max(128),
      route: id.optional(),
      api: id.optional(),
      tenant: id.optional(),
      /** The instant that was asked about; undefined for that of the decision. */
      at: instant.optional(),
      /** What the answer rests on besides the table. */
      rests: z.array(z.string().max(32)).max(16).default([]),
    }),
  })
  .transform(({ timestamp, action, resource, decision: allowed, context, ...line }) => {
    const { at: askedFor, ...rest } = context;
    return {
      is: 'decision' as const,
      at: timestamp,
      ...line,
      ...rest,
      allowed,
      askedFor,
      permission: action?.name,
      scope: resource,
    };
  });

/** A sign of life: how many decisions a process made since its last one, logged or not. */
const heartbeat = z
  .object({
    ...head,
    api: id.optional(),
    since: instant,
    mode: z.string().max(32),
    /** The share with which allows are written: 0 where none is. */
    rate: z.number().min(0).max(1),
    decisions: z.int().min(0),
    /** Whether the process, or the invocation, ends with it. */
    ended: z.boolean().default(false),
  })
  .transform(({ timestamp, ...line }) => ({ is: 'heartbeat' as const, at: timestamp, ...line }));

export type DecisionRecord = Readonly<z.output<typeof decision>>;

/** Who acted, as a question has it. */
export const actorIn = ({ actor, mandate }: Pick<DecisionRecord, 'actor' | 'mandate'>): Actor | undefined =>
  actor === undefined ? undefined : { subject: actor, ...defined({ mandate }) };

/** `other`: a line of something else. `damaged`: one that may have been a decision, and cannot be read. */
export type LogRecord =
  | DecisionRecord
  | Readonly<z.output<typeof heartbeat>>
  | { readonly is: 'other' }
  | { readonly is: 'damaged' };

const OTHER: LogRecord = { is: 'other' };
const DAMAGED: LogRecord = { is: 'damaged' };

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
  if (message === DECISION) return decision.safeParse(data).data ?? DAMAGED;
  return message === HEARTBEAT ? (heartbeat.safeParse(data).data ?? DAMAGED) : OTHER;
}
