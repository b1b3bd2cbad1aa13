import * as z from 'zod';
import { manifestSchema } from '../../provisioning/apply/schema.ts';

/** What a schema takes, without what a file may leave out and without what turns texts into others. */
function taken(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod as unknown as {
    def: { type: string; in?: z.core.$ZodType; out?: z.core.$ZodType };
  };
  if (def.type !== 'pipe' || !def.in || !def.out) return schema;
  // A preparation before the schema, or a transformation after it.
  return taken(
    (def.in._zod as unknown as { def: { type: string } }).def.type === 'transform' ? def.out : def.in,
  );
}

type Json = Record<string, unknown>;

/** The JSON Schema of manifests, for editors. */
export function manifestJsonSchema(): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Gatehouse manifest',
    ...jsonOf(manifestSchema),
  };
}

function jsonOf(schema: z.core.$ZodType): Json {
  const inner = taken(schema);
  const { def } = inner._zod as unknown as {
    def: {
      type: string;
      shape?: Record<string, z.core.$ZodType>;
      element?: z.core.$ZodType;
      valueType?: z.core.$ZodType;
      innerType?: z.core.$ZodType;
      options?: readonly z.core.$ZodType[];
    };
  };
  if (def.type === 'object' && def.shape) {
    const entries = Object.entries(def.shape);
    const required = entries.filter(([, each]) => isNeeded(each)).map(([key]) => key);
    return {
      // `ann:` with nothing behind it is a resource without details.
      type: required.length === 0 ? ['object', 'null'] : 'object',
      properties: Object.fromEntries(entries.map(([key, each]) => [key, jsonOf(each)])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    };
  }
  if (def.type === 'array' && def.element) return { type: ['array', 'null'], items: jsonOf(def.element) };
  if (def.type === 'record' && def.valueType && taken(def.valueType)._zod.def.type === 'object') {
    const resources = { type: ['object', 'null'], additionalProperties: jsonOf(def.valueType) };
    return isListed(schema)
      ? { anyOf: [resources, { type: 'array', items: { type: 'string' } }] }
      : resources;
  }
  if (def.type === 'record' && def.valueType && taken(def.valueType)._zod.def.type === 'array')
    return { type: ['object', 'null'], additionalProperties: jsonOf(def.valueType) };
  if (def.type === 'optional' && def.innerType) return jsonOf(def.innerType);
  if (def.type === 'nullable' && def.innerType) return { anyOf: [jsonOf(def.innerType), { type: 'null' }] };
  const { $schema: _, ...plain } = z.toJSONSchema(inner as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
  }) as Json;
  return plain;
}

/** Whether a manifest must give it. */
const isNeeded = (schema: z.core.$ZodType): boolean => !z.safeParse(schema, undefined).success;

/** Whether names alone will do, as a list. */
const isListed = (schema: z.core.$ZodType): boolean =>
  z.safeParse(schema, ['a:b:c']).success || z.safeParse(schema, ['a']).success;
