import type { Decision } from '../engine/index.ts';
import { type AskThen, askThen, type Question, type Then } from '../provisioning/index.ts';
import type { Reader } from '../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../table/timing.ts';
import { auditLinesOf } from './audit-lines.ts';
import { type Paint, UsageError } from './context.ts';
import { ASKED } from './given.ts';
import { type GlobalOptions, instant, repeated, type ValuesOf } from './options.ts';
import { plain } from './print.ts';

/** The options of a question that may be about the table as it was. */
export const THEN = {
  at: instant('decide for this instant; one before now on the table as it was, by its audit records'),
  records: repeated(
    '<file>',
    'with --at: more audit records, from outside the table, as for gatehouse replay: a file, a folder or s3://BUCKET/PREFIX; may be repeated',
  ),
  given: ASKED.given,
};
type ThenOptions = Pick<ValuesOf<typeof THEN> & GlobalOptions, 'at' | 'records' | 'region'>;

/** What a question works with: the table of then, and a clock by which none of it is too young to be cached. */
export interface Around {
  readonly table: Reader;
  readonly clock: { readonly now: () => number };
  /** The instant to decide for, in epoch milliseconds. */
  readonly at: number;
}

/** When two decisions are the same, and whether one rests on properties. */
export const DECIDED = {
  sameAs: ({ allowed }: Decision) => String(allowed),
  restsOnProperties: ({ reason }: Decision) => reason === 'condition_failed',
};

/** The answer to a question, of the table as it is or as it was. */
export async function answerThen<T>(
  reader: Reader,
  { at, records, region }: ThenOptions,
  now: () => number,
  { ask, ...question }: Omit<Question<T>, 'ask'> & { readonly ask: (around: Around) => Promise<T> },
): Promise<Then<T>> {
  if (at === undefined) {
    if (records.length > 0) throw new UsageError('--records is of --at: give --at INSTANT too');
    return { answer: await ask({ table: reader, clock: { now }, at: now() }), doubtful: new Map() };
  }
  const instant = now();
  // What will be written until then nobody knows: what is there now decides, with what begins and ends until then.
  if (at > instant) return { answer: await ask({ table: reader, clock: { now }, at }), doubtful: new Map() };
  const clock = { now: () => instant + 2 * COHERENCE_MARGIN_MS };
  const lines = auditLinesOf(records, region);
  return askThen({ reader, since: at, now: instant, lines }, (then: AskThen) =>
    then(at, { ...question, ask: (table) => ask({ table, clock, at }) }),
  );
}

/** What is printed where the answer is not known. */
export const unknownText = (paint: Paint, unknown: readonly string[]): string =>
  `${paint('red', 'UNKNOWN')}\n${unknown.map((why) => `  ${plain(why)}\n`).join('')}`;
