import {
  createCollection,
  createPace,
  type Gap,
  gapsOf,
  MAX_RECORDS,
  type Replayed,
  replay,
} from '../../provisioning/index.ts';
import { auditLines } from '../audit-lines.ts';
import { changingLine } from '../changing-line.ts';
import { type Paint, UsageError } from '../context.ts';
import { sizeOf } from '../input-file.ts';
import { flag, instant, number, required, text, WRITING } from '../options.ts';
import { plain, section } from '../print.ts';
import { isFault, openSender, RefusedError } from '../provisioning.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  records: required(text('<file>', 'audit records as JSON Lines; - is the standard input')),
  since: required(instant('the restore point: the instant to which the table was restored')),
  dryRun: flag('report what would be sent; write nothing'),
  rate: number('<changes>', 'how many entities per second at most', {
    kind: 'number of changes per second',
    least: 0.001,
    most: 100_000,
  }),
  ...WRITING,
};

/** `gatehouse replay`: takes away from a restored table what was taken away after the restore point. */
export const addReplay = subcommand({
  name: 'replay',
  summary: 'after a restore: revoke again what was revoked after the restore point',
  description:
    'Takes away from a restored table what was taken away after the restore point, by the audit records that were kept outside the table (docs/runbooks/restore.md).',
  options: OPTIONS,
  examples: `  gatehouse replay --table restored --records audit.jsonl --since 2026-11-20T08:00:00Z --dry-run
  zcat records/*.gz | gatehouse replay --table restored --records - --since 2026-11-20T08:00:00Z`,
  notes: `The records are JSON Lines, also compressed by gzip: those that the stack stores
with auditStorage (docs/operators.md), or audit records as audit.list prints
them, one on each line. The second kind has no counts, so nobody can say whether
some are missing.

What is replayed: deletions, revocations, statuses and ends that close, roles
that were taken from a grant, effects that were removed or became DENY. What
opens is never replayed. Run it as often as you like: what is done stays done.`,
  run: async (_, options, context) => {
    const { records: file, since, rate } = options;
    await sizeOf(file);
    const { find, send, reader } = await openSender(options, context);
    const table = reader();
    const collection = createCollection(since);
    const ignored = await collect(file, collection.add);
    // Before anything is written: the records of the replay are counted too.
    const gaps = await gapsOf(collection, table);
    const pace = createPace(context, rate);
    const show = changingLine(context);
    const result = await replay(collection, {
      reader: table,
      read: ({ command, input }) => find(command, input),
      write: async ({ command, input }) => {
        // A dry run of one removal would fail where another one comes first.
        if (options.dryRun) return 'done';
        try {
          await send(command, input);
          return 'done';
        } catch (error) {
          if (!(error instanceof RefusedError) || isFault(error.failure)) throw error;
          return error.code === 'not_found' ? 'gone' : { message: error.message };
        }
      },
      onProgress: async (done, of) => {
        show(`${done} of ${of} entities`);
        await pace(done);
      },
    });
    show(undefined);
    const report: Report = {
      ...result,
      since: new Date(since).toISOString(),
      records: collection.records(),
      latest: collection.latest(),
      ignored,
      // Without a count nobody can say.
      counted: collection.counts().some(({ counted }) => counted > 0),
      gaps,
      dryRun: options.dryRun === true,
    };
    return { data: report, text: (paint) => format(report, paint), refused: !isWhole(report) };
  },
});

interface Report extends Replayed {
  readonly since: string;
  readonly records: number;
  /** When the last record was made. */
  readonly latest: string | undefined;
  /** Lines that are no record of a change. */
  readonly ignored: number;
  /** Whether counts came with the records. */
  readonly counted: boolean;
  readonly gaps: readonly Gap[];
  readonly dryRun: boolean;
}

const isWhole = ({ counted, gaps, byHand, refused }: Report): boolean =>
  counted && gaps.length + byHand.length + refused.length === 0;

/** Gives each line of a file to `add`. Returns how many are neither a record of a change nor a count. */
async function collect(file: string, add: ReturnType<typeof createCollection>['add']): Promise<number> {
  let ignored = 0;
  for await (const line of auditLines(file)) {
    if (line.kind === 'other') ignored += 1;
    if (!add(line))
      throw new UsageError(
        `more than ${MAX_RECORDS} records after --since: give a later restore point, or the records of one log after the other`,
      );
  }
  return ignored;
}

function format(report: Report, paint: Paint): string {
  const { replayed, alreadySo, byHand, lost, refused, gaps, counted, latest, records, since, dryRun } =
    report;
  const lines = (title: string, of: readonly string[]) => section(title, of.map(plain));
  return `${[
    `${records} records since ${since}, less an hour${latest === undefined ? '' : `; the last one is of ${latest}`}`,
    `${replayed.length} ${dryRun ? 'to be replayed' : 'replayed'}, ${alreadySo} entities already so, ${byHand.length} to do by hand, ${refused.length} refused, ${lost.length} given since and lost`,
    ...lines(
      dryRun ? 'to be replayed:' : 'replayed:',
      replayed.map(({ command, input }) => `${command} ${JSON.stringify(input)}`),
    ),
    ...lines(paint('red', 'to do by hand (access may be open that was closed):'), byHand),
    ...lines(
      paint('red', 'refused:'),
      refused.map(({ command, input, message }) => `${command} ${JSON.stringify(input)}: ${message}`),
    ),
    ...lines(
      paint('red', 'records are missing:'),
      gaps.map(({ log, month, missing }) => `${missing} of ${log} in ${month}`),
    ),
    ...(counted
      ? []
      : ['', paint('red', 'no counts came with the records: nobody can say whether some are missing')]),
    ...lines('given after the restore point, and not replayed:', lost),
  ].join('\n')}\n`;
}
