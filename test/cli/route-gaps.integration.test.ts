import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse route gaps`: what an API has and the routes of a table do not cover, and the other way round. */
afterAll(removeFiles);
let world: World;
beforeAll(async () => {
  world = await createLightWorld();
});
let api: string;
let apis = 0;
beforeEach(() => {
  api = `api-${++apis}`;
});

const routes = async (...all: readonly string[]) => {
  for (const each of all) {
    const [method, path] = each.split(' ');
    await world.run('route.create', { api, method, path, permission: 'p', scope: 'tenant:{claim:t}' });
  }
};
const gaps = async (text: string, ...args: readonly string[]) => {
  const file = fileOf(text);
  const { code, out, error } = await gatehouse(['route', 'gaps', file, '--api', api, ...args], {
    env: { TABLE_NAME: world.table },
  });
  return { code, out: out.replaceAll(file, 'FILE'), error: error.replaceAll(file, 'FILE') };
};
type Reported = Record<string, { method: string; path: string; why?: string; routes?: { path: string }[] }[]>;
async function gapsOf(text: string, ...args: readonly string[]) {
  const { code, out, error } = await gaps(text, '--json', ...args);
  expect(error).toBe('');
  const data = JSON.parse(out) as Reported;
  const names = (list: Reported[string] | undefined) =>
    (list ?? []).map(({ method, path }) => `${method} ${path}`);
  const { uncovered, open, loose, unused } = data;
  return {
    code,
    data,
    uncovered: names(uncovered),
    open: names(open),
    loose: names(loose),
    unused: names(unused),
    public: names(data.public),
  };
}
const documentOf = (...operations: readonly string[]) => {
  const lines = operations.map((each) => {
    const [method, path] = each.split(' ');
    return `  ${path}: { ${method}: {} }\n`;
  });
  return `openapi: 3.1.0\npaths:\n${lines.join('')}`;
};

describe('operations and routes', () => {
  test('that match have no gaps, whatever the names of their parameters', async () => {
    await routes('GET /a/{id}', 'ANY /b', 'GET /c/{rest+}');
    expect(await gapsOf(documentOf('get /a/{key}', 'post /b', 'get /c/{proxy+}'), '--strict')).toMatchObject({
      ...{ code: 0, uncovered: [], open: [], loose: [], unused: [], data: { covered: 3 } },
    });
  });

  test('what no route covers is reported with its place', async () => {
    await routes('GET /a/{id}', 'POST /old');
    const { code, out } = await gaps(documentOf('get /a/{id}', 'put /a/{id}/b', 'get /a/b/'));
    expect(code).toBe(1);
    expect(out.replace(/\([0-9A-Z]{26}\)/, '(ID)')).toBe(`FILE: 3 operations, API ${api}

refused: no rule
  PUT /a/{id}/b: no rule covers it (FILE:4:16)
  GET /a/b/: no rule can cover it: the path ends in a slash, and such requests match no route: leave it out (FILE:5:12)

rules that no operation uses
  POST /old (ID)

1 of 3 covered by a rule of their own, 0 by another, 2 by none; 0 open, 1 unused
`);
  });

  test('control characters of a document do not get to the terminal', async () => {
    const { code, out } = await gaps('openapi: 3.1.0\npaths: { "/a\\e[2J": { get: {} } }\n');
    expect(code).toBe(1);
    expect(out).toContain('GET /a\\x1b[2J: no rule can cover it');
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test('what a catch-all or a parameter covers counts with --strict only', async () => {
    await routes('ANY /{rest+}', 'GET /a/{id}');
    const text = documentOf('get /a/mine', 'post /b');
    const found = await gapsOf(text);
    expect(found).toMatchObject({ code: 0, loose: ['GET /a/mine', 'POST /b'], uncovered: [], unused: [] });
    expect(found.data.loose?.map((each) => each.routes?.map(({ path }) => path))).toEqual([
      ['/a/{id}'],
      ['/{rest+}'],
    ]);
    expect((await gapsOf(text, '--strict')).code).toBe(1);
  });

  test('a part of an operation that nothing covers is a gap', async () => {
    await routes('GET /a', 'POST /a', 'GET /b/{x}', 'GET /b/{x}/{y}');
    const { code, data } = await gapsOf(documentOf('x-amazon-apigateway-any-method /a', 'get /b/{proxy+}'));
    expect(code).toBe(1);
    expect(data.uncovered?.map(({ why }) => why)).toEqual([
      'no rule covers HEAD, PUT, PATCH, DELETE, OPTIONS',
      'rules cover a part of it only',
    ]);
  });

  test('a route for one value of a parameter is used; one behind a more specific route is not', async () => {
    await routes('GET /a/{id}', 'GET /a/mine', 'GET /a/{rest+}', 'DELETE /a/{id}');
    expect((await gapsOf(documentOf('get /a/{key}'))).unused.sort()).toEqual([
      'DELETE /a/{id}',
      'GET /a/{rest+}',
    ]);
  });

  test('public in the document or by --public is no gap, and is listed', async () => {
    const text = `openapi: 3.1.0\npaths:\n  /health: { get: { x-gatehouse: public } }\n  /version: { get: {} }\n`;
    expect(await gapsOf(text)).toMatchObject({
      code: 1,
      uncovered: ['GET /version'],
      public: ['GET /health'],
    });
    expect(await gapsOf(text, '--public', 'GET /version')).toMatchObject({
      ...{ code: 0, uncovered: [], public: ['GET /health', 'GET /version'] },
    });
    expect(await gaps(text, '--public', 'GET /versoin')).toMatchObject({
      code: 2,
      error:
        'gatehouse route gaps: --public GET /versoin is not an operation of the document: did you mean GET /version?\n',
    });
  });
});

/** As API Gateway exports it. */
const EXPORT = `openapi: 3.0.1
info: { title: shop, version: "2026-03-01T10:00:00Z" }
servers:
  - url: "https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/{basePath}"
    variables: { basePath: { default: prod } }
paths:
  /orders/{order}:
    get:
      parameters: [{ name: order, in: path, required: true, schema: { type: string } }]
      responses: { 200: { description: 200 response, content: {} } }
      security: [{ gatehouse: [] }]
      x-amazon-apigateway-integration: { type: aws_proxy, httpMethod: POST, uri: "arn:aws:apigateway:eu-central-1:lambda:path/x" }
    options:
      x-amazon-apigateway-integration: { type: mock }
  /files/{proxy+}:
    x-amazon-apigateway-any-method:
      security: [{ gatehouse: [] }]
      x-amazon-apigateway-integration: { type: aws_proxy }
  /keys:
    get:
      security: [{ api_key: [] }]
      x-amazon-apigateway-integration: { type: aws_proxy }
  /health:
    get:
      x-amazon-apigateway-integration: { type: mock }
components:
  securitySchemes:
    api_key: { type: apiKey, name: x-api-key, in: header }
    gatehouse:
      type: apiKey
      name: Authorization
      in: header
      x-amazon-apigateway-authtype: custom
      x-amazon-apigateway-authorizer: { type: request, authorizerUri: "arn:aws:apigateway:eu-central-1:lambda:path/y" }
`;

describe("an export of API Gateway's own", () => {
  test('lists the operations that no authorizer guards, without preflights', async () => {
    await routes('GET /orders/{id}', 'ANY /files/{rest+}', 'GET /keys');
    const found = await gapsOf(EXPORT, '--public', 'GET /health');
    expect(found).toMatchObject({
      ...{ code: 1, uncovered: [], open: ['GET /keys'], loose: [], unused: [] },
      public: ['OPTIONS /orders/{order}', 'GET /health'],
    });
    expect(found.data.notes).toEqual([]);
    const { code, out } = await gaps(EXPORT, '--public', 'GET /health', '--public', 'GET /keys');
    expect(code).toBe(0);
    expect(out).toContain('rules that no operation uses\n  GET /keys');
  });

  test('the $default route of an HTTP API is a catch-all', async () => {
    const text = `openapi: 3.0.1
paths:
  /$default:
    x-amazon-apigateway-any-method:
      isDefaultRoute: true
      security: [{ gatehouse: [] }]
      x-amazon-apigateway-integration: { payloadFormatVersion: "2.0", type: aws_proxy }
components:
  securitySchemes:
    gatehouse: { type: apiKey, name: Authorization, in: header, x-amazon-apigateway-authorizer: { type: request } }
`;
    expect(await gapsOf(text)).toMatchObject({ code: 1, uncovered: ['ANY /{proxy+}'], open: [] });
    await routes('ANY /{rest+}');
    expect(await gapsOf(text, '--strict')).toMatchObject({ code: 0, data: { covered: 1 } });
  });

  test('an authorizer that is no Lambda function, or is optional, guards nothing', async () => {
    await routes('GET /orders/{id}', 'ANY /files/{rest+}', 'GET /keys', 'GET /health');
    const jwt = EXPORT.replace('type: request', 'type: jwt');
    expect((await gapsOf(jwt)).open).toEqual([
      'GET /orders/{order}',
      'ANY /files/{proxy+}',
      'GET /keys',
      'GET /health',
    ]);
    const optional = EXPORT.replace('[{ gatehouse: [] }]', '[{ gatehouse: [] }, {}]');
    expect((await gapsOf(optional)).open).toContain('GET /orders/{order}');
  });
});

describe('a usage error is 2', () => {
  test.each<[string, string, string]>([
    ['an empty document', '', 'FILE: is empty\n'],
    [
      'no OpenAPI',
      'a: b\n',
      'FILE: is not an OpenAPI document: it has no key openapi, such as openapi: 3.1.0\n',
    ],
    [
      'Swagger 2.0',
      '{ "swagger": "2.0" }',
      'FILE:1:3: swagger: Swagger 2.0 is not supported: convert the document to OpenAPI 3 (from API Gateway, export it as oas30)\n',
    ],
    ['a typo', documentOf('gett /a'), 'FILE:3:9: paths["/a"].gett: unknown key: did you mean get?\n'],
  ])('%s', async (_, text, message) => {
    expect(await gaps(text)).toEqual({ code: 2, out: '', error: message });
  });
});
