import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { conflict, notFound } from '../../table/errors.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { type Key, nodeKey } from '../../table/keys.ts';
import type { ListQuery } from '../../table/reader.ts';
import type { Action } from '../../table/write/action.ts';
import { type Command, changesAccess, POSSIBLY, readCommand, writeCommand } from '../command.ts';
import { changeEdge, createEdgePlan, type Edge, removeEdge } from '../edges/edge.ts';
import { readEdge } from '../edges/read-edge.ts';
import { refuseUnknownType } from '../edges/rules.ts';
import { textOf, touch } from '../nodes/nodes.ts';
import type { AuditEntry, OneTransaction, Planning } from '../plan.ts';
import { type Attributes, visible } from '../visible.ts';
import { listCommand, type Selection } from './lists.ts';
import { itemTypeOf, labelOf } from './node-kind.ts';

/** Create, read, update, delete and list for a kind of edge. */
export interface EdgeKind {
  /** As in command names: `membership`. */
  readonly type: string;
  /** For the documents: "the membership of a user in a group". */
  readonly summary: string;
  /** Input fields that name the edge. */
  readonly identity: z.ZodObject;
  /** Further input fields of creation. */
  readonly details?: z.ZodObject;
  /** Input fields that an update may change, all optional. */
  readonly changes?: z.ZodObject;
  /** One of both: the instant since when it is there, that of its creation where it is left out. */
  readonly since?: 'joinedAt' | 'assignedAt';
  /** Checks what the input names. Returns the attributes of the edge that differ from the input. */
  readonly complete: (
    planning: Planning,
    input: Attributes,
  ) => Promise<{ readonly attributes?: Attributes; readonly tenant?: Ref | undefined }>;
  readonly keyOf: (identity: Attributes) => Key;
  readonly lists: readonly Selection[];
  /** The list of all, for kinds that are few. */
  readonly listAll?: ListQuery;
  /** The tenant whose log records changes of this edge; the global log when left out. */
  readonly tenantOf?: (planning: Planning, edge: Item) => Promise<Ref | undefined>;
  /** Throws when a value that is written contradicts what the table says elsewhere. */
  readonly check?: (planning: Planning, given: Attributes) => Promise<void>;
  /** Of an edge that several give: it ends with the last of them. */
  readonly origins?: OriginsOfEdge;
  /** Throws when an update would leave the edge with attributes that contradict each other. */
  readonly refuse?: (after: Attributes) => void;
}

/** The root of the scope of an edge; undefined when the scope was deleted meanwhile. */
export const rootOfEdge = async ({ reader }: Planning, edge: Item): Promise<Ref | undefined> => {
  const scope = await reader.get(nodeKey(parseRef(textOf(edge, 'scope'), 'scope')));
  return scope && parseRef(textOf(scope, 'root'), 'root');
};

interface OriginsOfEdge {
  /** Whether it is there already as a creation would have it. */
  readonly isGiven: (there: Item | undefined) => boolean;
  /** One that others give, given by a creation too. */
  readonly join: (there: Item, made: Item) => Item;
  /** Further input fields of deletion. */
  readonly details: z.ZodObject;
  /** What a deletion leaves; undefined: nothing. Throws where what is to go is not there. */
  readonly leave: (there: Item, input: Attributes) => Item | undefined;
}

export function edgeCommands(kind: EdgeKind): readonly Command[] {
  return [
    createCommand(kind),
    readEdgeCommand(kind),
    ...((kind.changes ?? kind.since) ? [updateCommand(kind)] : []),
    deleteCommand(kind),
    listEdges(kind),
  ];
}

const merged = (a: z.ZodObject, b: z.ZodObject | undefined): z.ZodObject =>
  z.strictObject({ ...a.shape, ...b?.shape });

const sinceOf = ({ since }: EdgeKind): z.ZodObject =>
  z.strictObject(since ? { [since]: field.instant.optional() } : {});

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
  throw notFound(Object.keys(kind.identity.shape).at(-1) ?? 'id', `this ${labelOf(kind)}`);
};

const edgeOf = (item: Item, kind: EdgeKind): Edge => {
  const edge = readEdge(item);
  if (!edge) throw conflict('id', `this is no ${labelOf(kind)}`);
  return edge;
};

function createCommand(kind: EdgeKind): Command {
  const details = merged(sinceOf(kind), kind.details);
  return writeCommand({
    name: `${kind.type}.create`,
    summary: `Creates ${kind.summary}.`,
    input: merged(kind.identity, details.extend({ ifExists: field.ifExists })),
    ...('effect' in details.shape
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
      const { origins } = kind;
      const since = kind.since ? { [kind.since]: input[kind.since] ?? planning.now } : {};
      const made = { ...kind.keyOf(input), Type: itemTypeOf(kind), ...input, ...since, ...attributes };
      const edge = edgeOf(made, kind);
      const isRead = ifExists !== undefined || (origins !== undefined && planning.again !== false);
      const item = isRead ? await planning.reader.get(kind.keyOf(input)) : undefined;
      const audit = { entity: auditRef(kind, edge.attributes), tenant };
      if (item && origins && !origins.isGiven(item)) {
        const joined = edgeOf(origins.join(item, made), kind);
        const after = { ...item, ...joined.attributes, updatedAt: planning.now };
        return change(changeEdge(edgeOf(item, kind), joined, planning.now), item, after, audit);
      }
      // Whether it is a conflict is known of what is there: others may have been faster.
      const there = ifExists && item ? { item, edge: edgeOf(item, kind) } : undefined;
      const isAnew = origins && ((found: Item | undefined) => !origins.isGiven(found));
      return createEdgePlan({ edge, input: given, audit, isAnew }, planning.now, there);
    },
  });
}

/** The plan that changes an edge. */
const change = (
  actions: readonly Action[],
  before: Item,
  after: Item,
  audit: AuditEntry,
  result: Attributes = visible(after),
): OneTransaction => ({
  actions,
  result,
  audit: { ...audit, before: visible(before), after: visible(after) },
});

function readEdgeCommand(kind: EdgeKind): Command {
  return readCommand({
    name: `${kind.type}.read`,
    summary: `Reads ${kind.summary}.`,
    input: kind.identity,
    run: async (context, identity: Attributes) => visible(await existing(context, kind, identity)),
  });
}

function updateCommand(kind: EdgeKind): Command {
  const changes = merged(sinceOf(kind), kind.changes);
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
      const audit = { entity: auditRef(kind, item), tenant: await kind.tenantOf?.(planning, item) };
      return change(changeEdge(old, edge, planning.now), item, after as Item, audit);
    },
  });
}

function deleteCommand(kind: EdgeKind): Command {
  return writeCommand({
    name: `${kind.type}.delete`,
    summary: `Deletes ${kind.summary}.`,
    input: kind.origins ? merged(kind.identity, kind.origins.details) : kind.identity,
    destructive: { undo: `${kind.type}.create with the same fields` },
    plan: async (planning, input: Attributes) => {
      const item = await existing(planning, kind, input);
      const edge = edgeOf(item, kind);
      const audit = { entity: auditRef(kind, item), tenant: await kind.tenantOf?.(planning, item) };
      const left = kind.origins?.leave(item, input);
      const result = { ...input, deleted: true };
      if (left) {
        const after = { ...left, updatedAt: planning.now };
        const actions = changeEdge(edge, edgeOf(after, kind), planning.now, touch);
        return change(actions, item, after, audit, { ...result, origins: left.origins });
      }
      return { actions: removeEdge(edge), result, audit: { ...audit, before: visible(item) } };
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
