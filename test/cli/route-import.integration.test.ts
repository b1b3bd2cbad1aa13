import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Operation } from '../../cli/openapi/api-document.ts';
import { dryRun, write } from '../../cli/openapi/import.ts';
import { RefusedError, type Send } from '../../cli/provisioning.ts';
import { changesFor } from '../../provisioning/routes/changes.ts';
import { readDocument } from '../../testing/document.ts';
import { createLightWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse route import`: what a document says is in the table afterwards, or nothing was written at all. */
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

const imported = (text: string, ...args: readonly string[]) =>
  gatehouse(['route', 'import', fileOf(text), '--api', api, ...args], { env: { TABLE_NAME: world.table } });
/** Imports a document that must be fine, and returns the report as data. */
async function done(text: string, ...args: readonly string[]) {
  const { code, out, error } = await imported(text, '--json', ...args);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Record<string, { method: string; path: string }[]>;
}
const namesIn = (list: readonly { method: string; path: string }[] | undefined) =>
  (list ?? []).map(({ method, path }) => `${method} ${path}`);
const stored = async () => {
  const { items } = await world.run('route.list', { api });
  return (items as Record<string, string>[])
    .map(({ method, path, permission, scope }) => `${method} ${path}: ${permission} at ${scope}`)
    .sort();
};

const DOCUMENT = `openapi: 3.1.0
info: { title: Projects, version: '1' }
x-gatehouse: { scope: "tenant:{claim:tenant}" }
paths:
  /projects:
    get: { x-gatehouse: { permission: project:list:project } }
    post: { x-gatehouse: { permission: project:create:project } }
  /projects/{project}:
    x-gatehouse: { permission: 'project:read:project', scope: "project:{project}" }
    get: {}
    put: { x-gatehouse: { permission: project:write:project } }
    delete: { x-gatehouse: public }
  /files/{proxy+}:
    x-amazon-apigateway-any-method: { x-gatehouse: { permission: files } }
  /health:
    get: { x-gatehouse: public }
  /later:
    get: {}
`;
const ALL = [
  'ANY /files/{proxy+}: files at tenant:{claim:tenant}',
  'GET /projects/{project}: project:read:project at project:{project}',
  'GET /projects: project:list:project at tenant:{claim:tenant}',
  'POST /projects: project:create:project at tenant:{claim:tenant}',
  'PUT /projects/{project}: project:write:project at project:{project}',
].sort();

describe('a document', () => {
  test('becomes the routes of an API; the extension on the lower level wins, field by field', async () => {
    const data = await done(DOCUMENT);
    expect(await stored()).toEqual(ALL);
    expect(namesIn(data.created)).toHaveLength(5);
    expect(namesIn(data.public)).toEqual(['DELETE /projects/{project}', 'GET /health']);
    expect(data.unsaid).toEqual([{ method: 'GET', path: '/later', line: 18, column: 5 }]);
  });

  test('imported twice changes nothing', async () => {
    await done(DOCUMENT);
    const before = await stored();
    const calls = world.calls.length;
    const data = await done(DOCUMENT);
    expect([data.created, data.changed, data.removed]).toEqual([[], [], []]);
    expect(data.unchanged).toHaveLength(5);
    expect(await stored()).toEqual(before);
    expect(world.calls.slice(calls).filter(({ operation }) => operation.startsWith('Transact'))).toEqual([]);
  });

  test('with --dry-run is only checked and shown', async () => {
    const { code, out } = await imported(DOCUMENT, '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain(`API ${api}, dry run: nothing is written\n  +  GET   /projects `);
    expect(out).toContain('5 would be created, 0 would be changed, 0 would be removed, 0 unchanged');
    expect(await stored()).toEqual([]);
  });

  test('as JSON, with tabs', async () => {
    const json = JSON.stringify(
      {
        openapi: '3.0.3',
        paths: { '/a': { get: { 'x-gatehouse': { permission: 'home', scope: 'tenant:{claim:t}' } } } },
      },
      null,
      '\t',
    );
    await done(json);
    expect(await stored()).toEqual(['GET /a: home at tenant:{claim:t}']);
  });

  test('changes what differs; routes that it does not name are kept, and removed with --prune', async () => {
    await done(DOCUMENT);
    const other = DOCUMENT.replace('project:write:project', 'project:change:project').replace(
      '/files/',
      '/media/',
    );
    const kept = await done(other);
    expect([namesIn(kept.created), namesIn(kept.changed)]).toEqual([
      ['ANY /media/{proxy+}'],
      ['PUT /projects/{project}'],
    ]);
    expect(namesIn(kept.kept)).toEqual(['ANY /files/{proxy+}']);
    const pruned = await done(other, '--prune');
    expect(namesIn(pruned.removed)).toEqual(['ANY /files/{proxy+}']);
    expect(await stored()).toEqual(
      ALL.map((line) =>
        line.replace('project:write:project', 'project:change:project').replace('/files/', '/media/'),
      ).sort(),
    );
    const { out } = await imported(DOCUMENT, '--prune', '--dry-run');
    expect(out).toContain('(was project:change:project at project:{project})');
    expect(out).toMatch(/^ {2}- {2}ANY {2}\/media\/\{proxy\+\} /m);
  });

  test('with other names of parameters changes nothing; a change is reported with the stored names', async () => {
    await done(DOCUMENT);
    const renamed = DOCUMENT.replaceAll('{project}', '{id}');
    expect((await done(renamed)).unchanged).toHaveLength(5);
    const data = await done(renamed.replace('project:read:project', 'project:{id}:project'));
    expect(data.changed).toMatchObject([
      { path: '/projects/{project}', permission: 'project:{project}:project' },
    ]);
    expect(await stored()).toContain(
      'GET /projects/{project}: project:{project}:project at project:{project}',
    );
  });

  test('narrow routes are made before wide ones, and removed after them', async () => {
    const line = (path: string) =>
      `  ${path}: { get: { x-gatehouse: { permission: p, scope: "tenant:{claim:t}" } } }\n`;
    const head = 'openapi: 3.1.0\npaths:\n';
    const paths = ['/{rest+}', '/a/{rest+}', '/{b}', '/a/{b}', '/a/c', '/a'];
    const order = ['/a', '/a/c', '/a/{b}', '/{b}', '/a/{rest+}', '/{rest+}'];
    const data = await done(`${head}${paths.map(line).join('')}`);
    // What overlaps is what matters: each before those that are wider.
    const at = (path: string) => (data.created ?? []).findIndex((each) => each.path === path);
    for (const [narrow, wide] of [
      ['/a', '/{b}'],
      ['/a/c', '/a/{b}'],
      ['/a/{b}', '/a/{rest+}'],
      ['/a/{rest+}', '/{rest+}'],
      ['/{b}', '/{rest+}'],
    ])
      expect(at(narrow ?? '')).toBeLessThan(at(wide ?? ''));
    expect(data.created).toHaveLength(order.length);
    const { removed } = await done(`${head}${line('/z')}`, '--prune');
    expect(namesIn(removed).at(0)).toBe('GET /{rest+}');
    expect(namesIn(removed).at(-1)).not.toContain('+');
  });

  test('with --base-path before every path; a path of the server gets a note', async () => {
    const text = `openapi: 3.1.0
servers: [{ url: "https://api.example.com/v1" }]
x-gatehouse: { permission: home, scope: "tenant:{claim:t}" }
paths: { /: { get: {} }, /a: { get: {} } }
`;
    expect((await done(text, '--dry-run')).notes).toEqual([
      expect.stringContaining("the server's path /v1 is left out"),
      expect.stringContaining('home is not a registered permission'),
    ]);
    await done(text, '--base-path', '/v1');
    expect(await stored()).toEqual([
      'GET /v1/a: home at tenant:{claim:t}',
      'GET /v1: home at tenant:{claim:t}',
    ]);
  });

  test('with a reference to a path item', async () => {
    await done(`openapi: 3.1.0
paths: { /a: { $ref: '#/components/pathItems/A~1B' } }
components: { pathItems: { A/B: { get: { x-gatehouse: { permission: home, scope: "tenant:{claim:t}" } } } } }
`);
    expect(await stored()).toEqual(['GET /a: home at tenant:{claim:t}']);
  });
});

describe('nothing is written, and every problem has its place', () => {
  async function problems(text: string, ...args: readonly string[]) {
    const file = fileOf(text);
    const { code, out, error } = await gatehouse(['route', 'import', file, '--api', api, ...args], {
      env: { TABLE_NAME: world.table },
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(await stored()).toEqual([]);
    return error
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`${file}:`, ''));
  }
  const withOperation = (line: string, path = '/a/{id}') =>
    `openapi: 3.1.0\npaths:\n  /ok: { get: { x-gatehouse: { permission: p, scope: "tenant:{claim:t}" } } }\n  ${path}:\n    get: { ${line} }\n`;

  test.each<[string, string, string]>([
    ['an empty document', '', ' is empty'],
    ['only a comment', '# nothing\n', ' is empty'],
    ['a list', '- a\n', ' is not an OpenAPI document: it has no key openapi'],
    ['another kind of file', 'world: {}\ntests: []\n', ' is not an OpenAPI document: it has no key openapi'],
    ['a manifest', 'routes: []\n', ' is a manifest and not an OpenAPI document: see gatehouse apply'],
    [
      'Swagger 2.0',
      'swagger: "2.0"\npaths: {}\n',
      '1:1: swagger: Swagger 2.0 is not supported: convert the document to OpenAPI 3',
    ],
    [
      'another version',
      'openapi: 3.2.0\npaths: {}\n',
      '1:1: openapi: OpenAPI 3.2.0 is not supported: use 3.0 or 3.1',
    ],
    [
      'a number',
      'openapi: 3.1\npaths: {}\n',
      '1:1: openapi: OpenAPI 3.1 is not supported: use 3.0 or 3.1, such as openapi: 3.1.0',
    ],
    ['no paths', 'openapi: 3.1.0\n', ' paths: there are no operations in it'],
    ['paths that are a list', 'openapi: 3.1.0\npaths: []\n', '2:1: paths: must be a mapping of paths'],
    [
      'no extension at all',
      'openapi: 3.1.0\npaths: { /a: { get: {} } }\n',
      '2:1: paths: no operation says what it needs: give them x-gatehouse:',
    ],
    ['no YAML', 'openapi: [3\n', '2:1: '],
  ])('%s', async (_, text, message) => {
    const [first = '', ...rest] = await problems(text, '--prune');
    expect(first.startsWith(message), first).toBe(true);
    expect(rest).toEqual([]);
  });

  const AT = 'paths["/a/{id}"].get';
  test.each<[string, string, string]>([
    [
      'a typo in the extension',
      'x-gatehose: { permission: p, scope: "tenant:{id}" }',
      `5:12: ${AT}.x-gatehose: unknown key: did you mean x-gatehouse?`,
    ],
    [
      'a typo in its key',
      'x-gatehouse: { permision: p, scope: "tenant:{id}" }',
      `5:27: ${AT}.x-gatehouse.permision: unknown key: did you mean permission?`,
    ],
    [
      'another word',
      'x-gatehouse: open',
      `5:12: ${AT}.x-gatehouse: must be a mapping with permission and scope, or the word public`,
    ],
    [
      'nothing behind it',
      'x-gatehouse: ',
      `5:12: ${AT}.x-gatehouse: must be a mapping with permission and scope, or the word public`,
    ],
    [
      'half of it',
      'x-gatehouse: { permission: p }',
      `5:12: ${AT}.x-gatehouse: says no scope, nor does what stands above`,
    ],
    [
      'a permission of two parts',
      'x-gatehouse: { permission: "a:b", scope: "tenant:{id}" }',
      `5:27: ${AT}.x-gatehouse.permission: a:b is neither a page nor module:action:resource`,
    ],
    [
      'a permission that is none',
      'x-gatehouse: { permission: "a b", scope: "tenant:{id}" }',
      `5:27: ${AT}.x-gatehouse.permission: holds characters outside of {…} that no name may hold`,
    ],
    [
      'a number',
      'x-gatehouse: { permission: 7, scope: "tenant:{id}" }',
      `5:27: ${AT}.x-gatehouse.permission: must be a text such as project:read:project`,
    ],
    [
      'a scope that is none',
      'x-gatehouse: { permission: p, scope: "{id}" }',
      `5:42: ${AT}.x-gatehouse.scope: does not begin with a scope type, as in location:{locationId}`,
    ],
    [
      'a name that the path has not',
      'x-gatehouse: { permission: p, scope: "tenant:{ID}" }',
      `5:42: ${AT}.x-gatehouse.scope: tenant:{ID} names {ID}, which the path /a/{id} does not have`,
    ],
    [
      'a scope type that is not there',
      'x-gatehouse: { permission: p, scope: "castle:{id}" }',
      `5:42: ${AT}.x-gatehouse.scope: scope has an unknown scope type: castle`,
    ],
  ])('%s', async (_, line, message) => {
    expect(await problems(withOperation(line))).toEqual([message]);
  });

  test.each<[string, string]>([
    ['/a/{id}/', 'the path /a/{id}/ ends in a slash, and such requests match no route: leave it out'],
    [
      '/a/{the-id}',
      'the path /a/{the-id} has the parameter {the-id}: names hold letters, digits and _ and begin with a letter, as {the_id}',
    ],
    ['/a/{id}.pdf', 'the path /a/{id}.pdf has the segment {id}.pdf: one is either a text or one {parameter}'],
    ['/a/{id+}/b', 'the path /a/{id+}/b has {id+} before its last segment'],
    ['/a b', 'the path /a b has an empty segment or one with characters that paths here may not hold'],
    ['a', 'the path a does not begin with /'],
  ])('the path %s', async (path, message) => {
    const [only = '', ...rest] = await problems(
      withOperation('x-gatehouse: { permission: p, scope: "tenant:{claim:t}" }', JSON.stringify(path)),
    );
    expect(rest).toEqual([]);
    expect(only).toMatch(/^4:3: paths/);
    expect(only.endsWith(message), only).toBe(true);
  });

  test('two operations of one shape, TRACE, an unknown key of a path: all reported together, in their order', async () => {
    expect(
      await problems(`openapi: 3.1.0
x-gatehouse: { permission: p, scope: "tenant:{claim:t}" }
paths:
  /a/{id}: { get: {} }
  /a/{key}: { get: {} }
  /b: { trace: {}, post: {} }
`),
    ).toEqual([
      '5:15: paths["/a/{key}"].get: means the same requests as GET /a/{id} above: leave one out',
      '6:9: paths["/b"].trace: routes have GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, ANY, and no TRACE',
    ]);
    expect(
      await problems(
        'openapi: 3.1.0\npaths:\n  /a: { gett: {} }\n  /b: 7\n  /c: { $ref: other.yaml }\n  /d: { get: [] }\n',
      ),
    ).toEqual([
      '3:9: paths["/a"].gett: unknown key: did you mean get?',
      '4:3: paths["/b"]: must be a mapping of operations',
      '5:9: paths["/c"]["$ref"]: other.yaml is in another file: bundle the documents into one first',
      '6:9: paths["/d"].get: must be a mapping',
    ]);
  });

  test('a missing file, or a malformed base path', async () => {
    const run = (...args: string[]) => gatehouse(['route', 'import', ...args]);
    expect((await run('no.yaml', '--table', 'abc')).error).toBe('no.yaml: there is no such file\n');
    const file = fileOf(DOCUMENT);
    expect(await run(file, '--table', 'abc', '--base-path', 'v1/')).toMatchObject({
      ...{ code: 2, error: expect.stringContaining('--base-path v1/ is not a path such as /v1') },
    });
  });
});

describe('a fault of the table', () => {
  const changes = changesFor(
    [],
    ['/a', '/b', '/c'].map((path) => ({
      ...{ method: 'GET', path, permission: 'p', scope: 'tenant:{claim:t}' },
      from: { method: 'GET', path, at: [], requirement: 'unsaid', isGuarded: undefined } as Operation,
    })),
    false,
  );

  test('during the writes: how many are done, and what to do', async () => {
    const sent: string[] = [];
    const send: Send = async (_, { path }) => {
      if (sent.length === 1)
        throw new RefusedError({ code: 'internal', message: 'no answer in time', retryable: false });
      sent.push(String(path));
      return {};
    };
    await expect(write('default', changes, send)).rejects.toThrow(
      'GET /b: no answer in time\n1 of 3 changes are made, each whole: import the document again',
    );
    expect(sent).toEqual(['/a']);
  });

  test('during the dry runs: reported as a fault, not as a problem of the document', async () => {
    const source = readDocument('openapi.yaml', 'openapi: 3.1.0\n');
    const send: Send = async () => {
      throw new RefusedError({ code: 'throttled', message: 'throttled', retryable: true });
    };
    await expect(dryRun(source, 'default', changes, send)).rejects.toThrow(RefusedError);
  });
});
