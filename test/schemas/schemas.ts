import { EXTENSION } from '../../cli/openapi/extension.ts';
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

const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const ANY = 'x-amazon-apigateway-any-method';

/** OpenAPI documents as `gatehouse route import` takes them: what OpenAPI says itself is left to its own schema. */
function routes(): Json {
  const required = { $ref: '#/$defs/requirement' };
  const operation = { $ref: '#/$defs/operation' };
  return {
    $schema: DRAFT,
    title: 'OpenAPI document with the routes of Gatehouse',
    type: 'object',
    required: ['openapi', 'paths'],
    properties: {
      openapi: { type: 'string', pattern: '^3\\.[01](?:\\.|$)', description: 'OpenAPI 3.0 or 3.1.' },
      [EXTENSION]: required,
      paths: {
        type: 'object',
        minProperties: 1,
        patternProperties: { '^/': { $ref: '#/$defs/path' }, '^x-': {} },
        additionalProperties: false,
      },
    },
    $defs: {
      path: {
        type: 'object',
        properties: {
          [EXTENSION]: required,
          ...Object.fromEntries([...VERBS, ANY].map((verb) => [verb, operation])),
          summary: {},
          description: {},
          servers: {},
          parameters: {},
          $ref: {},
        },
        patternProperties: { '^[xX]-': {} },
        additionalProperties: false,
      },
      operation: { type: 'object', properties: { [EXTENSION]: required } },
      requirement: {
        description:
          'What an operation needs: a permission at a scope, or the word public (no route: it stands without the authorizer). On a path, or at the root, it is the default of the operations below.',
        anyOf: [
          { const: 'public' },
          {
            type: 'object',
            properties: {
              permission: {
                type: 'string',
                minLength: 1,
                maxLength: 400,
                description: DESCRIPTIONS['routes.permission'],
              },
              scope: {
                type: 'string',
                maxLength: 400,
                pattern: '^(?:[a-z][a-z0-9-]*:.|[^{}]+$)',
                description: DESCRIPTIONS['routes.scope'],
              },
            },
            additionalProperties: false,
          },
        ],
      },
    },
  };
}

/** By the names of their files in schemas/. */
export const schemas = (): Readonly<Record<string, Json>> => ({
  'manifest.schema.json': manifest(),
  'model-test.schema.json': modelTest(),
  'routes.schema.json': routes(),
});

export const textOf = (schema: Json): string => `${JSON.stringify(schema, null, 2)}\n`;
