import * as z from 'zod';
import { describe } from './descriptions.ts';

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

export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of what a person may write, for editors: looser than the schema where only that can say what is wrong.
 *
 * @param path the keys that lead to it, for its description
 */
export function jsonSchemaOf(schema: z.core.$ZodType, path: readonly string[] = []): Json {
  const plain = shapeOf(schema, path);
  const description = describe(path);
  return description === undefined ? plain : { ...plain, description };
}

function shapeOf(schema: z.core.$ZodType, path: readonly string[]): Json {
  const inner = taken(schema);
  const { def } = inner._zod as unknown as {
    def: {
      type: string;
      shape?: Record<string, z.core.$ZodType>;
      element?: z.core.$ZodType;
      valueType?: z.core.$ZodType;
      innerType?: z.core.$ZodType;
    };
  };
  if (def.type === 'object' && def.shape) {
    const entries = Object.entries(def.shape);
    const required = entries.filter(([, each]) => isRequired(each)).map(([key]) => key);
    return {
      // `ann:` with nothing behind it is a resource without details.
      type: required.length === 0 ? ['object', 'null'] : 'object',
      properties: Object.fromEntries(entries.map(([key, each]) => [key, jsonSchemaOf(each, [...path, key])])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    };
  }
  if (def.type === 'array' && def.element)
    return { type: ['array', 'null'], items: shapeOf(def.element, path) };
  if (def.type === 'record' && def.valueType && taken(def.valueType)._zod.def.type === 'object') {
    const resources = { type: ['object', 'null'], additionalProperties: shapeOf(def.valueType, path) };
    return isListed(schema)
      ? { anyOf: [resources, { type: 'array', items: { type: 'string' } }] }
      : resources;
  }
  if (def.type === 'record' && def.valueType && taken(def.valueType)._zod.def.type === 'array')
    return { type: ['object', 'null'], additionalProperties: shapeOf(def.valueType, path) };
  if (def.type === 'optional' && def.innerType) return shapeOf(def.innerType, path);
  if (def.type === 'nullable' && def.innerType)
    return { anyOf: [shapeOf(def.innerType, path), { type: 'null' }] };
  const {
    $schema: _,
    $defs,
    ...plain
  } = z.toJSONSchema(inner as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Json;
  // Any JSON refers to itself.
  return $defs === undefined ? described(plain, path) : {};
}

/** Adds descriptions to properties that a schema states as JSON Schema itself. */
function described(schema: Json, path: readonly string[]): Json {
  const { anyOf, properties } = schema as {
    readonly anyOf?: readonly Json[];
    readonly properties?: Readonly<Record<string, Json>>;
  };
  return {
    ...schema,
    ...(anyOf ? { anyOf: anyOf.map((each) => described(each, path)) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, each]) => [
              key,
              { ...each, description: describe([...path, key]) },
            ]),
          ),
        }
      : {}),
  };
}

/** Whether a file must give it. */
const isRequired = (schema: z.core.$ZodType): boolean => !z.safeParse(schema, undefined).success;

/** Whether names alone will do, as a list. */
const isListed = (schema: z.core.$ZodType): boolean =>
  z.safeParse(schema, ['a:b:c']).success || z.safeParse(schema, ['a']).success;
