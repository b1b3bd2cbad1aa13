import * as z from 'zod';
import { groupBy } from '../../table/group-by.ts';
import { type CommandDescription, describeCommands, formerText, type Property, typeOf } from './commands.ts';
import { EXAMPLES } from './examples.ts';
import { resultOf } from './results.ts';

/** A command with the JSON Schema of its result, and with an input that works in the story of examples.ts. */
interface CommandDocument extends CommandDescription {
  readonly result: Readonly<Record<string, unknown>>;
  readonly example: Readonly<Record<string, unknown>>;
}

/** Every command as the documents show it. */
export const documentCommands = (): readonly CommandDocument[] =>
  describeCommands().map((described) => ({
    ...described,
    result: z.toJSONSchema(resultOf(described.name), { io: 'input' }),
    example: { command: described.name, input: EXAMPLES.get(described.name) ?? {} },
  }));

/** The fields of a result in a line: `id`, `name`, `status`?; of what is in a list, those of its entries. */
function resultText({ properties = {}, required = [] }: Property): string {
  return Object.entries(properties)
    .map(([name, { items }]) => {
      const of = items?.properties ? ` (each with ${resultText(items)})` : '';
      return `\`${name}\`${required.includes(name) ? '' : '?'}${of}`;
    })
    .join(', ');
}

const verbOf = ({ name }: CommandDocument): string => name.slice(name.indexOf('.') + 1);

const fieldsOf = ({ input }: CommandDocument): Readonly<Record<string, Property>> =>
  (input.properties ?? {}) as Readonly<Record<string, Property>>;

/** The type of a field in all commands of a kind; where they differ, each with its verbs. */
function typeIn(commands: readonly CommandDocument[], field: string): string {
  const verbs = groupBy(
    commands.filter((command) => field in fieldsOf(command)),
    (command) => typeOf(fieldsOf(command)[field] ?? {}).replace(/ or null$/, ''),
  );
  const [only, ...more] = verbs.keys();
  if (only !== undefined && more.length === 0) return only;
  return [...verbs].map(([type, by]) => `${type} (${by.map(verbOf).join(', ')})`).join('; ');
}

function lineOf(command: CommandDocument, results: Map<string, string>): string {
  const { name, kind, summary, input, formerly, undo, result } = command;
  const required = new Set(input.required as readonly string[] | undefined);
  const takes = Object.keys(fieldsOf(command)).map(
    (field) => `\`${field}\`${required.has(field) ? '' : '?'}`,
  );
  const text = resultText(result);
  const known = [...results].find(([shown]) => text.includes(shown));
  const answer = known === undefined ? text : text.replace(known[0], `the fields of \`${known[1]}\``);
  if (known === undefined && text.length > 60) results.set(text, verbOf(command));
  return [
    `- **\`${name}\`** (${kind}): ${summary}`,
    takes.length > 0 ? `Takes ${takes.join(', ')}.` : 'Takes nothing.',
    ...(formerly === undefined ? [] : [formerText(formerly)]),
    `Answers ${answer}.`,
    ...(undo === undefined ? [] : [`Undo: ${undo}.`]),
  ].join(' ');
}

function section(kind: string, commands: readonly CommandDocument[]): string {
  const fields = new Set(commands.flatMap((command) => Object.keys(fieldsOf(command))));
  const rows = [...fields].map((field) => `| \`${field}\` | ${typeIn(commands, field)} |`);
  const table = ['| field | type |', '| --- | --- |', ...rows].join('\n');
  const results = new Map<string, string>();
  return `## ${kind}

${rows.length > 0 ? `${table}\n\n` : ''}${commands.map((command) => lineOf(command, results)).join('\n')}

\`\`\`json
${JSON.stringify(commands[0]?.example)}
\`\`\``;
}

/** The sections of `docs/commands.md`, made from the schemas so that they cannot say anything else. */
export const commandsAsMarkdown = (commands: readonly CommandDocument[]): string =>
  [...groupBy(commands, ({ name }) => name.slice(0, name.indexOf('.')))]
    .map(([kind, ofKind]) => section(kind, ofKind))
    .join('\n\n');
