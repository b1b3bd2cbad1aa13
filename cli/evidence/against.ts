import { askedBy } from '../../engine/index.ts';
import {
  type Against,
  type AgainstSide,
  againstLog,
  COMMANDS,
  createCoverage,
  createLoggedQuestions,
  gapLines,
  type LogCoverage,
  type LoggedQuestions,
  said,
  unknownLines,
} from '../../provisioning/index.ts';
import { plain } from '../../table/visible-text.ts';
import { type Context, UsageError } from '../context.ts';
import { type KnownAs, knownAs, type Referred } from '../known-as.ts';
import type { Planned } from '../manifest/shared.ts';
import { count } from '../print.ts';
import { readLogFiles } from './log-files.ts';

/** `gatehouse plan --against`: what a manifest would have done to the decisions of a log. */

type Read = { readonly logged: LoggedQuestions; readonly coverage: LogCoverage };

/**
 * Compares plans with logs, which are read once, when there is a plan. Without logs it says nothing.
 *
 * @param days how many to look back; undefined: all
 * @returns a function that throws {@link UsageError} for logs that ask nothing of the table, and what
 *   {@link readLogFiles} and {@link againstLog} throw
 */
export function againstLogs(
  names: readonly string[],
  days: number | undefined,
  context: Context,
  region: string | undefined,
) {
  let read: Promise<Read> | undefined;
  const readQuestions = async (): Promise<Read> => {
    const now = context.now();
    const [from, until] = days === undefined ? [0, Number.POSITIVE_INFINITY] : [now - days * DAY_MS, now];
    const covered = createCoverage({ from, until });
    const collected = createLoggedQuestions();
    await readLogFiles(names, {
      context,
      region,
      from: from - DAY_MS,
      onRecord: (record) => {
        if (covered.add(record) && record.is === 'decision') collected.add(record);
      },
    });
    const [logged, coverage] = [collected.all(), covered.coverage()];
    if (logged.questions.length === 0)
      throw new UsageError(
        `of ${count(coverage.decisions, 'decision')} in ${names.join(', ')}, none is about a permission of a subject at a scope`,
      );
    return { logged, coverage };
  };
  return async ({ plan, place, deliver, reader }: Compared) => {
    if (names.length === 0) return undefined;
    const table = reader();
    read ??= readQuestions();
    const { logged, coverage } = await read;
    const against = await againstLog(plan.changes, logged, {
      reader: table,
      commands: COMMANDS,
      at: context.now(),
    });
    const { elsewhere, decisions } = against;
    if (elsewhere.lines === decisions.lines)
      throw new UsageError(
        `of ${count(decisions.lines, 'decision')} in ${names.join(', ')}, none is about a scope of ${place}: it is the log of another table`,
      );
    const { sources, ...log } = coverage;
    return {
      text: async () => formatAgainst(against, coverage, await knownAs(deliver, namedIn(against))),
      data: { ...against, log: { ...log, sources: Object.fromEntries(sources) } },
    };
  };
}

type Compared = Pick<Planned, 'plan' | 'place' | 'deliver' | 'reader'>;

/** Of an S3 object, how long before its last line it may have been begun. */
const DAY_MS = 86_400_000;

const ROWS = 20;

/** Whom and what the lines name. */
const namedIn = ({ refused, allowed, now }: Against): readonly Referred[] =>
  [refused, allowed, now.refused, now.allowed].flatMap(({ rows }) =>
    rows
      .slice(0, ROWS)
      .flatMap(({ subject, actor, scope }): readonly Referred[] => [
        { ref: subject, kind: 'subject' },
        ...(actor ? [{ ref: actor.subject, kind: 'subject' } as const] : []),
        { ref: scope, kind: 'scope' },
      ]),
  );

function sideLines(title: string, side: AgainstSide, known: KnownAs): readonly string[] {
  const { rows, people } = side;
  const rest = Math.max(0, rows.length - ROWS) + side.moreRows;
  const whose = people === 0 ? '' : `, of ${count(people, 'person', 'people')}`;
  return [
    `${title}: ${said(side.decisions)}${whose}`,
    ...rows.slice(0, ROWS).map(({ permission, scope, decisions, ...by }) => {
      const who = askedBy(by, (ref) => known({ ref, kind: 'subject' }));
      const where = known({ ref: scope, kind: 'scope' });
      return plain(`  ${who}: ${permission} at ${where}, ${said(decisions, 'time')}`);
    }),
    ...(rest > 0 ? [`  … and ${rest.toLocaleString('en')} more like these`] : []),
  ];
}

/** What a change would have done, for people. */
function formatAgainst(against: Against, coverage: LogCoverage, known: KnownAs): string {
  const { decisions, refused, allowed, now, elsewhere } = against;
  const isOther = now.refused.rows.length + now.allowed.rows.length > 0;
  const lines = [
    '',
    `against the log: ${said(decisions)} of ${count(coverage.days, 'day')}, ${count(against.questions, 'different question')}`,
    ...sideLines('would be refused', refused, known),
    ...sideLines('would be allowed', allowed, known),
    ...unknownLines(against.unknown),
    ...(elsewhere.lines > 0 ? [`about scopes that are not in this table: ${said(elsewhere)}`] : []),
    ...(isOther
      ? [
          'the table of now answers otherwise than the log, without this change:',
          ...sideLines('refused now', now.refused, known),
          ...sideLines('allowed now', now.allowed, known),
        ]
      : []),
    ...gapLines(coverage, against.others).map(plain),
  ];
  return `${lines.join('\n')}\n`;
}
