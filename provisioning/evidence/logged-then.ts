import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import type { AskThen } from './instant.ts';
import type { DecisionRecord } from './log-lines.ts';

/** Logged decisions, compared with the table as it was. */
export interface LoggedThen {
  /** Those that were true at an instant within the bound of their staleness. */
  readonly agree: number;
  readonly differ: readonly LoggedDecision[];
  /** Those that cannot be decided again: they rest on what was passed, on a token, on records that are missing. */
  readonly unknown: number;
  /** Those beyond the most that are compared. */
  readonly left: number;
}

interface LoggedDecision {
  /** ISO 8601. */
  readonly at: string;
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** As it was logged. */
  readonly allowed: boolean;
}

/** What decides a question, on the table of then. */
export type DecideThen = (
  reader: Reader,
  question: Omit<LoggedDecision, 'at' | 'allowed'> & { readonly at: number },
) => Promise<boolean>;

/** Decisions that are compared. */
const MOST = 1_000;
const PSEUDONYM = /:sha256:/;

/**
 * Compares logged decisions with the table as it was.
 *
 * @param staleMs how much older than a decision the state may be from which it was made
 */
export async function compareLogged(
  then: AskThen,
  records: readonly DecisionRecord[],
  { staleMs, decide }: { readonly staleMs: number; readonly decide: DecideThen },
): Promise<LoggedThen> {
  const compared = records.slice(0, MOST);
  const differ: LoggedDecision[] = [];
  let [agree, unknown] = [0, 0];
  for (const record of compared) {
    const truths = await truthsOf(then, record, staleMs, decide);
    if (truths?.has(record.allowed)) agree += 1;
    else if (truths === undefined) unknown += 1;
    else {
      const { subject = '', permission = '', scope = '', allowed } = record;
      differ.push({ at: new Date(record.at).toISOString(), subject, permission, scope, allowed });
    }
  }
  return { agree, differ, unknown, left: records.length - compared.length };
}

/** The answers that were true at some instant from which the decision may be; undefined where that is not known. */
async function truthsOf(
  then: AskThen,
  { at, subject, actor, permission, scope, rests, askedFor, allowed }: DecisionRecord,
  staleMs: number,
  decide: DecideThen,
): Promise<ReadonlySet<boolean> | undefined> {
  if (subject === undefined || permission === undefined || scope === undefined) return undefined;
  // Mandates have no state of then.
  if (rests.length > 0 || actor !== undefined || [subject, scope].some((ref) => PSEUDONYM.test(ref)))
    return undefined;
  const truths = new Set<boolean>();
  // Each state holds all that may have been so within the margin: from one to the next, none is missed.
  const last = Math.ceil(at / COHERENCE_MARGIN_MS);
  for (let n = last; n >= Math.floor((at - staleMs) / COHERENCE_MARGIN_MS); n--) {
    const instant = Math.min(n * COHERENCE_MARGIN_MS, at);
    const decided = Math.max(instant, at - staleMs);
    try {
      const { answer, unknown, among } = await then(instant, {
        ask: (reader) => decide(reader, { subject, permission, scope, at: askedFor ?? decided }),
        sameAs: String,
      });
      if (unknown && !among) return undefined;
      for (const each of among ?? [answer as boolean]) truths.add(each);
    } catch (error) {
      // Before the first record nothing was there.
      if (!(error instanceof GatehouseError) || error.code !== 'invalid') throw error;
      return undefined;
    }
    if (truths.has(allowed)) break;
  }
  return truths;
}
