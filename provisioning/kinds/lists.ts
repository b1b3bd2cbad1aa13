import * as z from 'zod';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES, type EntityType, isScopeType } from '../../table/entities/registry.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { allOf, inTenant, withStatus } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import { nodeWith, ownedBy } from '../../table/partition-queries.ts';
import type { ListQuery, MergedQuery, Page, Reader } from '../../table/reader.ts';
import { type Command, readCommand } from '../command.ts';
import { type Names, withNames } from '../edges/names-beside-ids.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { type Attributes, visible } from '../visible.ts';
import { labelOf } from './node-kind.ts';

type Query = ListQuery | MergedQuery;
type Fields = Readonly<Record<string, z.ZodType>>;

/** One way to select what a list shows. */
export interface Selection {
  /** Input fields that are given together. */
  readonly fields: Fields;
  /** Input fields that may be given with them. */
  readonly optional?: Fields;
  readonly query: (given: never, reader: Reader) => Query | Promise<Query>;
  /** What `withNames` adds to each item. */
  readonly names?: Names;
}

type Given<F extends Fields> = { readonly [name in keyof F]: z.infer<F[name]> };

/** A selection whose query is typed by its fields. */
export const by = <F extends Fields, O extends Fields = Record<never, never>>(
  fields: F,
  query: (given: Given<F> & Partial<Given<O>>, reader: Reader) => Query | Promise<Query>,
  more: { readonly optional?: O; readonly names?: Names } = {},
): Selection => ({ fields, query: query as Selection['query'], ...more });

/** Of lists by time: from an instant on, until before another; in the order of time, or in the opposite one. */
export const period = { optional: { from: field.instant, until: field.end, descending: z.boolean() } };

interface ListSpec {
  readonly name: string;
  readonly summary: string;
  readonly by?: readonly Selection[];
  /** The list when no field is given; one of the selections is needed when left out. */
  readonly all?: Query;
  /** What `withNames` answers beside the items: names by reference. */
  readonly namesIn?: (
    reader: Reader,
    items: readonly Item[],
    given: Attributes,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Each item gets the reference of its node, or of the node that its edge leads to. */
  readonly withRefs?: true;
}

/** A command that lists by one of several selections, page by page. */
export function listCommand({
  name,
  summary,
  by: selections = [],
  all,
  withRefs,
  namesIn,
}: ListSpec): Command {
  const fields = Object.assign({}, ...selections.flatMap((each) => [each.fields, each.optional])) as Fields;
  const names = Object.keys(fields);
  const hasNames = namesIn !== undefined || selections.some((each) => each.names !== undefined);
  const choices = selections.map((each) => Object.keys(each.fields).join(' and ')).filter(Boolean);
  const one =
    choices.length === 1
      ? `give ${choices[0]}`
      : `give ${all ? 'at most' : 'exactly'} one of ${choices.join(', ')}`;

  const selectionOf = (given: Attributes): Selection | undefined => {
    const has = names.filter((each) => given[each] !== undefined);
    return selections.find(
      (each) =>
        Object.keys(each.fields).every((needed) => has.includes(needed)) &&
        has.every((known) => known in each.fields || known in (each.optional ?? {})),
    );
  };
  const input = z
    .strictObject({
      ...Object.fromEntries(Object.entries(fields).map(([each, schema]) => [each, schema.optional()])),
      ...(hasNames ? { withNames: z.boolean().optional() } : {}),
      ...PAGE,
    })
    .superRefine((given: Attributes, context) => {
      const first = names.find((each) => given[each] !== undefined);
      if (selectionOf(given) || (all && first === undefined)) return;
      context.addIssue({ code: 'custom', path: [first ?? names[0] ?? 'input'], message: one });
    });
  return readCommand({
    name,
    summary,
    input,
    run: async ({ reader }, { limit, cursor, withNames: wanted, ...given }: Attributes & PageInput) => {
      const selection = selectionOf(given);
      const query = (await selection?.query(given as never, reader)) ?? (all as Query);
      const page = { ...query, limit, cursor };
      const found = 'partitions' in page ? await reader.listMerged(page) : await reader.list(page);
      const items = found.items.map((item) => ({
        ...visible(item),
        ...(withRefs ? { ref: formatRef(refAt(item)) } : {}),
      }));
      const answer: Page<Attributes> = { ...found, items };
      if (wanted === true && namesIn) return { ...answer, names: await namesIn(reader, found.items, given) };
      return wanted === true && selection?.names ? withNames(reader, answer, selection.names) : answer;
    },
  });
}

/** Input fields of lists: which page. */
export const PAGE = { limit: field.limit.optional(), cursor: field.cursor.optional() };

interface PageInput {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A node, or the node that an edge leads to. */
function refAt(key: Key): Ref {
  const parsed = parseKey(key);
  if (parsed?.form === 'node') return { type: parsed.type, id: parsed.id };
  const [to] = parsed?.form === 'edge' ? parsed.to : [];
  if (to) return to;
  throw new GatehouseError('damaged_item', `${key.PK} / ${key.SK} is neither a node nor an edge`);
}

/**
 * The list of a kind: of what one scope owns, where it hangs on a scope, and of all, from the index; that follows the
 * table by a moment.
 */
export function listOfKind(type: EntityType): Command {
  const { hangsOn: [owner = ''] = [] }: Entity = ENTITIES[type];
  const isOwned = owner === 'scope' || isScopeType(owner);
  return listCommand({
    name: `${type}.list`,
    summary: `Lists every ${labelOf(ENTITIES[type])}, ${isOwned ? `of one ${owner} or all, ` : ''}page by page.`,
    by: isOwned ? [ownedByScope(owner, type)] : [],
    all: allOf(type),
  });
}

/** A node with what it owns or uses, in one Query. */
export const readAllCommand = (
  type: EntityType,
  summary: string,
  types: readonly string[],
  keep?: ListQuery['keep'],
): Command =>
  listCommand({
    name: `${type}.read-all`,
    summary,
    by: [by({ id: field.id }, ({ id }) => nodeWith({ type, id }, types, keep))],
    withRefs: true,
  });

/** What belongs to one tenant, by the time that the registry names. */
export function ofTenant(type: EntityType): Selection {
  const tenant = (ENTITIES[type] as Entity).inTenant?.tenant ?? 'tenant';
  return by(
    { [tenant]: field.ref },
    async ({ [tenant]: given, ...time }, reader) =>
      inTenant(type, await readScopeRef(reader, String(given), tenant), time),
    period,
  );
}

/** What has one status, by the date that the registry names. */
export function ofStatus(type: EntityType): Selection {
  const { attributes, byStatus }: Entity = ENTITIES[type];
  const status = byStatus?.status ?? 'status';
  return by(
    { [status]: attributes.shape[status] as z.ZodType<string> },
    ({ [status]: given, ...time }) => withStatus(type, String(given), time),
    period,
  );
}

/** What one scope owns of a type, by a reference to the scope. */
export const ownedByScope = (name: string, type: string): Selection =>
  by({ [name]: field.ref }, async (given, reader) =>
    ownedBy(await readScopeRef(reader, String(given[name]), name), type),
  );
