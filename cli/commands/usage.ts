import {
  COMMANDS,
  createCoverage,
  createUses,
  gapsIn,
  type LogCoverage,
  peopleText,
  type Removal,
  reportUsage,
  type UsageReport,
} from '../../provisioning/index.ts';
import { isPermissionPattern, readPermissionName } from '../../table/permission-name.ts';
import { changingLine } from '../changing-line.ts';
import { type Context, type Paint, UsageError } from '../context.ts';
import { readLogFiles } from '../evidence/log-files.ts';
import { type KnownAs, knownAs } from '../known-as.ts';
import { flag, type GlobalOptions, repeated, text, type ValuesOf, whole, withDefault } from '../options.ts';
import { count, plain, section } from '../print.ts';
import { openSender } from '../provisioning.ts';
import { existing, lookUp } from '../references.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  log: repeated('<file>', 'a decision log: a file, a folder, - or s3://BUCKET/PREFIX; may be repeated'),
  days: withDefault(whole('how many days to look back', 1, 365), 90),
  tenant: text('<tenant>', 'only this root scope: a name, or TYPE:ID such as tenant:ID'),
  elsewhere: repeated(
    '<permission>',
    'a permission or pattern that is checked without the log; may be repeated',
  ),
  complete: flag('all that checks anything wrote this log, all the time'),
  limit: withDefault(whole('how many removals to try and to list at most', 1, 10_000), 100),
};

/** Objects of S3 of this long before the period say which lines a process had written by then. */
const DAY_MS = 86_400_000;

/** `gatehouse usage`: rights that nobody used, by a decision log. */
export const addUsage = subcommand({
  name: 'usage',
  summary: 'show rights that nobody used, by the decision log',
  description:
    'Shows which rights of roles nobody used and which of their own people never used, what ends them, and how much of the log is there.',
  options: OPTIONS,
  examples: `  gatehouse usage --log s3://logs/decisions/ --days 90
  gatehouse usage --log decisions.jsonl.gz --tenant Northwind --elsewhere 'billing:*:*'`,
  notes: `A log is JSON Lines, plain or packed by gzip, as the functions write it
(docs/observability.md): a file, a folder with all that is in it, or
s3://BUCKET/PREFIX.

Nothing is said of a permission that may be checked without the log: one that no
line and no route of a logged API names (unless --complete), one of a route of
an API that has no log, and what --elsewhere names. Nothing is said of a right
that was not there all the time. Each command is tried on a copy, by itself: one
by which somebody would gain access is not offered.`,
  run: async (_, options, context) => {
    const { report, coverage, known } = await usageBy(options, context);
    return {
      data: asData(report, coverage),
      text: (paint) => `${linesOf(report, coverage, known, options.days, paint).join('\n')}\n`,
      notes: report.more > 0 ? [`${report.more} more: give a larger --limit`] : [],
    };
  },
});

async function usageBy(options: ValuesOf<typeof OPTIONS> & GlobalOptions, context: Context) {
  const { log, days, elsewhere, region } = options;
  if (log.length === 0)
    throw new UsageError('give --log: a decision log, as a file, a folder or s3://BUCKET/PREFIX');
  for (const name of elsewhere)
    if (!readPermissionName(name) && !isPermissionPattern(name))
      throw new UsageError(`--elsewhere ${name} is neither a permission nor a pattern such as billing:*:*`);
  const { find, list, names, reader: readerOf, deliver } = await openSender(options, context);
  const reader = readerOf();
  // One that is misspelt would leave a permission to be spoken of.
  for (const name of elsewhere) await existing(reader, 'permission', name);
  const tenant =
    options.tenant === undefined
      ? undefined
      : (await lookUp(names, { label: '--tenant', kind: 'scope' }, options.tenant)).ref;
  const at = context.now();
  const from = at - days * DAY_MS;
  const covering = createCoverage({ from, until: at });
  const uses = createUses();
  await readLogFiles(log, {
    context,
    region: region ?? context.env.AWS_REGION,
    from: from - DAY_MS,
    onRecord: (record) => {
      if (!covering.add(record) || record.is !== 'decision') return;
      // A pseudonym may be of this tenant: then its uses count.
      const isOther = tenant !== undefined && record.tenant !== undefined && record.tenant !== tenant;
      if (!isOther || record.tenant?.startsWith('sha256:')) uses.add(record);
    },
  });
  const coverage = covering.coverage();
  const show = changingLine(context);
  const report = await reportUsage({
    queries: { read: find, list },
    reader,
    commands: COMMANDS,
    coverage,
    uses: uses.uses(),
    from,
    at,
    elsewhere,
    isComplete: options.complete === true,
    tenant,
    most: options.limit,
    onProgress: (done, of) => show(`${done} of ${of} removals tried`),
  });
  show(undefined);
  const people = [...report.unused.flatMap(({ subject }) => subject ?? []), ...report.admins.keys()];
  const known = await knownAs(
    deliver,
    people.map((ref) => ({ ref, kind: 'subject' })),
  );
  return { report, coverage, known };
}

/** What programs get. */
const asData = (
  { from, unused, more, admins, unlogged, unsteady, silent }: UsageReport,
  { sources, first, last, ...coverage }: LogCoverage,
) => ({
  from: day(from),
  log: {
    ...coverage,
    first: instantOf(first),
    last: instantOf(last),
    sources: [...sources.keys()].sort(),
    silent,
  },
  unused,
  more,
  administrators: [...admins].map(([subject, use]) => ({
    subject,
    decisions: use?.decisions ?? 0,
    permissions: [...new Set(use?.uses.map(({ permission }) => permission))].sort(),
    last: instantOf(use?.last),
  })),
  notSaid: { unlogged, unsteady },
});

const instantOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const many = (number: number): string => number.toLocaleString('en');

function linesOf(
  report: UsageReport,
  coverage: LogCoverage,
  known: KnownAs,
  days: number,
  paint: Paint,
): readonly string[] {
  const { unused, admins, unlogged, unsteady, names } = report;
  const nameOf = (key: string): string => plain(names.get(key) ?? key);
  const ofRoles = unused.filter(({ is }) => is === 'permission');
  const ofPeople = unused.filter(({ is }) => is !== 'permission');
  const removal = (each: Removal, what: string): readonly string[] => [
    what,
    ...(each.refusal === undefined
      ? [
          ...each.ends.map(({ command, input }) => `  ${lineOf(command, input)}`),
          `  ${paint('dim', `who would lose access: ${peopleText(each.access.loses, false)}`)}`,
        ]
      : [`  ${paint('red', 'not offered')}: ${plain(each.refusal)}`]),
  ];
  const subject = (ref: string): string => plain(known({ ref, kind: 'subject' }));
  return [
    ...coverageLines(coverage, report.silent, days, paint),
    ...section(
      'nobody used:',
      ofRoles.flatMap((each) =>
        removal(each, `${each.permission}, of the role ${each.roles.map(nameOf).join()}`),
      ),
    ),
    ...section(
      'never used what they have:',
      ofPeople.flatMap((each) => removal(each, `${subject(each.subject ?? '')}: ${whatOf(each, nameOf)}`)),
    ),
    ...(unused.length === 0 ? ['', 'no right is found that nobody used'] : []),
    ...section(
      'administrators:',
      [...admins].map(([ref, use]) => {
        if (!use) return `${subject(ref)}: nothing as an administrator`;
        const permissions = new Set(use.uses.map(({ permission }) => permission)).size;
        return `${subject(ref)}: ${many(use.decisions)} ${use.decisions === 1 ? 'decision' : 'decisions'}, ${count(permissions, 'permission')}, the last on ${day(use.last)}`;
      }),
    ),
    ...section('nothing is said of:', [
      ...(unlogged.length === 0
        ? []
        : [
            `${count(unlogged.length, 'permission')} that may be checked without the log: ${shown(unlogged)}`,
          ]),
      ...(unsteady === 0
        ? []
        : [`${count(unsteady, 'unused right')} that may not have been there all the time`]),
    ]),
  ];
}

const SHOWN = 5;
const shown = (all: readonly string[]): string =>
  `${all.slice(0, SHOWN).join(', ')}${all.length > SHOWN ? ` and ${all.length - SHOWN} more` : ''}`;

function whatOf({ is, group, scope, roles }: Removal, nameOf: (key: string) => string): string {
  const where = scope === undefined ? '' : ` at ${nameOf(scope)}`;
  if (is === 'membership') return `member of ${nameOf(group ?? '')}${where}`;
  if (is === 'admin') return 'administrator';
  const kind = { assignment: 'assigned', grant: 'granted', 'global-role': 'everywhere', permission: '' }[is];
  return `${roles.map(nameOf).join(', ')}, ${kind}${where}`;
}

/** A command as it is typed into a shell. */
const lineOf = (command: string, input: Readonly<Record<string, unknown>>): string =>
  [
    'gatehouse command',
    command,
    ...Object.entries(input).map(([name, value]) => quoted(`${name}=${value}`)),
  ].join(' ');

const quoted = (word: string): string =>
  /^[\w@.:=+-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", "'\\''")}'`;

/** From what it is said, and what of it is missing. */
function coverageLines(
  coverage: LogCoverage,
  silent: readonly string[],
  days: number,
  paint: Paint,
): readonly string[] {
  const { first, last, decisions, made, rate, processes } = coverage;
  if (first === undefined || last === undefined)
    return [`the log has nothing of the last ${count(days, 'day')}`];
  const gaps = [
    ...(coverage.days < days ? [`${count(days - coverage.days, 'day')} without a line`] : []),
    ...gapsIn(coverage),
    ...(silent.length > 0 ? [`no line of an API that has routes: ${silent.join(', ')}`] : []),
    ...(rate > 0 && rate < 1
      ? [
          `a use that came n times is missed with a chance of ${Number((1 - rate).toFixed(4))} to the power of n`,
        ]
      : []),
  ];
  const all = made > decisions ? ` of ${many(made)}` : '';
  return [
    `from ${day(first)} to ${day(last)}: ${many(decisions)}${all} decisions on ${coverage.days} of ${count(days, 'day')}, by ${count(processes, 'process', 'processes')}`,
    ...(gaps.length === 0
      ? ['the log has no gaps']
      : gaps.map((gap) => `${paint('red', 'gap')}: ${plain(gap)}`)),
  ];
}
