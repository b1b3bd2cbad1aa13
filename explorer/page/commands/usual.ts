import { FIELDS } from '../parts/fields.ts';
import { idOf, userOf } from '../refs.ts';
import { statusChange } from '../registry.ts';
import type { Change } from './changes.ts';

/** The changes that people think of first: what a form asks for, and the command that it makes. */

/** A field of a form: what is chosen by its name, an instant of UTC, one of some choices, or an expression. */
export interface Field {
  readonly label: string;
  readonly of: 'subject' | 'scope' | 'group' | 'role' | 'permission' | 'instant' | 'choice' | 'expression';
  /** The property of the command's input. */
  readonly property: string;
  readonly write?: (value: string) => string;
  readonly choices?: readonly string[];
}

/** A day or an instant of a form, which is of UTC, as commands take it. */
const instantOf = (text: string): string => `${text.length === 16 ? `${text}:00` : text}Z`;

const FORM = {
  subject: { label: FIELDS.subject, of: 'subject', property: 'user', write: userOf },
  group: { label: 'Group', of: 'group', property: 'group', write: idOf },
  role: { label: 'Role', of: 'role', property: 'role', write: idOf },
  scope: { label: FIELDS.scope, of: 'scope', property: 'scope' },
  permission: { label: `${FIELDS.permission} or pattern`, of: 'permission', property: 'permission' },
  from: { label: 'From (UTC; optional)', of: 'instant', property: 'startsAt', write: instantOf },
  until: { label: 'Until (UTC; optional)', of: 'instant', property: 'endsAt', write: instantOf },
  effect: { label: 'Effect', of: 'choice', property: 'effect', choices: ['ALLOW', 'DENY'] },
  when: { label: 'Condition in CEL (optional)', of: 'expression', property: 'when' },
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FORM;
export const fieldOf = (name: FieldName): Field => FORM[name];

/** What is in a form: references, names of permissions, and texts, by field. */
export type Values = Readonly<Partial<Record<FieldName, string>>>;

export interface Usual {
  readonly label: string;
  readonly fields: readonly FieldName[];
  /** The command for values of all fields that are needed. */
  readonly toChange: (values: Values) => Change;
}

/** A form whose fields are properties of a command. */
const asking = (label: string, command: string, ...fields: readonly FieldName[]): Usual => ({
  label,
  fields,
  toChange: (values) => {
    const input = fields.flatMap((name) => {
      const { property, write = String, choices = [] } = fieldOf(name);
      const value = values[name] || choices[0];
      return value ? [[property, write(value)]] : [];
    });
    return { command, input: Object.fromEntries(input) };
  },
});

/** A form for the status of a scope or subject, whose type says the command. */
const setting = (label: string, of: 'scope' | 'subject', isActive: boolean): Usual => ({
  label,
  fields: [of],
  toChange: ({ [of]: ref = '' }) => statusChange(ref, of, isActive),
});

const PERMIT = 'role-permission.create';

export const USUAL = {
  leave: asking('Leave a group', 'membership.delete', 'subject', 'group'),
  join: asking('Join a group', 'membership.create', 'subject', 'group'),
  give: asking('Give a role at a scope', 'assignment.create', 'subject', 'role', 'scope', 'from', 'until'),
  take: asking('Take a role at a scope away', 'assignment.delete', 'subject', 'role', 'scope'),
  suspend: setting('Suspend a tenant or scope', 'scope', false),
  resume: setting('Resume a tenant or scope', 'scope', true),
  disable: setting('Disable a user', 'subject', false),
  enable: setting('Enable a user', 'subject', true),
  ungroup: {
    label: 'Remove a group',
    fields: ['group'],
    toChange: ({ group = '' }) => ({ command: 'group.delete', input: { id: idOf(group) } }),
  },
  permit: asking('Add a permission to a role', PERMIT, 'role', 'permission', 'effect', 'when'),
  unpermit: asking('Remove a permission from a role', 'role-permission.delete', 'role', 'permission'),
} as const satisfies Readonly<Record<string, Usual>>;

export type UsualName = keyof typeof USUAL;
export const isUsual = (name: string): name is UsualName => Object.hasOwn(USUAL, name);

/** The fields that a form still needs; instants and conditions may be left out, and one of some choices is chosen. */
export const missing = ({ fields }: Usual, values: Values): readonly Field[] =>
  fields
    .filter((name) => !values[name])
    .map(fieldOf)
    .filter(({ of }) => !['instant', 'expression', 'choice'].includes(of));
