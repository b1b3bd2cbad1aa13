import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { COMMANDS, describeCommand, type Field, fieldsOf } from '../../provisioning/index.ts';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';

/** What can be loaded in bulk: rows of one kind become one command of provisioning each. */
export interface RowKind {
  /** As on the command line: `users`. */
  readonly name: string;
  /** As in the commands: `user`. */
  readonly type: string;
  /** The input of its create command. */
  readonly schema: z.ZodType;
  readonly fields: readonly Field[];
  /** The fields by which one is told from all others. */
  readonly readBy: readonly string[];
  /** These fields as its read command takes them. */
  readonly toName: (by: Values) => Values;
  /** Lists of fields whose values two rows cannot share. */
  readonly keys: readonly (readonly string[])[];
  /** Fields that name nodes which other rows may name too: two transactions under way do not share one. */
  readonly nodes: readonly string[];
  /** Whether its rows create what later ones may name. */
  readonly isNamedInRows: boolean;
  /** Fields that no answer shows, so they cannot be compared. */
  readonly secret: readonly string[];
}

export type Values = Readonly<Record<string, unknown>>;

/** A node, read by its id, or its reference where its type is data; a user also has the fields that its guards keep unique. */
function nodeKind(name: string, type: 'user' | 'subject'): RowKind {
  const { guards, secret = [], typeFrom, namedIn }: Entity = ENTITIES[type];
  const readBy = [...(typeFrom ? [typeFrom] : []), 'id'];
  const unique = guards.map(({ within = [], field }) => [...within, field]);
  return {
    name,
    type,
    ...inputOf(type),
    readBy,
    toName: typeFrom && namedIn ? (by) => ({ [namedIn]: `${by[typeFrom]}:${by.id}` }) : (by) => by,
    keys: [readBy, ...unique],
    nodes: ['tenant'],
    secret,
    isNamedInRows: true,
  };
}

/** An edge, read by its ends: the fields that its create command requires. */
function edgeKind(name: string, type: 'membership' | 'assignment'): RowKind {
  const { schema, fields } = inputOf(type);
  const ends = fields.filter(({ isRequired }) => isRequired).map((field) => field.name);
  return {
    name,
    type,
    schema,
    fields,
    readBy: ends,
    toName: (by) => by,
    keys: [ends],
    nodes: ends,
    secret: [],
    isNamedInRows: false,
  };
}

function inputOf(type: string): Pick<RowKind, 'schema' | 'fields'> {
  const name = `${type}.create`;
  const [schema, described] = [COMMANDS.get(name)?.input, describeCommand(name)];
  if (!schema || !described) throw new Error(`there is no command ${name}`);
  return { schema, fields: fieldsOf(described) };
}

export const ROW_KINDS: readonly RowKind[] = [
  nodeKind('users', 'user'),
  nodeKind('subjects', 'subject'),
  edgeKind('memberships', 'membership'),
  edgeKind('assignments', 'assignment'),
];

/** What no two rows can share, as texts. */
export const keysOf = (kind: RowKind, values: Values): readonly string[] =>
  kind.keys
    .filter((names) => names.every((name) => values[name] !== undefined))
    .map((names) => JSON.stringify(names.map((name) => [name, values[name]])));

/** The nodes that a row names, as texts. */
export const nodesOf = (kind: RowKind, values: Values): readonly string[] =>
  kind.nodes.flatMap((name) => (values[name] === undefined ? [] : [`${name} ${String(values[name])}`]));

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The operation id of a row: made of its kind and content alone, so every run gives it the same one. */
export const operationOf = (kind: RowKind, values: Values): string =>
  `load:${kind.name}:${digest(JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))))}`;

/**
 * The operation id that follows one whose result, created at `createdAt`, was deleted since. It depends only on
 * what the table has on record, so every run derives the same one.
 */
export const operationAfter = (kind: RowKind, operation: string, createdAt: unknown): string =>
  `load:${kind.name}:${digest(`${operation} ${String(createdAt)}`)}`;
