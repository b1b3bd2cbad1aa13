import {
  COMMANDS,
  describeCommand,
  descriptionOf,
  type Field,
  fieldsOf,
  namedBy,
} from '../../provisioning/index.ts';

export type FormField = ReturnType<typeof formField>;
export type CommandForms = ReturnType<typeof formsOf>;

export const formsOf = (names: readonly string[]) => ({
  /** The commands that write. */
  commands: [...COMMANDS.values()].flatMap(({ kind, name }) => (kind === 'write' ? name : [])),
  /** What a command is for, and its fields, of those that were asked for. */
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

/** A field of a command's form, as the JSON Schema of its input says. */
function formField(command: string, field: Field) {
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
    /** What it names: it is chosen by a name. */
    names: name === 'permission' ? name : isNamed ? namedBy(command, field, TEMPLATE)?.kind : undefined,
    /** Empty where it is no choice. */
    choices: choices ?? (type === 'boolean' ? ['true', 'false'] : []),
    /** Whether `null` clears it. */
    canClear: property.anyOf?.some((each) => each.type === 'null') ?? false,
    isInstant: format === 'date-time',
    /** Whether it is no text: it is written as JSON. */
    isJson: type !== 'string',
  };
}
