import { commandsOn } from '../../../provisioning/index.ts';
import type { CommandForms, FormField } from '../../service/index.ts';
import type { Change } from './changes.ts';
import { inputOf, type Values } from './form.ts';

/** A change that people think of first. */
export type Usual =
  | {
      readonly label: string;
      readonly command: string;
      /** Fields that are asked for though the command does without them. */
      readonly also?: readonly string[] | 'all';
    }
  /** The status of a scope or a subject, whose type says the command. */
  | { readonly label: string; readonly of: 'scope' | 'subject'; readonly isActive: boolean };

export const USUAL = {
  leave: { label: 'Leave a group', command: 'membership.delete' },
  join: { label: 'Join a group', command: 'membership.create' },
  give: { label: 'Give a role at a scope', command: 'assignment.create', also: ['startsAt', 'endsAt'] },
  take: { label: 'Take a role at a scope away', command: 'assignment.delete' },
  suspend: { label: 'Suspend a tenant or scope', of: 'scope', isActive: false },
  resume: { label: 'Resume a tenant or scope', of: 'scope', isActive: true },
  disable: { label: 'Disable a user', of: 'subject', isActive: false },
  enable: { label: 'Enable a user', of: 'subject', isActive: true },
  ungroup: { label: 'Remove a group', command: 'group.delete' },
  permit: { label: 'Add a permission to a role', command: 'role-permission.create', also: ['when'] },
  unpermit: { label: 'Remove a permission from a role', command: 'role-permission.delete' },
} as const satisfies Readonly<Record<string, Usual>>;

export const USUAL_COMMANDS: readonly string[] = Object.values(USUAL).flatMap((usual) =>
  'command' in usual ? usual.command : [],
);

/** What becomes active, or does not any more, as an assignment names it. */
const STATUS_FIELD = { scope: 'scope', subject: 'user' } as const;

/** A usual change by its name; of any other command, all of its fields. */
export const changeNamed = (name: string): Usual =>
  USUAL[name as keyof typeof USUAL] ?? { label: name, command: name, also: 'all' };

/** The fields that a change asks for. */
export function fieldsOf(usual: Usual, forms: CommandForms['forms']): readonly FormField[] {
  const { command, also = [] } = 'of' in usual ? USUAL.give : usual;
  const { fields = [] } = forms[command] ?? {};
  // Whose status it is says a reference, of a user too.
  if ('of' in usual)
    return fields
      .filter(({ name }) => name === STATUS_FIELD[usual.of])
      .map((field) => ({ ...field, description: 'reference' }));
  return also === 'all' ? fields : fields.filter(({ name, isRequired }) => isRequired || also.includes(name));
}

/** The command of a change, by its form. */
export function changeOf(usual: Usual, fields: readonly FormField[], values: Values): Change {
  const input = inputOf(fields, values);
  if ('command' in usual) return { command: usual.command, input };
  return commandsOn(String(Object.values(input)[0]), usual.of)[usual.isActive ? 'open' : 'close'];
}
