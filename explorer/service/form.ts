import {
  COMMANDS,
  describeCommand,
  descriptionOf,
  type Field,
  fieldsOf,
  namedBy,
} from '../../provisioning/index.ts';

/** A field of a command's form, as the JSON Schema of its input says. */
export interface FormField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** What it names: it is chosen by a name. */
  readonly names?: NonNullable<ReturnType<typeof namedBy>>['kind'] | 'permission' | undefined;
  /** Empty where it is no choice. */
  readonly choices: readonly string[];
  readonly isInstant: boolean;
  /** Whether `null` clears it. */
  readonly canClear: boolean;
  /** Whether it is no text: it is written as JSON. */
  readonly isJson: boolean;
}

export interface CommandForms {
  /** The commands that write. */
  readonly commands: readonly string[];
  /** What a command is for, and its fields, of those that were asked for. */
  readonly forms: Readonly<
    Record<string, { readonly summary: string; readonly fields: readonly FormField[] }>
  >;
}

export const formsOf = (names: readonly string[]): CommandForms => ({
  commands: [...COMMANDS.values()].flatMap(({ kind, name }) => (kind === 'write' ? name : [])),
  forms: Object.fromEntries(
    names.flatMap((name) => {
      const described = describeCommand(name);
      if (!described) return [];
      const fields = fieldsOf(described).map((field) => formField(name, field));
      return [[name, { summary: described.summary, fields }]];
    }),
  ),
});

/** A scope that may be a template is typed. */
const TEMPLATE = { scope: '{}' };

function formField(command: string, field: Field): FormField {
  const { name, property, isRequired } = field;
  // One that can be cleared is of its type or null.
  const { type, format, enum: choices } = property.anyOf?.[0] ?? property;
  const description = descriptionOf(property);
  // A word, such as `global`, is no name.
  const isNamed = type === 'string' && !description.startsWith('`');
  return {
    name,
    isRequired,
    description,
    names: name === 'permission' ? name : isNamed ? namedBy(command, field, TEMPLATE)?.kind : undefined,
    choices: choices ?? (type === 'boolean' ? ['true', 'false'] : []),
    canClear: property.anyOf?.some((each) => each.type === 'null') ?? false,
    isInstant: format === 'date-time',
    isJson: type !== 'string',
  };
}
