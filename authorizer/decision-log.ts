import { createHash, randomUUID } from 'node:crypto';
import type { Actor } from '../engine/actor.ts';
import type { DecisionLog, LoggedDecision } from '../engine/decision-log.ts';
import { createLog } from '../engine/log.ts';
import {
  DECISION,
  DECISION_LOGS,
  type DecisionLine,
  type DecisionLogMode,
  HEARTBEAT,
  type HeartbeatLine,
  isLoggedAsItIs,
  pseudonymOf,
} from '../table/decision-line.ts';
import { invalid } from '../table/errors.ts';

export type { DecisionLog };

export interface DecisionLogOptions {
  readonly mode: DecisionLogMode;
  /** The share of allows that `sampled` logs, from 0 to 1. Default 0.01. */
  readonly share?: number | undefined;
  /** The `service` of each line: what decides. */
  readonly service: string;
  /** The name of the API, if this is the log of one. */
  readonly api?: string | undefined;
  /** Writes one line. What it throws, or rejects with, is dropped: the line's number is missing then. */
  readonly write: (line: string) => void;
  /** Epoch milliseconds. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** Random number in [0, 1). */
  readonly random?: (() => number) | undefined;
  /** A fresh id for `process`. Default: a UUID. */
  readonly newId?: (() => string) | undefined;
  /** Calls `beat` every so many milliseconds, until what it returns is called. Default: a timer that keeps no process alive. */
  readonly every?: ((milliseconds: number, beat: () => void) => () => void) | undefined;
}

/** Milliseconds from one heartbeat to the next. */
const HEARTBEAT_MS = 60_000;

/**
 * The log of decisions (ADR 0026): lines as table/decision-line.ts has them. A line that gets lost is a number that is
 * missing; how many decisions have no line, a heartbeat says.
 *
 * @returns undefined if no decision is logged
 * @throws GatehouseError `invalid` on `mode` or `share`
 */
export function createDecisionLog(options: DecisionLogOptions): DecisionLog | undefined {
  const { mode, share = 0.01, service, api, write, now = Date.now, random = Math.random } = options;
  const { newId = randomUUID, every = byTimer } = options;
  if (!DECISION_LOGS.includes(mode)) throw invalid('mode', `mode is none of ${DECISION_LOGS.join(', ')}`);
  if (!(share >= 0 && share <= 1)) throw invalid('share', 'share must be a number from 0 to 1');
  if (mode === 'off') return undefined;
  const rateOfAllows = { refusals: 0, sampled: share, all: 1 }[mode];
  let at = now();
  let [since, sequence, decisions] = [at, 0, 0];
  let process: string | undefined;
  let stopBeats: (() => void) | undefined;
  const { info } = createLog({
    service,
    write: (line) => {
      const written: unknown = write(line);
      if (written instanceof Promise) written.catch(() => {});
    },
    now: () => at,
  });

  /** Writes one line. It is numbered before that: one that is lost is missed. */
  function writeLine(message: string, fieldsOf: () => Partial<DecisionLine> | Partial<HeartbeatLine>): void {
    sequence += 1;
    try {
      process ??= newId();
      at = now();
      info(message, { process, sequence, ...fieldsOf() });
      since = Math.min(since, at);
    } catch {}
  }

  function beat(ended?: true): void {
    writeLine(HEARTBEAT, () => {
      const from = new Date(Math.min(since, at)).toISOString();
      const fields = { since: from, mode, rate: rateOfAllows, decisions, api, ended };
      [since, decisions] = [at, 0];
      return fields;
    });
  }

  return {
    log: (decision) => {
      decisions += 1;
      stopBeats ??= every(HEARTBEAT_MS, () => beat());
      const rate = decision.allowed ? rateOfAllows : 1;
      if (rate === 1 || random() < rate) writeLine(DECISION, () => fieldsOf(decision, rate, api));
    },
    end: () => {
      stopBeats?.();
      if (stopBeats) beat(true);
      stopBeats = undefined;
    },
  };
}

const byTimer = (milliseconds: number, beat: () => void): (() => void) => {
  const timer = setInterval(beat, milliseconds).unref();
  return () => clearInterval(timer);
};

/** The fields of an evaluation (OpenID AuthZEN 1.0, section 6) and, in `context`, why and where. */
function fieldsOf(
  {
    requestId,
    kind,
    subject,
    actor,
    permission,
    scope,
    allowed,
    reason,
    tenant,
    route,
    at,
    rests,
  }: LoggedDecision,
  rate: number,
  api: string | undefined,
): Partial<DecisionLine> {
  const who = subject === undefined ? undefined : entityOf(subject);
  return {
    requestId,
    rate,
    kind,
    subject: who,
    ...(actor && { ...actingOf(actor), onBehalfOf: who }),
    action: permission === undefined ? undefined : { name: loggable(permission) },
    resource: scope === undefined ? undefined : entityOf(scope),
    decision: allowed,
    context: {
      reason,
      route,
      api,
      tenant: tenant === undefined ? undefined : loggable(tenant),
      at: at === undefined ? undefined : new Date(at).toISOString(),
      rests,
    },
  };
}

/** Who acts, by which mandate, and who acted before. */
const actingOf = ({ subject, mandate, before }: Actor): Partial<DecisionLine> => ({
  actor: entityOf(subject),
  mandate: mandate === undefined ? undefined : loggable(mandate),
  actedBefore: before?.map(loggable),
});

/** A reference in AuthZEN's two fields. */
function entityOf(ref: string): { readonly type: string; readonly id: string } {
  const colon = ref.indexOf(':');
  return { type: loggable(ref.slice(0, colon)), id: loggable(ref.slice(colon + 1)) };
}

/**
 * An id as it is logged. Ids and permissions may come from the path of a request, which may hold anything, and an id may
 * be an email: what is not plain becomes a pseudonym, the same for the same text.
 */
const loggable = (text: string): string =>
  isLoggedAsItIs(text) ? text : pseudonymOf(createHash('sha256').update(text).digest('base64url'));
