import * as z from 'zod';
import { conflict, invalid, notFound } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { PageInput } from '../../table/patterns/pattern.ts';
import { pageOf } from '../../table/patterns/reads.ts';
import type { ListQuery, Reader } from '../../table/reader.ts';
import { viewOf } from '../../table/view.ts';
import { type Command, readCommand, writeCommand } from '../command.ts';
import { addEdge, changeEdge, type Edge, removeEdge } from '../edges/edge.ts';
import { type Shown, withNames } from '../edges/names.ts';
import { readEdge } from '../edges/read-edge.ts';
import { refuseUnknownType } from '../edges/rules.ts';
import type { Planning } from '../plan.ts';
import type { Attributes } from './node-kind.ts';
import { pageFields } from './node-lists.ts';

type ListOf = (value: string, reader: Reader) => ListQuery | Promise<ListQuery>;

/** Create, read, update, delete and list for a kind of edge. */
export interface EdgeKind {
  /** As in command names: `membership`. */
  readonly type: string;
  /** For the documents: "the membership of a user in a group". */
  readonly summary: string;
  /** Input fields that name the edge. */
  readonly identity: z.ZodObject;
  /** Further input fields of creation. */
  readonly details: z.ZodObject;
  /** Input fields that an update may change, all optional. */
  readonly changes?: z.ZodObject;
  /** Checks what the input names and makes the edge of it. */
  readonly make: (planning: Planning, input: Attributes) => Promise<{ edge: Edge; tenant?: Ref | undefined }>;
  readonly keyOf: (identity: Attributes) => Key;
  /** Input fields by one of which edges are listed, each with the list that it means. */
  readonly lists: Readonly<Record<string, { schema: z.ZodType; query: ListOf; shows?: Shown }>>;
  /** The list of all, for kinds that are few. */
  readonly listAll?: ListQuery;
  /** The tenant whose log records changes of this edge; the global log when left out. */
  readonly tenantOf?: (planning: Planning, edge: Item) => Promise<Ref | undefined>;
  /** Throws when an update would leave the edge with attributes that contradict each other. */
  readonly refuse?: (after: Attributes) => void;
}

export function edgeCommands(kind: EdgeKind): readonly Command[] {
  return [
    createCommand(kind),
    readEdgeCommand(kind),
    ...(kind.changes ? [updateCommand(kind, kind.changes)] : []),
    deleteCommand(kind),
    listCommand(kind),
  ];
}

const merged = (a: z.ZodObject, b: z.ZodObject): z.ZodObject => z.strictObject({ ...a.shape, ...b.shape });

/** The audit record names an edge by what it ties. */
const auditRef = (kind: EdgeKind, item: Attributes): Ref => ({
  type: kind.type,
  id: Object.keys(kind.identity.shape)
    .map((name) => String(item[name]))
    .join(' '),
});

const existing = async (
  planning: { reader: Planning['reader'] },
  kind: EdgeKind,
  identity: Attributes,
): Promise<Item> => {
  const item = await planning.reader.get(kind.keyOf(identity));
  if (item) return item;
  await refuseUnknownType(planning.reader, identity);
  throw notFound(Object.keys(kind.identity.shape).at(-1) ?? 'id', `this ${kind.type}`);
};

const edgeOf = (item: Item, kind: EdgeKind): Edge => {
  const edge = readEdge(item);
  if (!edge) throw conflict('id', `this is not a ${kind.type}`);
  return edge;
};

function createCommand(kind: EdgeKind): Command {
  return writeCommand({
    name: `${kind.type}.create`,
    summary: `Creates ${kind.summary}.`,
    input: merged(kind.identity, kind.details),
    plan: async (planning, input: Attributes) => {
      const { edge, tenant } = await kind.make(planning, input);
      const result = { ...edge.attributes, createdAt: planning.now, updatedAt: planning.now };
      return {
        actions: addEdge(edge, planning.now),
        result,
        audit: { entity: auditRef(kind, edge.attributes), tenant, after: result },
      };
    },
  });
}

function readEdgeCommand(kind: EdgeKind): Command {
  return readCommand({
    name: `${kind.type}.read`,
    summary: `Reads ${kind.summary}.`,
    input: kind.identity,
    run: async (context, identity: Attributes) => viewOf(await existing(context, kind, identity)),
  });
}

function updateCommand(kind: EdgeKind, changes: z.ZodObject): Command {
  const names = Object.keys(changes.shape);
  return writeCommand({
    name: `${kind.type}.update`,
    summary: `Changes ${kind.summary}.`,
    input: merged(kind.identity, changes).refine(
      (given) => names.some((name) => given[name] !== undefined),
      `nothing to change: give ${names.join(' or ')}`,
    ),
    plan: async (planning, input: Attributes) => {
      const item = await existing(planning, kind, input);
      const changed = Object.fromEntries(
        names.filter((name) => name in input).map((name) => [name, input[name]]),
      );
      const after: Record<string, unknown> = { ...item, ...changed, updatedAt: planning.now };
      for (const name of names) if (after[name] === null) delete after[name];
      kind.refuse?.(after);
      const [old, edge] = [edgeOf(item, kind), edgeOf(after as Item, kind)];
      return {
        actions: changeEdge(old, edge, planning.now),
        result: viewOf(after as Item),
        audit: {
          entity: auditRef(kind, item),
          tenant: await kind.tenantOf?.(planning, item),
          before: viewOf(item),
          after: viewOf(after as Item),
        },
      };
    },
  });
}

function deleteCommand(kind: EdgeKind): Command {
  return writeCommand({
    name: `${kind.type}.delete`,
    summary: `Deletes ${kind.summary}.`,
    input: kind.identity,
    plan: async (planning, identity: Attributes) => {
      const item = await existing(planning, kind, identity);
      return {
        actions: removeEdge(edgeOf(item, kind)),
        result: { ...identity, deleted: true },
        audit: {
          entity: auditRef(kind, item),
          tenant: await kind.tenantOf?.(planning, item),
          before: viewOf(item),
        },
      };
    },
  });
}

function listCommand(kind: EdgeKind): Command {
  const names = Object.keys(kind.lists);
  const shape = Object.fromEntries(
    Object.entries(kind.lists).map(([name, { schema }]) => [name, schema.optional()]),
  );
  // Where there are names to show, a list takes them along when it is asked to.
  const isShowing = Object.values(kind.lists).some(({ shows }) => shows !== undefined);
  const display = isShowing ? { withNames: z.boolean().optional() } : {};
  const one = `exactly one of ${names.join(', ')} is needed`;
  return readCommand({
    name: `${kind.type}.list`,
    summary: `Lists ${kind.summary.replace(/^(the|a|an) /, 'every ')}${names.length > 0 ? ` of one ${names.join(' or ')}` : ''}, page by page.`,
    input: z.strictObject({ ...shape, ...display, ...pageFields }),
    run: async ({ reader }, { limit, cursor, withNames: wanted, ...by }: Attributes & PageInput) => {
      const [[name, value] = [], ...more] = Object.entries(by).filter(([, given]) => given !== undefined);
      const query = name === undefined ? kind.listAll : await kind.lists[name]?.query(String(value), reader);
      if (!query || more.length > 0) throw invalid(more[0]?.[0] ?? names[0] ?? 'input', one);
      const page = await pageOf(reader, query, { limit, cursor });
      const shows = name === undefined ? undefined : kind.lists[name]?.shows;
      return wanted === true && shows ? withNames(reader, page, shows) : page;
    },
  });
}
