import type { Command } from 'commander';
import { createEngine, createLists, type ListOptions, type Lists } from '../../engine/index.ts';
import { isRef, isType } from '../../table/identifiers.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Page, Reader } from '../../table/reader.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { descriptionsOf, namesOf } from '../names.ts';
import { asJson, columns, plain } from '../print.ts';
import { ARGUMENTS, isSubjectRef, readAt } from '../question.ts';
import type { Subcommand } from '../subcommand.ts';
import { FINE, type Surroundings, UsageError } from '../surroundings.ts';

interface Options extends ConnectionOptions {
  readonly at?: string;
  readonly strong?: boolean;
  readonly limit: string;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const EXIT_CODES = `
Exit codes:
  0  the list, which may be empty
  2  wrong use, or a fault`;

const withListOptions = (command: Command, examples: string): Command =>
  addConnectionOptions(
    command
      .option('--limit <number>', 'how many at most, 1 to 1000', '100')
      .option('--cursor <cursor>', 'go on where the page before ended')
      .option('--all', 'all pages, one after the other')
      .option('--at <instant>', ARGUMENTS.at)
      .option('--strong', 'decide from the table as it is now')
      .option('--json', 'print data'),
  ).addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES}`);

interface Question {
  readonly ask: (lists: Lists, options: ListOptions) => Promise<Page<string>>;
  /** What is said of each item beside itself. */
  readonly say: (reader: Reader, items: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** How an item and what is said of it are called in data. */
  readonly names: readonly [string, string];
}

async function answer({ ask, say, names }: Question, options: Options, around: Surroundings): Promise<void> {
  const limit = Number(options.limit);
  if (!/^\d+$/.test(options.limit) || limit < 1 || limit > 1_000)
    throw new UsageError(`--limit ${options.limit} is no whole number from 1 to 1000`);
  const at = readAt(options.at) ?? around.now();
  const reader = connect(options, around.env);
  const clock = { now: around.now };
  const lists = createLists({ reader, engine: createEngine({ reader, clock }), clock });
  const rows: (readonly [string, string | undefined])[] = [];
  let { cursor } = options;
  // A page may end before it is full, when it took long: it then has a cursor, and here it goes on by itself.
  do {
    const page = await ask(lists, {
      at,
      consistency: options.strong ? 'strong' : 'cached',
      limit: options.all ? limit : limit - rows.length,
      cursor,
    });
    const said = await say(reader, page.items);
    rows.push(...page.items.map((item, position) => [item, said[position]] as const));
    cursor = page.cursor;
  } while (cursor !== undefined && (options.all || rows.length < limit));
  if (options.json) {
    const items = rows.map(([item, text]) => ({
      [names[0]]: item,
      ...(text === undefined ? {} : { [names[1]]: text }),
    }));
    return around.out(asJson({ items, ...(cursor === undefined ? {} : { cursor }) }));
  }
  const lines = rows.length === 0 ? ['none'] : columns(rows.map(([item, text]) => [item, plain(text ?? '')]));
  around.out(`${lines.join('\n')}\n`);
  if (cursor !== undefined) around.error(`note: there may be more: --all, or --cursor ${cursor}\n`);
}

function assertArguments(given: { subject?: string; permission?: string; scope?: string }): void {
  const { subject, permission, scope } = given;
  if (subject !== undefined && !isSubjectRef(subject))
    throw new UsageError(`SUBJECT ${subject} is neither user:ID nor technical-user:ID (a ULID or UUID)`);
  if (permission !== undefined && !readPermissionName(permission))
    throw new UsageError(`PERMISSION ${permission} is neither a page nor module:action:resource`);
  if (scope !== undefined && !isRef(scope))
    throw new UsageError(`SCOPE ${scope} is not type:ID, as location:ID (a ULID or UUID)`);
}

/** `gatehouse who`: the subjects who may use a permission at a scope. */
export const addWho: Subcommand = (program, around, finish) => {
  const command = program
    .command('who')
    .summary('who may do this there?')
    .description('Lists the users and technical users who may use a permission at a scope.')
    .argument('<permission>', ARGUMENTS.permission)
    .argument('<scope>', ARGUMENTS.scope);
  withListOptions(command, '  gatehouse who grades location:01M7YAMY51QT61RYW2RQE37W98 --all').action(
    async (permission: string, scope: string, options: Options) => {
      assertArguments({ permission, scope });
      await answer(
        {
          ask: (lists, more) => lists.listSubjects(permission, scope, more),
          say: namesOf,
          names: ['subject', 'name'],
        },
        options,
        around,
      );
      finish(FINE);
    },
  );
};

/** `gatehouse menu`: what a subject may do at a scope. */
export const addMenu: Subcommand = (program, around, finish) => {
  const command = program
    .command('menu')
    .summary('what may this subject do there?')
    .description('Lists the pages and permissions that a subject may use at a scope.')
    .argument('<subject>', ARGUMENTS.subject)
    .argument('<scope>', ARGUMENTS.scope)
    .option('--kind <kind>', 'page or permission; both unless given');
  withListOptions(
    command,
    '  gatehouse menu user:01M7YAMYCAWSND2TZ7F47P6DYF location:01M7YAMY51QT61RYW2RQE37W98 --kind page',
  ).action(async (subject: string, scope: string, options: Options & { readonly kind?: string }) => {
    assertArguments({ subject, scope });
    const { kind } = options;
    if (kind !== undefined && kind !== 'page' && kind !== 'permission')
      throw new UsageError(`--kind ${kind} is neither page nor permission`);
    await answer(
      {
        ask: (lists, more) => lists.listPermissions(subject, scope, { ...more, kind }),
        say: descriptionsOf,
        names: ['permission', 'description'],
      },
      options,
      around,
    );
    finish(FINE);
  });
};

/** `gatehouse where`: the scopes at which a subject may use a permission. */
export const addWhere: Subcommand = (program, around, finish) => {
  const command = program
    .command('where')
    .summary('where may this subject do this?')
    .description('Lists the scopes at which a subject may use a permission.')
    .argument('<subject>', ARGUMENTS.subject)
    .argument('<permission>', ARGUMENTS.permission)
    .option('--type <type>', 'scopes of this type only, as building');
  withListOptions(
    command,
    '  gatehouse where user:01M7YAMYCAWSND2TZ7F47P6DYF doors:open:door --type building',
  ).action(async (subject: string, permission: string, options: Options & { readonly type?: string }) => {
    assertArguments({ subject, permission });
    const { type } = options;
    if (type !== undefined && !isType(type))
      throw new UsageError(`--type ${type} is no type of scope, as building`);
    await answer(
      {
        ask: (lists, more) => lists.listScopes(subject, permission, { ...more, type }),
        say: namesOf,
        names: ['scope', 'name'],
      },
      options,
      around,
    );
    finish(FINE);
  });
};
