import { manifestSchema } from '../../provisioning/apply/schema.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { EXPECTATIONS, modelTestSchema } from '../../testing/model-tests/file.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { type Json, jsonSchemaOf } from './from-zod.ts';

/** The schemas that the package ships, for editors to complete and check what people write. */
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const at = (schema: unknown, ...keys: readonly string[]): Json =>
  keys.reduce<unknown>((inner, key) => (inner as Json)[key], schema) as Json;

function manifest(): Json {
  const schema = jsonSchemaOf(manifestSchema);
  const scope = at(schema, 'properties', 'scopes', 'additionalProperties', 'properties');
  return {
    $schema: DRAFT,
    title: 'Gatehouse manifest',
    ...schema,
    type: 'object',
    minProperties: 1,
    properties: {
      ...at(schema, 'properties'),
      scopes: {
        ...at(schema, 'properties', 'scopes'),
        additionalProperties: {
          ...at(schema, 'properties', 'scopes', 'additionalProperties'),
          properties: { ...scope, type: { ...at(scope, 'type'), examples: Object.keys(SCOPE_TYPES) } },
        },
      },
    },
  };
}

function modelTest(): Json {
  const schema = jsonSchemaOf(modelTestSchema);
  const test = at(schema, 'properties', 'tests', 'items');
  const has = (...required: readonly string[]) => ({ required });
  return {
    $schema: DRAFT,
    title: 'Gatehouse model tests',
    ...schema,
    type: 'object',
    required: ['tests'],
    properties: {
      ...at(schema, 'properties'),
      manifest: {
        description: DESCRIPTIONS.manifest,
        anyOf: [{ type: 'string', minLength: 1 }, { $ref: 'manifest.schema.json' }],
      },
      tests: {
        description: DESCRIPTIONS.tests,
        type: 'array',
        minItems: 1,
        items: {
          ...test,
          properties: {
            ...at(test, 'properties'),
            expect: { ...at(test, 'properties', 'expect'), enum: EXPECTATIONS },
          },
          anyOf: [
            { ...has('permission', 'expect'), not: { anyOf: [has('allow'), has('deny')] } },
            { anyOf: [has('allow'), has('deny')], not: { anyOf: [has('permission'), has('expect')] } },
          ],
        },
      },
    },
  };
}

/** By the names of their files in docs/schemas/. That of routes is written by hand. */
export const schemas = (): Readonly<Record<string, Json>> => ({
  'manifest.schema.json': manifest(),
  'model-test.schema.json': modelTest(),
});

export const textOf = (schema: Json): string => `${JSON.stringify(schema, null, 2)}\n`;
