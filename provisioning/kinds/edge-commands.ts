import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { conflict, notFound } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { ListQuery } from '../../table/reader.ts';
import { type Command, changesAccess, POSSIBLY, readCommand, writeCommand } from '../command.ts';
import { changeEdge, createEdgePlan, type Edge, edgeInWords, removeEdge } from '../edges/edge.ts';
import { readEdge } from '../edges/read-edge.ts';
import { refuseUnknownType } from '../edges/rules.ts';
import type { Planning } from '../plan.ts';
import { type Attributes, visible } from '../visible.ts';
import { listCommand, type Selection } from './lists.ts';

/** Create, read, update, delete and list for a kind of edge. */
export interface EdgeKind {
  /** As in command names: `membership`. */
  readonly type: string;
  /** `Type` of its items. */
  readonly label: string;
  /** For the documents: "the membership of a user in a group". */
  readonly summary: string;
  /** Input fields that name the edge. */
  readonly identity: z.ZodObject;
  /** Further input fields of creation. */
  readonly details: z.ZodObject;
  /** Input fields that an update may change, all optional. */
  readonly changes?: z.ZodObject;
  /** Checks what the input names. Returns the attributes of the edge that differ from the input. */
  readonly complete: (
    planning: Planning,
    input: Attributes,
  ) => Promise<{ readonly attributes: Attributes; readonly tenant?: Ref | undefined }>;
  readonly keyOf: (identity: Attributes) => Key;
  readonly lists: readonly Selection[];
  /** The list of all, for kinds that are few. */
  readonly listAll?: ListQuery;
  /** The tenant whose log records changes of this edge; the global log when left out. */
  readonly tenantOf?: (planning: Planning, edge: Item) => Promise<Ref | undefined>;
  /** Throws when a value that is written contradicts what the table says elsewhere. */
  readonly check?: (planning: Planning, given: Attributes) => Promise<void>;
  /** Throws when an update would leave the edge with attributes that contradict each other. */
  readonly refuse?: (after: Attributes) => void;
}

export function edgeCommands(kind: EdgeKind): readonly Command[] {
  return [
    createCommand(kind),
    readEdgeCommand(kind),
    ...(kind.changes ? [updateCommand(kind, kind.changes)] : []),
    deleteCommand(kind),
    listEdges(kind),
  ];
}

const merged = (a: z.ZodObject, b: z.ZodObject): z.ZodObject => z.strictObject({ ...a.shape, ...b.shape });

/** The audit record names an edge by its ends. */
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
  throw notFound(Object.keys(kind.identity.shape).at(-1) ?? 'id', `this ${edgeInWords(kind.label)}`);
};

const edgeOf = (item: Item, kind: EdgeKind): Edge => {
  const edge = readEdge(item);
  if (!edge) throw conflict('id', `this is no ${edgeInWords(kind.label)}`);
  return edge;
};

function createCommand(kind: EdgeKind): Command {
  return writeCommand({
    name: `${kind.type}.create`,
    summary: `Creates ${kind.summary}.`,
    input: merged(kind.identity, kind.details.extend({ ifExists: field.ifExists })),
    ...('effect' in kind.details.shape
      ? {
          destructive: {
            undo: `${kind.type}.delete`,
            ...POSSIBLY,
            possiblyWhen: ({ effect }) => effect === 'DENY',
          },
        }
      : {}),
    plan: async (planning, given: Attributes) => {
      const { ifExists, ...input } = given;
      const { attributes, tenant } = await kind.complete(planning, input);
      await kind.check?.(planning, input);
      const edge = edgeOf({ ...kind.keyOf(input), Type: kind.label, ...input, ...attributes }, kind);
      const item = ifExists === undefined ? undefined : await planning.reader.get(kind.keyOf(input));
      const audit = { entity: auditRef(kind, edge.attributes), tenant };
      const there = item && { item, edge: edgeOf(item, kind) };
      return createEdgePlan({ edge, input: given, audit }, planning.now, there);
    },
  });
}

function readEdgeCommand(kind: EdgeKind): Command {
  return readCommand({
    name: `${kind.type}.read`,
    summary: `Reads ${kind.summary}.`,
    input: kind.identity,
    run: async (context, identity: Attributes) => visible(await existing(context, kind, identity)),
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
    ...(changesAccess(changes.shape)
      ? {
          destructive: { undo: `${kind.type}.update with the values that it had`, ...POSSIBLY },
        }
      : {}),
    plan: async (planning, input: Attributes) => {
      const item = await existing(planning, kind, input);
      await kind.check?.(planning, input);
      const changed = Object.fromEntries(
        names.filter((name) => name in input).map((name) => [name, input[name]]),
      );
      const after: Record<string, unknown> = { ...item, ...changed, updatedAt: planning.now };
      for (const name of names) if (after[name] === null) delete after[name];
      kind.refuse?.(after);
      const [old, edge] = [edgeOf(item, kind), edgeOf(after as Item, kind)];
      return {
        actions: changeEdge(old, edge, planning.now),
        result: visible(after as Item),
        audit: {
          entity: auditRef(kind, item),
          tenant: await kind.tenantOf?.(planning, item),
          before: visible(item),
          after: visible(after as Item),
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
    destructive: { undo: `${kind.type}.create with the same fields` },
    plan: async (planning, identity: Attributes) => {
      const item = await existing(planning, kind, identity);
      return {
        actions: removeEdge(edgeOf(item, kind)),
        result: { ...identity, deleted: true },
        audit: {
          entity: auditRef(kind, item),
          tenant: await kind.tenantOf?.(planning, item),
          before: visible(item),
        },
      };
    },
  });
}

function listEdges({ type, summary, lists, listAll }: EdgeKind): Command {
  const names = [...new Set(lists.flatMap(({ fields }) => Object.keys(fields)))];
  const ofOne = names.length > 0 ? `: of one ${names.join(' or ')}` : '';
  return listCommand({
    name: `${type}.list`,
    summary: `Lists ${summary.replace(/^(the|a|an) /, 'every ')}, page by page${ofOne}.`,
    by: lists,
    ...(listAll ? { all: listAll } : {}),
  });
}
