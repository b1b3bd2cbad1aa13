import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALLOWED, DENIED, REASONS } from '../../engine/decision.ts';
import { manifestOfAll } from '../cli/manifest/large.ts';
import { blocksOf, DOCUMENTS, ROOT } from '../documents/documents.ts';
import { schemas, textOf } from './schemas.ts';

/** The schemas for editors: what is right passes, and what is wrong is found by an editor already. */
const MADE = schemas();
const written = (name: string): string => readFileSync(join(ROOT, 'docs/schemas', name), 'utf8');
const SCHEMAS: typeof MADE = { ...MADE, 'routes.schema.json': JSON.parse(written('routes.schema.json')) };
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
for (const [name, schema] of Object.entries(SCHEMAS)) ajv.addSchema(schema, name);

/** What an editor marks, as `/path message`. */
function errorsIn(name: string, data: unknown): readonly string[] {
  const validate = ajv.getSchema(name);
  if (!validate) throw new Error(`no schema ${name}`);
  validate(data);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const MANIFEST = 'manifest.schema.json';
const MODEL_TEST = 'model-test.schema.json';
const ROUTES = 'routes.schema.json';

/** The schema by which a document is known; undefined for documents of other kinds. */
function schemaOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  if ('tests' in data) return MODEL_TEST;
  if ('openapi' in data) return 'paths' in data ? ROUTES : undefined;
  // A template of CloudFormation, a stack, a role template.
  if ('Resources' in data || 'functions' in data || 'name' in data) return undefined;
  return ['scopes', 'roles', 'pages', 'permissions', 'groups'].some((each) => each in data)
    ? MANIFEST
    : undefined;
}

test.each(Object.entries(MADE))('schemas/%s is up to date', (name, schema) => {
  expect(written(name), 'run: node --import tsx test/schemas/print.ts').toBe(textOf(schema));
});

describe('what is right passes', () => {
  const files = readdirSync(join(ROOT, 'docs/examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map(
      (name) => [`docs/examples/${name}`, readFileSync(join(ROOT, 'docs/examples', name), 'utf8')] as const,
    );
  const blocks = DOCUMENTS.flatMap((document) =>
    blocksOf(document)
      .filter(({ language }) => language === 'yaml')
      .map(({ text, line }) => [`${document}:${line}`, text] as const),
  );
  const samples = [...files, ...blocks].flatMap(([place, text]) => {
    const data: unknown = parse(text, { logLevel: 'silent', strict: false });
    const name = schemaOf(data);
    return name === undefined ? [] : [{ place, name, data }];
  });

  test('every example and every sample of the documents', () => {
    for (const [name, least] of [
      [MANIFEST, 5],
      [MODEL_TEST, 10],
      [ROUTES, 2],
    ] as const)
      expect(samples.filter((sample) => sample.name === name).length, name).toBeGreaterThanOrEqual(least);
    const wrong = samples.flatMap(({ place, name, data }) =>
      errorsIn(name, data).map((error) => `${place}: ${error}`),
    );
    expect(wrong).toEqual([]);
  });

  test('a manifest with every section', () => expect(errorsIn(MANIFEST, parse(manifestOfAll()))).toEqual([]));

  test('names alone, nothing behind a name, null, and conditions', () => {
    const manifest = {
      pages: ['home'],
      permissions: null,
      scopes: { north: { type: 'location', address: null } },
      roles: { clerk: { allow: ['home', { permission: 'a:b:c', when: 'true' }] }, guest: null },
      users: { ann: null },
    };
    expect(errorsIn(MANIFEST, manifest)).toEqual([]);
  });
});

describe('what is wrong is found', () => {
  test.each([
    [
      'an unknown key',
      { scopes: { north: { typ: 'location', type: 'location' } } },
      '/scopes/north must NOT have additional properties',
    ],
    ['a scope without a type', { scopes: { north: {} } }, "/scopes/north must have required property 'type'"],
    ['a list that is none', { users: { ann: { groups: 'staff' } } }, '/users/ann/groups must be array,null'],
    ['a number for a name', { groups: { staff: { scope: 1 } } }, '/groups/staff/scope must be string'],
    ['nothing', {}, ' must NOT have fewer than 1 properties'],
    ['a list', [], ' must be object'],
  ])('in a manifest: %s', (_, data, error) => {
    expect(errorsIn(MANIFEST, data)).toContain(error);
  });

  const question = { subject: 'ann', scope: 'north' };
  test.each([
    ['no tests', { manifest: { pages: ['home'] } }, " must have required property 'tests'"],
    [
      'an unknown key',
      { tests: [{ ...question, allow: ['home'], when: 'now' }] },
      '/tests/0 must NOT have additional properties',
    ],
    [
      'a test without a scope',
      { tests: [{ subject: 'ann', allow: ['home'] }] },
      "/tests/0 must have required property 'scope'",
    ],
    [
      'both forms',
      { tests: [{ ...question, permission: 'home', expect: 'allow', deny: ['b'] }] },
      '/tests/0 must match a schema in anyOf',
    ],
    [
      'an unknown reason',
      { tests: [{ ...question, permission: 'home', expect: 'no_grnt' }] },
      '/tests/0/expect must be equal to one of the allowed values',
    ],
    [
      'a manifest that is wrong',
      { manifest: { page: [] }, tests: [{ ...question, allow: ['home'] }] },
      '/manifest must NOT have additional properties',
    ],
  ])('in model tests: %s', (_, data, error) => {
    expect(errorsIn(MODEL_TEST, data)).toContain(error);
  });

  const document = (item: unknown, root: object = {}) => ({
    openapi: '3.1.0',
    ...root,
    paths: { '/reports/{r}': item },
  });
  const get = (extension: unknown) => document({ get: { 'x-gatehouse': extension } });
  test.each([
    ['Swagger', { swagger: '2.0', paths: {} }, " must have required property 'openapi'"],
    [
      'an unknown key of the extension',
      get({ permision: 'home' }),
      '/paths/~1reports~1{r}/get/x-gatehouse must NOT have additional properties',
    ],
    [
      'a scope without a type',
      get({ permission: 'home', scope: '{r}' }),
      '/paths/~1reports~1{r}/get/x-gatehouse/scope must match pattern "^(?:[a-z][a-z0-9-]*:.|[^{}]+$)"',
    ],
    ['an extension at the root', document({ get: {} }, { 'x-gatehouse': [] }), '/x-gatehouse must be object'],
    ['an unknown verb', document({ fetch: {} }), '/paths/~1reports~1{r} must NOT have additional properties'],
    ['no path', { openapi: '3.1.0', paths: {} }, '/paths must NOT have fewer than 1 properties'],
  ])('in routes: %s', (_, data, error) => {
    expect(errorsIn(ROUTES, data)).toContain(error);
  });
});

test('a model test may expect every reason of the engine, but that of a credential', () => {
  const { enum: expected } = (
    SCHEMAS[MODEL_TEST] as unknown as {
      readonly properties: {
        readonly tests: {
          readonly items: { readonly properties: { readonly expect: { readonly enum: readonly string[] } } };
        };
      };
    }
  ).properties.tests.items.properties.expect;
  const reasons = [...Object.keys(ALLOWED), ...Object.keys(DENIED)];
  expect(REASONS).toEqual(reasons);
  expect([...expected, 'credential_refused'].sort()).toEqual(['allow', 'deny', ...reasons].sort());
});

test('every key has a description, unless it is an attribute whose name says it', () => {
  const missing: string[] = [];
  const walk = (schema: unknown, path: readonly string[]): void => {
    if (typeof schema !== 'object') return;
    const {
      properties = {},
      items,
      additionalProperties,
      anyOf = [],
    } = (schema ?? {}) as {
      readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
      readonly items?: unknown;
      readonly additionalProperties?: unknown;
      readonly anyOf?: readonly unknown[];
    };
    for (const [key, of] of Object.entries(properties)) {
      if (of.description === undefined) missing.push([...path, key].join('.'));
      walk(of, [...path, key]);
    }
    for (const each of [items, additionalProperties, ...anyOf]) walk(each, path);
  };
  walk(SCHEMAS[MANIFEST], []);
  walk(SCHEMAS[MODEL_TEST], ['test']);
  expect(missing.filter((key) => !/^(?:scopes|users|groups|subscriptions)\.\w+$/.test(key))).toEqual([]);
});
