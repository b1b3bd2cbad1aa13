import { createEngine, createLists, type ListOptions, type Lists } from '../../engine/index.ts';
import { descriptionsOf, namesOf, namesOfSubjects } from '../../provisioning/index.ts';
import type { Page, Reader } from '../../table/reader.ts';
import { ACTING, actorOf, assertActing } from '../acting.ts';
import { connect } from '../connection.ts';
import {
  choice,
  flag,
  type OptionKind,
  type Positional,
  pageOptions,
  permissionArgument,
  scopeArgument,
  subjectArgument,
  typeOf,
} from '../options.ts';
import { columns, plain } from '../print.ts';
import { assertType, existing, isReference } from '../references.ts';
import { type Named, type Subcommand, subcommand } from '../subcommand.ts';
import { answerThen, THEN, unknownText } from '../then.ts';

interface Only {
  readonly kind?: 'page' | 'permission' | undefined;
  readonly type?: string | undefined;
}

/** A search of the engine as a subcommand of two arguments. */
interface Search extends Named {
  readonly arguments: readonly [Positional<string>, Positional<string>];
  /** What each argument is. */
  readonly kinds: readonly ['subject' | 'permission', 'permission' | 'scope'];
  readonly options: { readonly [K in keyof Only]: OptionKind<Only[K]> };
  /** What `--type` is a type of. */
  readonly typesOf?: 'subject' | 'scope';
  readonly example: string;
  readonly search: (
    lists: Lists,
    given: readonly [string, string],
    options: ListOptions & Only,
  ) => Promise<Page<string>>;
  /** The label of each result. */
  readonly labels: (reader: Reader, items: readonly string[]) => Promise<readonly (string | undefined)[]>;
  /** The keys of a result and its label in `--json`. */
  readonly keys: readonly [string, string];
}

const searchCommand = ({ search, labels, keys, kinds, typesOf, example, ...of }: Search): Subcommand =>
  subcommand({
    ...of,
    options: {
      ...of.options,
      ...pageOptions(100),
      all: flag('print all pages'),
      ...THEN,
      ...ACTING,
      strong: flag('read the table as it is now, instead of from caches'),
    },
    examples: `  gatehouse ${of.name} ${example}`,
    run: async (typed, options, context) => {
      const { limit, kind, type, all, json } = options;
      const reader = await connect(options, context);
      const named = await Promise.all(
        typed.map((text, n) => meant(reader, kinds[n as 0 | 1], text, options.at)),
      );
      const actor = await actorOf(reader, options);
      const { answer, unknown, doubtful } = await answerThen(reader, options, context.now, {
        ask: async ({ table, clock, at }) => {
          if (typesOf && type !== undefined) await assertType(table, typesOf, type);
          // A list of what does not exist would be empty.
          const given = await Promise.all([
            existing(table, kinds[0], named[0] ?? ''),
            existing(table, kinds[1], named[1] ?? ''),
          ]);
          await assertActing(table, actor);
          const lists = createLists({ reader: table, engine: createEngine({ reader: table, clock }), clock });
          const rows: (readonly [string, string | undefined])[] = [];
          let { cursor } = options;
          // A page that takes long ends before it is full, with a cursor: the next one continues.
          do {
            const page = await search(lists, given, {
              at,
              actor,
              cursor,
              kind,
              type,
              ...options.given,
              consistency: options.strong ? 'strong' : 'cached',
              limit: all ? limit : limit - rows.length,
            });
            const texts = await labels(table, page.items);
            rows.push(...page.items.map((item, position) => [item, texts[position]] as const));
            cursor = page.cursor;
          } while (cursor !== undefined && (all || rows.length < limit));
          return { rows, cursor };
        },
        sameAs: ({ rows }) => String(rows.map(([item]) => item)),
        listsSubjects: typesOf === 'subject',
      });
      if (unknown)
        return { data: { items: [], unknown }, text: (paint) => unknownText(paint, unknown), refused: true };
      const { cursor } = answer;
      const rows = answer.rows.filter(([item]) => !doubtful.has(item));
      const lines =
        rows.length === 0 ? ['none'] : columns(rows.map(([item, label]) => [item, plain(label ?? '')]));
      const notKnown = [...doubtful].map(([item, why]) => ({ [keys[0]]: item, why }));
      return {
        data: {
          items: rows.map(([item, label]) => ({ [keys[0]]: item, [keys[1]]: label })),
          ...(notKnown.length > 0 ? { unknown: notKnown } : {}),
          cursor,
        },
        text: `${lines.join('\n')}\n`,
        notes: [
          ...(json ? [] : [...doubtful].map(([item, why]) => `${item} is not known: ${plain(why)}`)),
          ...(cursor === undefined || json ? [] : [`there may be more: --all, or --cursor ${cursor}`]),
        ],
        refused: notKnown.length > 0,
      };
    },
  });

/** What a text means: of the table as it was, a reference is taken as it is. */
const meant = async (reader: Reader, kind: Search['kinds'][number], text: string, at: number | undefined) =>
  at !== undefined && (kind === 'permission' || isReference({ kind }, text))
    ? text
    : existing(reader, kind, text);

/** `gatehouse who`: the subjects that may use a permission at a scope. */
export const addWho = searchCommand({
  name: 'who',
  summary: 'list the subjects that have a permission at a scope',
  description: 'Lists the subjects that have a permission at a scope, with their names.',
  arguments: [permissionArgument, scopeArgument],
  kinds: ['permission', 'scope'],
  options: { type: typeOf('subject', 'user') },
  typesOf: 'subject',
  example: "grades 'North School' --all",
  search: (lists, [permission, scope], options) => lists.listSubjects(permission, scope, options),
  labels: namesOfSubjects,
  keys: ['subject', 'name'],
});

/** `gatehouse menu`: what a subject may use at a scope. */
export const addMenu = searchCommand({
  name: 'menu',
  summary: 'list the pages and permissions of a subject at a scope',
  description: 'Lists the pages and permissions that a subject has at a scope.',
  arguments: [subjectArgument, scopeArgument],
  kinds: ['subject', 'scope'],
  options: { kind: choice('<kind>', 'only pages, or only permissions', ['page', 'permission']) },
  example: "tina@school.example 'North School' --kind page",
  search: (lists, [subject, scope], options) => lists.listPermissions(subject, scope, options),
  labels: descriptionsOf,
  keys: ['permission', 'description'],
});

/** `gatehouse where`: the scopes at which a subject may use a permission. */
export const addWhere = searchCommand({
  name: 'where',
  summary: 'list the scopes at which a subject has a permission',
  description: 'Lists the scopes at which a subject has a permission, with their names.',
  arguments: [subjectArgument, permissionArgument],
  kinds: ['subject', 'permission'],
  options: { type: typeOf('scope', 'building') },
  typesOf: 'scope',
  example: 'tina@school.example doors:open:door --type building',
  search: (lists, [subject, permission], options) => lists.listScopes(subject, permission, options),
  labels: namesOf,
  keys: ['scope', 'name'],
});
