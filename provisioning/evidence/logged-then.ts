import type { Decision } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import type { AskThen } from './instant.ts';
import { actorIn, type DecisionRecord } from './log-lines.ts';
import { hasPseudonym } from './logged-ids.ts';
import type { AskedInLog } from './logged-questions.ts';

/** Logged decisions, compared with the table as it was. */
export interface LoggedThen {
  /** Those that were true at an instant within the bound of their staleness. */
  readonly agree: number;
  readonly differ: readonly LoggedDecision[];
  /** Those that cannot be decided again. */
  readonly unknown: number;
  /** What these rest on: what was passed or a token, pseudonyms, mandates that are gone, budgets, records that are missing. */
  readonly restOn: Readonly<Record<RestsOn, number>>;
  /** Those beyond the most that are compared. */
  readonly left: number;
}

export const RESTS_ON = ['passed', 'pseudonyms', 'mandates', 'budgets', 'records'] as const;
type RestsOn = (typeof RESTS_ON)[number];

interface LoggedDecision extends AskedInLog {
  /** ISO 8601. */
  readonly at: string;
  /** As it was logged. */
  readonly allowed: boolean;
}

/** What decides a question, on the table of then. */
export type DecideThen = (
  reader: Reader,
  question: AskedInLog & { readonly at: number },
) => Promise<Decision>;

/** Decisions that are compared. */
const MOST = 1_000;

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
  let agree = 0;
  const restOn = { passed: 0, pseudonyms: 0, mandates: 0, budgets: 0, records: 0 };
  for (const record of compared) {
    const truths = await truthsOf(then, record, staleMs, decide);
    if (typeof truths === 'string') restOn[truths] += 1;
    else if (truths.has(record.allowed)) agree += 1;
    else {
      const { subject = '', permission = '', scope = '', allowed } = record;
      const by = defined({ actor: actorIn(record) });
      differ.push({ at: new Date(record.at).toISOString(), subject, ...by, permission, scope, allowed });
    }
  }
  const unknown = Object.values(restOn).reduce((sum, each) => sum + each, 0);
  return { agree, differ, unknown, restOn, left: records.length - compared.length };
}

/** What an answer of then rests on that no record says: a mandate that went with its subject has none; no use is rolled back. */
const restsOn = ({ reason }: Decision, { reason: logged, mandate }: DecisionRecord): RestsOn | undefined => {
  if (mandate === undefined || reason === logged) return undefined;
  if (reason === 'mandate_unknown') return 'mandates';
  return reason === 'budget_uncounted' ? 'budgets' : undefined;
};

/** The answers that were true at some instant from which the decision may be, or on what they rest that is not known. */
async function truthsOf(
  then: AskThen,
  record: DecisionRecord,
  staleMs: number,
  decide: DecideThen,
): Promise<ReadonlySet<boolean> | RestsOn> {
  const { at, subject, permission, scope, rests, askedFor, allowed } = record;
  if (subject === undefined || permission === undefined || scope === undefined) return 'passed';
  if (rests.length > 0) return 'passed';
  const question = { subject, actor: actorIn(record), permission, scope };
  if (hasPseudonym(question)) return 'pseudonyms';
  const truths = new Set<boolean>();
  // Each state holds all that may have been so within the margin: from one to the next, none is missed.
  const last = Math.ceil(at / COHERENCE_MARGIN_MS);
  for (let n = last; n >= Math.floor((at - staleMs) / COHERENCE_MARGIN_MS); n--) {
    const instant = Math.min(n * COHERENCE_MARGIN_MS, at);
    const decided = Math.max(instant, at - staleMs);
    try {
      const { answer, unknown, among } = await then(instant, {
        ask: (reader) => decide(reader, { ...question, at: askedFor ?? decided }),
        sameAs: ({ allowed: isAllowed, reason }) => `${isAllowed} ${reason}`,
      });
      if (unknown && !among) return 'records';
      for (const each of among ?? [answer as Decision]) {
        const open = restsOn(each, record);
        if (open) return open;
        truths.add(each.allowed);
      }
    } catch (error) {
      // Before the first record nothing was there.
      if (!(error instanceof GatehouseError) || error.code !== 'invalid') throw error;
      return 'records';
    }
    if (truths.has(allowed)) break;
  }
  return truths;
}
