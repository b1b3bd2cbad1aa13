import * as z from 'zod';
import { defined } from '../../table/defined.ts';
import { COMMANDS } from '../all-commands.ts';
import type { Command } from '../command.ts';
import { type Former, formerOf } from '../former-names.ts';

/** A command as callers need to know it: what it is for, and the JSON Schema of its input. */
export interface CommandDescription {
  readonly name: string;
  readonly kind: 'read' | 'write';
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Names that a field had before, which are taken for one release. */
  readonly formerly?: Former;
  /** Of a command that takes access or data away: how to bring it back, or that nothing does. */
  readonly undo?: string;
}

function descriptionOf(command: Command): CommandDescription {
  const { name, kind, summary, input } = command;
  const undo = command.kind === 'write' ? command.destructive?.undo : undefined;
  return {
    name,
    kind,
    summary,
    input: z.toJSONSchema(input, { io: 'input' }),
    ...defined({ formerly: formerOf(name), undo }),
  };
}

/** A command with the JSON Schema (2020-12) of its input, as a caller writes it; undefined when there is none. */
export function describeCommand(name: string): CommandDescription | undefined {
  const command = COMMANDS.get(name);
  return command && descriptionOf(command);
}

/** Every command. It takes a moment: whoever needs one asks for that one. */
export const describeCommands = (): readonly CommandDescription[] =>
  [...COMMANDS.values()].map(descriptionOf);

export interface Property {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
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

/** A field of a command's input, as its JSON Schema has it. */
export interface Field {
  readonly name: string;
  readonly property: Property;
  readonly isRequired: boolean;
}

/** The fields of a command's input. */
export const fieldsOf = ({ input }: CommandDescription): readonly Field[] => {
  const required = new Set(input.required as readonly string[] | undefined);
  return Object.entries((input.properties ?? {}) as Readonly<Record<string, Property>>).map(
    ([name, property]) => ({ name, property, isRequired: required.has(name) }),
  );
};

/** What is said of the former names of a field. */
export const formerText = ({ field, before }: Former): string =>
  before.length === 1
    ? `\`${before[0]}\` is a former name of \`${field}\`, taken for one release.`
    : `\`${before[0]}\` and \`${before[1]}\` are the former names of \`${field}\`, taken for one release.`;

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
