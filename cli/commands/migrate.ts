import type { Command } from 'commander';
import { ulid } from 'ulid';
import { type Migrated, migrate } from '../../provisioning/verify/index.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { FORMS } from '../../table/form.ts';
import { openTable } from '../connection.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { type Paint, painter, wantsColours } from '../context.ts';
import { OK, REFUSED } from '../exit-codes.ts';
import { addHelpTexts } from '../help.ts';
import { asJson, CLEAR_LINE } from '../print.ts';
import { numberOption } from '../question.ts';
import type { Subcommand } from '../subcommand.ts';
import { notedWriter } from '../written.ts';
import { DEADLINE_MS, PROGRESS_EVERY_MS, RATES } from './verify.ts';

interface MigrateOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly join?: boolean;
  readonly rate?: number;
  readonly json?: boolean;
}

const EXAMPLES = `  gatehouse migrate --dry-run
  gatehouse migrate --rate 2000
  gatehouse migrate --join`;

/** `gatehouse migrate`: brings all items to the form that this release writes. */
export const addMigrate: Subcommand = (program, context, finish) => {
  const command: Command = program
    .command('migrate')
    .summary('bring all items to the form that this release writes')
    .description(
      'Brings all items to the form that this release writes, each on condition that nobody changes it meanwhile, ' +
        'and counts at the end what is still older. Stopped or killed, it goes on when it is started again. A part of a decision item that has outgrown it gets items of ' +
        'its own: the groups of a subject, the groups of a scope, the roles of a root.',
    )
    .option('--dry-run', 'count only')
    .option(
      '--join',
      'bring parts that stand apart back into their items, where they fit: before going back a release',
    )
    .addOption(numberOption('--rate', '<items>', 'how many items to read per second at most', RATES));
  addHelpTexts(command, { examples: EXAMPLES }).action(async (options: MigrateOptions) => {
    const table = await openTable(options, context.env, { requestTimeoutMs: 5_000 });
    const { rate } = options;
    let reportedAt = context.now();
    const result = await migrate({
      reader: createReader({ ...table, deadlineMs: DEADLINE_MS }),
      clock: { now: context.now },
      newId: ulid,
      joins: options.join === true,
      ...(rate === undefined ? {} : { rate }),
      ...(options.dryRun ? {} : { writer: notedWriter(createWriter(table), context.written) }),
      onProgress: ({ items, migrated }) => {
        if (!context.isErrorTerminal || context.now() - reportedAt < PROGRESS_EVERY_MS) return;
        reportedAt = context.now();
        context.error(`${CLEAR_LINE}${items} items, ${migrated} migrated`);
      },
    });
    if (context.isErrorTerminal) context.error(CLEAR_LINE);
    const paint = painter(wantsColours(context));
    context.out(
      options.json ? asJson({ form: FORMS.usual, ...result }) : format(result, options.join === true, paint),
    );
    finish(result.older + result.newer + result.unsplit === 0 ? OK : REFUSED);
  });
};

function format(
  { items, migrated, older, newer, split, unsplit }: Migrated,
  joins: boolean,
  paint: Paint,
): string {
  const of = (count: number, what: string): string =>
    paint(count === 0 ? 'green' : 'red', `${count} ${what}`);
  return (
    `form ${FORMS.usual}: ${migrated} migrated, ${of(older, 'of an older form')}, ` +
    `${of(newer, 'of a newer form')} (${items} items)\n` +
    `${joins ? 'joined' : 'split'}: ${split} decision items, ${of(unsplit, 'left')}\n`
  );
}
