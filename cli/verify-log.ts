import { askedBy, createEngine } from '../engine/index.ts';
import {
  askThen,
  compareLogged,
  createCoverage,
  type DecisionRecord,
  gapsIn,
  type LoggedThen,
  RESTS_ON,
} from '../provisioning/index.ts';
import type { Reader } from '../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../table/timing.ts';
import { auditLinesOf } from './audit-lines.ts';
import { type Context, UsageError } from './context.ts';
import { readLogFiles } from './evidence/log-files.ts';
import { duration, type GlobalOptions, text, type ValuesOf, withDefault } from './options.ts';
import { count, plain } from './print.ts';
import type { THEN } from './then.ts';

/** How long before and after the instant logged decisions are compared. */
const AROUND_MS = 300_000;
/** Of an S3 object, how long before its last line it may have been begun. */
const DAY_MS = 86_400_000;
const KINDS: ReadonlySet<string> = new Set(['check', 'request', 'rows', 'session']);

export const VERIFY = {
  verify: text(
    '<log>',
    'with --at: compare the decisions that this log has of five minutes before and after',
  ),
  stale: withDefault(duration('with --verify: the time-to-live of caches that decided', 0, 86_400), 60),
};
type VerifyOptions = ValuesOf<typeof VERIFY> & Pick<ValuesOf<typeof THEN>, 'at' | 'records'> & GlobalOptions;

/** Compares logged decisions of around an instant with the table as it was; undefined where no log is given. */
export async function verifyLog(
  reader: Reader,
  { verify, stale, at, records: files, region }: VerifyOptions,
  context: Context,
): Promise<Verified | undefined> {
  if (verify === undefined) return undefined;
  if (at === undefined) throw new UsageError('--verify is of --at: give --at INSTANT too');
  const [from, now, staleMs] = [at - AROUND_MS, context.now(), stale * 1_000];
  const covering = createCoverage({ from, until: Math.min(at + AROUND_MS, now) + 1, isExcerpt: true });
  const records: DecisionRecord[] = [];
  let others = 0;
  await readLogFiles([verify], {
    context,
    region,
    from: from - DAY_MS,
    onRecord: (record) => {
      if (!covering.add(record) || record.is !== 'decision') return;
      if (KINDS.has(record.kind)) records.push(record);
      else others += 1;
    },
  });
  const clock = { now: () => now + 2 * COHERENCE_MARGIN_MS };
  const lines = auditLinesOf(files, region);
  const since = from - staleMs - COHERENCE_MARGIN_MS;
  const logged = await askThen({ reader, since, now, lines }, (then) =>
    compareLogged(then, records, {
      staleMs,
      decide: (table, { subject, actor, permission, scope, at: instant }) =>
        createEngine({ reader: table, clock }).check(subject, permission, scope, { actor, at: instant }),
    }),
  );
  const coverage = covering.coverage();
  const { lost, damaged } = coverage;
  const isWhole = lost + damaged === 0 && logged.agree > 0 && logged.differ.length === 0;
  return { ...logged, others, lost, damaged, gaps: gapsIn(coverage), isWhole };
}

/** Logged decisions that were compared, and what is not in the log. */
interface Verified extends LoggedThen {
  /** Of kinds that are not compared. */
  readonly others: number;
  readonly lost: number;
  readonly damaged: number;
  /** In words. */
  readonly gaps: readonly string[];
  /** Whether something was compared, nothing differs, and no line is known to be missing. */
  readonly isWhole: boolean;
}

const CAUSES: Readonly<Record<(typeof RESTS_ON)[number], string>> = {
  passed: 'what a request passed',
  pseudonyms: 'a pseudonym',
  mandates: 'a mandate that is gone',
  budgets: 'a budget',
  records: 'records that do not say it',
};

export const verifiedText = (verified: Verified | undefined): string => {
  if (!verified) return '';
  const { agree, differ, unknown, restOn, left, others, gaps } = verified;
  const lines = differ.map(
    ({ at, subject, actor, permission, scope, allowed }) =>
      `  ${at}  ${plain(`${askedBy({ subject, actor })} ${permission} ${scope}`)}: logged as ${allowed ? 'allowed' : 'refused'}`,
  );
  const causes = RESTS_ON.flatMap((on) => (restOn[on] > 0 ? [`${CAUSES[on]}: ${restOn[on]}`] : []));
  const why = causes.length > 0 ? ` (${causes.join(', ')})` : '';
  const more = left > 0 ? `, ${left} not compared` : '';
  return [
    `logged around then: ${count(agree, 'decision')} agree, ${differ.length} differ, ${unknown} cannot be decided again${why}${more}`,
    ...lines,
    ...(others > 0 ? [`  ${count(others, 'decision')} of another kind, which cannot be compared`] : []),
    ...gaps.map((gap) => `  ${plain(gap)}`),
    '',
  ].join('\n');
};
