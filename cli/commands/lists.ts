import { type Argument, type Command, Option } from 'commander';
import { createEngine, createLists, type Given, type ListOptions, type Lists } from '../../engine/index.ts';
import { descriptionsOf, namesOf, namesOfSubjects } from '../../provisioning/names/labels.ts';
import type { Page, Reader } from '../../table/reader.ts';
import { withChoices } from '../choices.ts';
import { connect } from '../connection.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import type { Context } from '../context.ts';
import { OK } from '../exit-codes.ts';
import { givenOption } from '../given.ts';
import { addHelpTexts } from '../help.ts';
import { asJson, columns, plain } from '../print.ts';
import {
  addPageOptions,
  atOption,
  permissionArgument,
  scopeArgument,
  subjectArgument,
  typeOption,
} from '../question.ts';
import { assertType, existing } from '../references.ts';
import type { Subcommand } from '../subcommand.ts';

interface Options extends ConnectionOptions {
  readonly at?: number;
  readonly strong?: boolean;
  readonly given?: Given;
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly kind?: 'page' | 'permission' | undefined;
  readonly type?: string | undefined;
}

/** A search of the engine as a subcommand of two arguments. */
interface Search {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly [Argument, Argument];
  /** What each argument is. */
  readonly kinds: readonly ['subject' | 'permission', 'permission' | 'scope'];
  readonly options?: readonly Option[];
  /** What `--type` is a type of. */
  readonly typesOf?: 'subject' | 'scope';
  readonly example: string;
  readonly search: (
    lists: Lists,
    given: readonly [string, string],
    options: ListOptions & Pick<Options, 'kind' | 'type'>,
  ) => Promise<Page<string>>;
  /** The label of each result. */
  readonly labels: (reader: Reader, items: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** The keys of a result and its label in `--json`. */
  readonly keys: readonly [string, string];
}

const subcommandOf =
  (search: Search): Subcommand =>
  (program, context, finish) => {
    const command: Command = program
      .command(search.name)
      .summary(search.summary)
      .description(search.description);
    for (const each of search.arguments) command.addArgument(each);
    for (const each of search.options ?? []) command.addOption(each);
    addPageOptions(command, 100)
      .option('--all', 'print all pages')
      .addOption(atOption())
      .addOption(givenOption())
      .option('--strong', 'read the table as it is now, instead of from caches');
    addHelpTexts(command, { examples: `  gatehouse ${search.name} ${search.example}` }).action(
      async (first: string, second: string, options: Options) => {
        await run(search, [first, second], options, context);
        finish(OK);
      },
    );
  };

async function run(
  { search, labels, keys, kinds, typesOf }: Search,
  typed: readonly [string, string],
  options: Options,
  context: Context,
): Promise<void> {
  const { limit, at = context.now(), kind, type } = options;
  const reader = await connect(options, context.env);
  if (typesOf && type !== undefined) await assertType(reader, typesOf, type);
  // A list of what does not exist would be empty.
  const given = await Promise.all([
    existing(reader, kinds[0], typed[0]),
    existing(reader, kinds[1], typed[1]),
  ]);
  const clock = { now: context.now };
  const lists = createLists({ reader, engine: createEngine({ reader, clock }), clock });
  const rows: (readonly [string, string | undefined])[] = [];
  let { cursor } = options;
  // A page that takes long ends before it is full, with a cursor: the next one continues.
  do {
    const page = await search(lists, given, {
      at,
      cursor,
      kind,
      type,
      ...options.given,
      consistency: options.strong ? 'strong' : 'cached',
      limit: options.all ? limit : limit - rows.length,
    });
    const texts = await labels(reader, page.items);
    rows.push(...page.items.map((item, position) => [item, texts[position]] as const));
    cursor = page.cursor;
  } while (cursor !== undefined && (options.all || rows.length < limit));
  if (options.json) {
    const items = rows.map(([item, label]) => ({
      [keys[0]]: item,
      ...(label === undefined ? {} : { [keys[1]]: label }),
    }));
    return context.out(asJson({ items, ...(cursor === undefined ? {} : { cursor }) }));
  }
  const lines =
    rows.length === 0 ? ['none'] : columns(rows.map(([item, label]) => [item, plain(label ?? '')]));
  context.out(`${lines.join('\n')}\n`);
  if (cursor !== undefined) context.error(`note: there may be more: --all, or --cursor ${cursor}\n`);
}

/** `gatehouse who`: the subjects that may use a permission at a scope. */
export const addWho = subcommandOf({
  name: 'who',
  summary: 'list the subjects that have a permission at a scope',
  description: 'Lists the subjects that have a permission at a scope, with their names.',
  arguments: [permissionArgument(), scopeArgument()],
  kinds: ['permission', 'scope'],
  options: [typeOption('subject', 'user')],
  typesOf: 'subject',
  example: "grades 'North School' --all",
  search: (lists, [permission, scope], options) => lists.listSubjects(permission, scope, options),
  labels: namesOfSubjects,
  keys: ['subject', 'name'],
});

/** `gatehouse menu`: what a subject may use at a scope. */
export const addMenu = subcommandOf({
  name: 'menu',
  summary: 'list the pages and permissions of a subject at a scope',
  description: 'Lists the pages and permissions that a subject has at a scope.',
  arguments: [subjectArgument(), scopeArgument()],
  kinds: ['subject', 'scope'],
  options: [
    withChoices(new Option('--kind <kind>', 'only pages, or only permissions'), ['page', 'permission']),
  ],
  example: "tina@school.example 'North School' --kind page",
  search: (lists, [subject, scope], options) => lists.listPermissions(subject, scope, options),
  labels: descriptionsOf,
  keys: ['permission', 'description'],
});

/** `gatehouse where`: the scopes at which a subject may use a permission. */
export const addWhere = subcommandOf({
  name: 'where',
  summary: 'list the scopes at which a subject has a permission',
  description: 'Lists the scopes at which a subject has a permission, with their names.',
  arguments: [subjectArgument(), permissionArgument()],
  kinds: ['subject', 'permission'],
  options: [typeOption('scope', 'building')],
  typesOf: 'scope',
  example: 'tina@school.example doors:open:door --type building',
  search: (lists, [subject, permission], options) => lists.listScopes(subject, permission, options),
  labels: namesOf,
  keys: ['scope', 'name'],
});
