import * as z from 'zod';
import { COMMANDS } from '../commands/index.ts';

/** A command as callers need to know it: what it is for, and the JSON Schema of its input. */
export interface CommandDescription {
  readonly name: string;
  readonly kind: 'read' | 'write';
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Of a command that takes access or data away: how to bring it back, or that nothing does. */
  readonly undo?: string;
}

/** Every command with the JSON Schema (2020-12) of its input, as a caller writes it. */
export const describeCommands = (): readonly CommandDescription[] =>
  [...COMMANDS.values()].map((command) => {
    const { name, kind, summary, input } = command;
    const destructive = command.kind === 'write' ? command.destructive : undefined;
    return {
      ...{ name, kind, summary, input: z.toJSONSchema(input, { io: 'input' }) },
      ...(destructive === undefined ? {} : { undo: destructive.undo }),
    };
  });

export interface Property {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
  readonly format?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The type of a field in a few words. */
export function typeOf(property: Property): string {
  if (property.description) return property.description;
  if (property.enum) return property.enum.map((value) => `\`${value}\``).join(' or ');
  if (property.anyOf) return property.anyOf.map(typeOf).join(' or ');
  if (property.type === 'array') return `list of ${typeOf(property.items ?? {})}`;
  if (property.format) return property.format;
  if (property.type === 'integer') return `whole number from ${property.minimum} to ${property.maximum}`;
  const bound = property.maxLength === undefined ? '' : `, at most ${property.maxLength} characters`;
  return `${property.type ?? 'any'}${bound}`;
}

function section({ name, kind, summary, input, undo }: CommandDescription): string {
  const properties = (input.properties ?? {}) as Readonly<Record<string, Property>>;
  const required = new Set(input.required as readonly string[] | undefined);
  const rows = Object.entries(properties).map(
    ([field, property]) => `| \`${field}\` | ${typeOf(property)} | ${required.has(field) ? 'yes' : ''} |`,
  );
  const table = ['| field | type | required |', '| --- | --- | --- |', ...rows].join('\n');
  const taken = undo === undefined ? '' : `Undo: ${undo}.\n\n`;
  return `## ${name}\n\n${summary} (${kind})\n\n${taken}${rows.length > 0 ? table : 'No input.'}\n`;
}

/** `docs/commands.md`, made from the schemas so that it cannot say anything else. */
export const commandsAsMarkdown = (commands: readonly CommandDescription[]): string =>
  `# Commands of provisioning

<!-- Made by \`npm run commands -- --markdown\`; a test compares it with the schemas. -->

An event is \`{ "command", "input", "operationId"?, "actor"?, "dryRun"? }\`; the answer is
\`{ "ok": true, "result", "token"? }\` or \`{ "ok": false, "error": { "code", "message", "field"?, "retryable" } }\`.
\`token\` comes where something was written, and is of the time of the answer: a check at least as fresh as it sees
the write. Retryable are \`throttled\`, \`transient\` (no answer in time), \`contended\` (what was read or written was
being changed by others, and was tried again until the deadline), \`stale\` (it was changed between reading and
writing) and \`unfinished\` (send it again to go on).
Ids are ULIDs or lower-case UUIDs; a scope is a reference such as \`location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C\`.

${commands.map(section).join('\n')}`;
