import { FIELDS } from '../../parts/fields.ts';
import type { Change } from './changes.ts';

/** The changes that people think of first: what a form asks for, and the command that it makes. */

/** What is chosen by its name. */
type Chosen = 'subject' | 'scope' | 'group' | 'role' | 'permission';

/** A field of a form. */
export type Field =
  | { readonly name: string; readonly label: string; readonly of: Chosen }
  | { readonly name: string; readonly label: string; readonly of: 'instant' }
  | {
      readonly name: string;
      readonly label: string;
      readonly of: 'choice';
      readonly choices: readonly string[];
    }
  | { readonly name: string; readonly label: string; readonly of: 'expression' };

/** What is in a form: references, names of permissions, and texts, by field. */
export type Values = Readonly<Record<string, string>>;

export interface Usual {
  readonly label: string;
  readonly fields: readonly Field[];
  /** The command for values of all fields that are needed. */
  readonly toChange: (values: Values) => Change;
}

const split = (ref: string): { readonly type: string; readonly id: string } => {
  const colon = ref.indexOf(':');
  return { type: ref.slice(0, colon), id: ref.slice(colon + 1) };
};
const idOf = (ref = ''): string => split(ref).id;

/** A user by id, any other subject by reference: as commands take it. */
const userOf = (ref = ''): string => (ref.startsWith('user:') ? idOf(ref) : ref);

/** The status that closes a scope of a built-in type; types that are added have `suspended`. */
export const CLOSED: Readonly<Record<string, string>> = {
  tenant: 'suspended',
  location: 'suspended',
  client: 'suspended',
  account: 'suspended',
  enterprise: 'suspended',
  project: 'on-hold',
  building: 'inactive',
  zone: 'inactive',
  device: 'inactive',
  workstream: 'inactive',
};

const scopeChange = (ref = '', isClosed: boolean): Change => {
  const { type, id } = split(ref);
  const closed = Object.hasOwn(CLOSED, type) ? CLOSED[type] : undefined;
  if (closed === undefined)
    return { command: 'scope.update', input: { scope: ref, status: isClosed ? 'suspended' : 'active' } };
  return { command: `${type}.update`, input: { id, status: isClosed ? closed : 'active' } };
};

/** The status that closes a subject, by type. */
export const DISABLED: Readonly<Record<string, string>> = { user: 'disabled', 'technical-user': 'inactive' };

const subjectChange = (ref = '', isDisabled: boolean): Change => {
  const { type, id } = split(ref);
  const disabled = Object.hasOwn(DISABLED, type) ? DISABLED[type] : undefined;
  if (disabled === undefined)
    return { command: 'subject.update', input: { user: ref, status: isDisabled ? 'disabled' : 'active' } };
  return { command: `${type}.update`, input: { id, status: isDisabled ? disabled : 'active' } };
};

/** A day or an instant of a form, which is of UTC, as commands take it. */
const instantOf = (text: string): string => `${text.length === 16 ? `${text}:00` : text}Z`;

const SUBJECT: Field = { name: 'subject', label: FIELDS.subject, of: 'subject' };
const GROUP: Field = { name: 'group', label: 'Group', of: 'group' };
const ROLE: Field = { name: 'role', label: 'Role', of: 'role' };
const SCOPE: Field = { name: 'scope', label: FIELDS.scope, of: 'scope' };
const PERMISSION: Field = { name: 'permission', label: `${FIELDS.permission} or pattern`, of: 'permission' };
const FROM: Field = { name: 'from', label: 'From (UTC; optional)', of: 'instant' };
const UNTIL: Field = { name: 'until', label: 'Until (UTC; optional)', of: 'instant' };
const EFFECT: Field = { name: 'effect', label: 'Effect', of: 'choice', choices: ['ALLOW', 'DENY'] };
const WHEN: Field = { name: 'when', label: 'Condition in CEL (optional)', of: 'expression' };

export const USUAL = {
  leave: {
    label: 'Leave a group',
    fields: [SUBJECT, GROUP],
    toChange: ({ subject, group }) => ({
      command: 'membership.delete',
      input: { user: userOf(subject), group: idOf(group) },
    }),
  },
  join: {
    label: 'Join a group',
    fields: [SUBJECT, GROUP],
    toChange: ({ subject, group }) => ({
      command: 'membership.create',
      input: { user: userOf(subject), group: idOf(group) },
    }),
  },
  give: {
    label: 'Give a role at a scope',
    fields: [SUBJECT, ROLE, SCOPE, FROM, UNTIL],
    toChange: ({ subject, role, scope, from, until }) => ({
      command: 'assignment.create',
      input: {
        user: userOf(subject),
        role: idOf(role),
        scope,
        ...(from ? { startsAt: instantOf(from) } : {}),
        ...(until ? { endsAt: instantOf(until) } : {}),
      },
    }),
  },
  take: {
    label: 'Take a role at a scope away',
    fields: [SUBJECT, ROLE, SCOPE],
    toChange: ({ subject, role, scope }) => ({
      command: 'assignment.delete',
      input: { user: userOf(subject), role: idOf(role), scope },
    }),
  },
  suspend: {
    label: 'Suspend a tenant or scope',
    fields: [SCOPE],
    toChange: ({ scope }) => scopeChange(scope, true),
  },
  resume: {
    label: 'Resume a tenant or scope',
    fields: [SCOPE],
    toChange: ({ scope }) => scopeChange(scope, false),
  },
  disable: {
    label: 'Disable a user',
    fields: [SUBJECT],
    toChange: ({ subject }) => subjectChange(subject, true),
  },
  enable: {
    label: 'Enable a user',
    fields: [SUBJECT],
    toChange: ({ subject }) => subjectChange(subject, false),
  },
  ungroup: {
    label: 'Remove a group',
    fields: [GROUP],
    toChange: ({ group }) => ({ command: 'group.delete', input: { id: idOf(group) } }),
  },
  permit: {
    label: 'Add a permission to a role',
    fields: [ROLE, PERMISSION, EFFECT, WHEN],
    toChange: ({ role, permission, effect = 'ALLOW', when }) => ({
      command: 'role-permission.create',
      input: { role: idOf(role), permission, effect, ...(when ? { when } : {}) },
    }),
  },
  unpermit: {
    label: 'Remove a permission from a role',
    fields: [ROLE, PERMISSION],
    toChange: ({ role, permission }) => ({
      command: 'role-permission.delete',
      input: { role: idOf(role), permission },
    }),
  },
} as const satisfies Readonly<Record<string, Usual>>;

export type UsualName = keyof typeof USUAL;
export const isUsual = (name: string): name is UsualName => Object.hasOwn(USUAL, name);

/** The fields that a form still needs; instants and conditions may be left out. */
export const missing = ({ fields }: Usual, values: Values): readonly Field[] =>
  fields.filter(
    ({ name, of }) => of !== 'instant' && of !== 'expression' && of !== 'choice' && !values[name],
  );

/** A part of a sentence: text, or what a reference names. */
export type Part = string | { readonly ref: string };

const at = (type: string, id: unknown): Part => ({ ref: `${type}:${String(id)}` });
const subjectOf = (user: unknown): Part => {
  const text = String(user);
  return { ref: text.includes(':') ? text : `user:${text}` };
};
const until = ({ startsAt, endsAt }: Change['input']): readonly Part[] => [
  ...(startsAt === undefined ? [] : [` from ${String(startsAt)}`]),
  ...(endsAt === undefined ? [] : [` until ${String(endsAt)}`]),
];

type Sentence = (input: Change['input']) => readonly Part[];
const SENTENCES: Readonly<Record<string, Sentence>> = {
  'membership.delete': ({ user, group }) => [subjectOf(user), ' leaves the group ', at('group', group)],
  'membership.create': ({ user, group }) => [subjectOf(user), ' joins the group ', at('group', group)],
  'assignment.create': ({ user, role, scope, ...rest }) => [
    subjectOf(user),
    ' gets the role ',
    at('role', role),
    ' at ',
    { ref: String(scope) },
    ...until(rest),
  ],
  'assignment.delete': ({ user, role, scope }) => [
    subjectOf(user),
    ' loses the role ',
    at('role', role),
    ' at ',
    { ref: String(scope) },
  ],
  'group.delete': ({ id }) => ['the group ', at('group', id), ' is removed'],
  'role-permission.create': ({ role, permission, effect, when }) => [
    'the role ',
    at('role', role),
    effect === 'DENY' ? ' denies ' : ' allows ',
    String(permission),
    ...(when === undefined ? [] : [` where ${String(when)}`]),
  ],
  'role-permission.delete': ({ role, permission }) => [
    'the role ',
    at('role', role),
    ` has no effect on ${String(permission)} any more`,
  ],
};

/** Of types that were added: the field that holds the reference. */
const REFERRED: ReadonlyMap<string, string> = new Map([
  ['scope', 'scope'],
  ['subject', 'user'],
]);
const OF_SCOPE_OR_SUBJECT = /^([a-z][a-z0-9-]*)\.update$/;

/** A change in a sentence; undefined for a command that has none. */
export function sentenceOf({ command, input }: Change): readonly Part[] | undefined {
  if (Object.hasOwn(SENTENCES, command)) return SENTENCES[command]?.(input);
  const [, kind = ''] = OF_SCOPE_OR_SUBJECT.exec(command) ?? [];
  const field = REFERRED.get(kind) ?? 'id';
  const ref = field === 'id' ? `${kind}:${String(input.id)}` : input[field];
  const others = Object.keys(input).filter((name) => ![field, 'status'].includes(name));
  if (kind === '' || typeof ref !== 'string' || input.status === undefined || others.length > 0)
    return undefined;
  return [{ ref }, ` becomes ${String(input.status)}`];
}

/** The references that sentences name. */
export const refsIn = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap((change) =>
    (sentenceOf(change) ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part.ref])),
  );

const LABELS = ['displayName', 'name', 'email', 'username'];

/** The names of what changes would make, which the table does not have yet. */
export function newNamesIn(changes: readonly Change[]): (ref: string) => string | undefined {
  const names = new Map(
    changes.flatMap(({ command, input }): [string, string][] => {
      if (!command.endsWith('.create') || typeof input.id !== 'string') return [];
      const name = LABELS.map((label) => input[label]).find((text) => typeof text === 'string');
      const kind = command.slice(0, -'.create'.length);
      const type = kind === 'scope' || kind === 'subject' ? String(input.type) : kind;
      return name === undefined ? [] : [[`${type}:${input.id}`, String(name)]];
    }),
  );
  return (ref) => names.get(ref);
}

/** Of whom or of what the caches of decisions are to be followed after changes: the one subject, or what was changed. */
export function revokedBy(changes: readonly Change[], losers: readonly string[]): string | undefined {
  const [only] = losers;
  if (only !== undefined && losers.length === 1) return only;
  return refsIn(changes)[0] ?? only;
}
