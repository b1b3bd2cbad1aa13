import { createHash } from 'node:crypto';
import * as z from 'zod';
import { COMMANDS } from '../../provisioning/index.ts';

/** What can be loaded in bulk, as data: one more kind is one more entry. */
export interface RowKind {
  /** As on the command line: `users`. */
  readonly name: string;
  /** The command that a row becomes. */
  readonly create: string;
  /** The command that reads what may be there already. */
  readonly read: string;
  /** Field lists of which each names one thing, with all its values: what two rows cannot both have. */
  readonly keys: readonly (readonly string[])[];
  /** Fields by which what the create command has answered is read again. */
  readonly readBy: readonly string[];
  /** Fields that a reader is never shown: they cannot be compared. */
  readonly unseen: readonly string[];
}

export type Values = Readonly<Record<string, unknown>>;

export const ROW_KINDS: readonly RowKind[] = [
  {
    name: 'users',
    create: 'user.create',
    read: 'user.read',
    keys: [['id'], ['email'], ['phone'], ['username']],
    readBy: ['id'],
    unseen: ['mfaSecret', 'passwordHash'],
  },
  {
    name: 'memberships',
    create: 'membership.create',
    read: 'membership.read',
    keys: [['user', 'group']],
    readBy: ['user', 'group'],
    unseen: [],
  },
  {
    name: 'assignments',
    create: 'assignment.create',
    read: 'assignment.read',
    keys: [['user', 'scope', 'role']],
    readBy: ['user', 'scope', 'role'],
    unseen: [],
  },
];

export interface Field {
  readonly name: string;
  /** As JSON Schema says it: `string`, `boolean`, `integer`, … */
  readonly type: string;
  readonly isRequired: boolean;
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
  readonly required?: readonly string[];
}

export const schemaOf = (kind: RowKind): z.ZodType => {
  const command = COMMANDS.get(kind.create);
  if (!command) throw new Error(`${kind.create} is no command`);
  return command.input;
};

/** The fields of a row: those of the command. */
export function fieldsOf(kind: RowKind): readonly Field[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schemaOf(kind), { io: 'input' }) as InputSchema;
  return Object.entries(properties).map(([name, { type = 'string' }]) => ({
    name,
    type,
    isRequired: required.includes(name),
  }));
}

/** What no two rows can both have, as texts. */
export const keysOf = (kind: RowKind, values: Values): readonly string[] =>
  kind.keys
    .filter((names) => names.every((name) => values[name] !== undefined))
    .map((names) => JSON.stringify([kind.name, ...names.flatMap((name) => [name, values[name]])]));

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The operation of a row: of its kind and content alone, so that every run gives it the same one. */
export const operationOf = (kind: RowKind, values: Values): string =>
  `load:${kind.name}:${digest(JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))))}`;

/**
 * The operation that follows one whose outcome was undone by others: what it made at `madeAt` is gone again. It
 * rests on what the table remembers and on nothing else, so every run comes to the same one.
 */
export const operationAfter = (kind: RowKind, operation: string, madeAt: unknown): string =>
  `load:${kind.name}:${digest(`${operation} ${String(madeAt)}`)}`;
