import { expect, test } from 'vitest';
import * as z from 'zod';
import { COMMANDS } from '../../provisioning/all-commands.ts';

/** Every input is bounded in size: each text, list and map of each command has a limit in its own schema. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** What has no limit here: the inputs of other commands, which have theirs, and a manifest (apply/parse.ts). */
const BOUNDED_ELSEWHERE = ['.commands[].input', '.manifest'];

function unbounded(schema: Schema, path: string): readonly string[] {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const inner = [
    ...choices.map((each) => [each, path] as const),
    ...(schema.items ? [[schema.items, `${path}[]`] as const] : []),
    ...Object.entries(schema.properties ?? {}).map(([name, each]) => [each, `${path}.${name}`] as const),
  ];
  const isListed = schema.enum !== undefined || schema.const !== undefined;
  const hasFixedForm = schema.pattern !== undefined && !/[*+]|,\}/.test(schema.pattern);
  const isFree = Object.keys(schema).every((name) => name === 'description' || name === '$schema');
  const isEndless =
    isFree ||
    (schema.type === 'string' && schema.maxLength === undefined && !isListed && !hasFixedForm) ||
    (schema.type === 'array' && schema.maxItems === undefined) ||
    (typeof schema.additionalProperties === 'object' && Object.keys(schema.properties ?? {}).length === 0);
  return [...(isEndless ? [path] : []), ...inner.flatMap(([each, at]) => unbounded(each, at))];
}

test.each([...COMMANDS.values()].map(({ name, input }) => [name, input] as const))(
  '%s bounds the size of its input',
  (name, input) => {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
    const found = unbounded(schema, name).filter(
      (path) => !BOUNDED_ELSEWHERE.some((end) => path.endsWith(end)),
    );
    expect(found).toEqual([]);
  },
);
