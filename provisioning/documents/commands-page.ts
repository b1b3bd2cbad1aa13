import * as z from 'zod';
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

function section({ name, kind, summary, input, formerly, undo, result, example }: CommandDocument): string {
  const properties = (input.properties ?? {}) as Readonly<Record<string, Property>>;
  const required = new Set(input.required as readonly string[] | undefined);
  const rows = Object.entries(properties).map(
    ([field, property]) => `| \`${field}\` | ${typeOf(property)} | ${required.has(field) ? 'yes' : ''} |`,
  );
  const table = ['| field | type | required |', '| --- | --- | --- |', ...rows].join('\n');
  return `## ${name}

${summary} (${kind})

${undo === undefined ? '' : `Undo: ${undo}.\n\n`}${rows.length > 0 ? table : 'No input.'}
${formerly === undefined ? '' : `\n${formerText(formerly)}\n`}
Result: ${resultText(result)}.

\`\`\`json
${JSON.stringify(example)}
\`\`\`
`;
}

/** `docs/commands.md`, made from the schemas so that it cannot say anything else. */
export const commandsAsMarkdown = (commands: readonly CommandDocument[]): string =>
  `# Commands of provisioning

<!-- Made by \`npm run print -- commands --markdown\`; a test compares it with the schemas. -->

An event is \`{ "command", "input", "operationId"?, "actor"?, "dryRun"?, "token"? }\`; the answer is
\`{ "ok": true, "result", "token"? }\` or \`{ "ok": false, "error": { "code", "message", "field"?, "retryable" } }\`.
\`token\` comes where something was written, and is of the time of the answer: a check at least as fresh as it sees
the write. Retryable are \`throttled\`, \`transient\` (no answer in time), \`contended\` (what was read or written was
being changed by others, and was tried again until the deadline), \`stale\` (it was changed between reading and
writing) and \`unfinished\` (send it again to go on).

An event may hold up to 1,000 commands: \`{ "batch": [{ "command", "input", "operationId"? }, …], "actor"?, "dryRun"?,
"token"? }\`. The answer's \`result.answers\` has an answer for each, as if they had been sent one after the other; commands
share transactions where they can (ADR 0053). What was refused or came too late is to be sent again by itself. An event of
several commands has no \`operationId\`: give one to each command that must not be carried out twice.

Ids are ULIDs unless the creator names one: 1 to 128 characters of \`A-Z a-z 0-9 . _ ~ | @ = + -\`, the first a letter, a digit or \`_\`; case counts. A scope is a reference such as \`location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C\`.

A field has one name in all commands (ADR 0070). \`id\` is the id of what the command is about. Where its type has to be said
with it, its reference is given instead: \`scope\` for a scope, \`user\` for a subject. \`parent\` is the scope or role directly
above, and \`scope\` the scope at which something is or holds. \`tenant\` takes a root scope, and \`account\`, \`enterprise\` and
\`workstream\` take a scope of that type. A former name is taken for one release, and refused beside the new one.

A \`?\` behind a field of a result says that it may be left out. \`npm run print -- commands\` prints the JSON Schema of each
input and result. The examples are one story on an empty table
([examples.ts](../provisioning/documents/examples.ts)); they give ids so that others can name what they create.

${commands.map(section).join('\n')}`;
