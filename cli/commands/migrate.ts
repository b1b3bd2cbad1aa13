import { ulid } from 'ulid';
import { type Migrated, migrate } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import { FORMS } from '../../table/form.ts';
import { changingLine } from '../changing-line.ts';
import { openStore } from '../connection.ts';
import type { Paint } from '../context.ts';
import { flag } from '../options.ts';
import { subcommand } from '../subcommand.ts';
import { notedWriter } from '../written.ts';
import { rate, WALK } from './verify.ts';

/** `gatehouse migrate`: brings all items to the form that this release writes. */
export const addMigrate = subcommand({
  name: 'migrate',
  summary: 'bring all items to the form that this release writes',
  description:
    'Brings all items to the form that this release writes, each on condition that nobody changes it meanwhile, ' +
    'and counts at the end what is still older. Stopped or killed, it goes on when it is started again. A part of a decision item that has outgrown it gets items of ' +
    'its own: the groups of a subject, the groups of a scope, the roles of a root.',
  options: {
    dryRun: flag('count only'),
    join: flag(
      'bring parts that stand apart back into their items, where they fit: before going back a release',
    ),
    rate,
  },
  examples: `  gatehouse migrate --dry-run
  gatehouse migrate --rate 2000
  gatehouse migrate --join`,
  run: async (_, options, context) => {
    const { reader, writer } = await openStore(options, context, WALK);
    const { rate, join: joins = false } = options;
    const show = changingLine(context);
    const result = await migrate({
      reader,
      clock: { now: context.now },
      newId: ulid,
      joins,
      ...defined({ rate }),
      ...(options.dryRun ? {} : { writer: notedWriter(writer, context.written) }),
      onProgress: ({ items, migrated }) => show(`${items} items, ${migrated} migrated`),
    });
    show(undefined);
    return {
      data: { form: FORMS.usual, ...result },
      text: (paint) => format(result, joins, paint),
      refused: result.older + result.newer + result.unsplit > 0,
    };
  },
});

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
