import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { NOT_FOR_DECISIONS, within } from './support/layers.ts';

/**
 * What may import what, as a check that fails.
 *
 *   request -> authorizer -> engine ----> table (read)
 *   request -> authzen -> engine, authorizer/credentials, table (read)
 *   request -> scim -> provisioning (its entry): the commands that an identity provider sends
 *   request -> middleware -> engine, authorizer/credentials, table (read)
 *   authorizer/sockets -> engine, table (read): what closes WebSocket connections
 *   middleware/client -> nothing
 *   command -> provisioning ------------> table (write)
 *              provisioning/operators/rights -> engine, authorizer/credentials: who may run commands
 *              provisioning/access-difference, invariants, evidence -> engine (its entry), to foresee and to prove who may what
 *   testing -> engine, provisioning, table, table/memory: a manifest as a table with names
 *   explorer -> the entries of table, engine, provisioning, testing: in a browser, and behind a server of local
 *   local -> all of these, never cli: the local stack
 *   cli -> engine, provisioning, table, testing; authorizer/routes; local; explorer/service (its entry)
 *   cli/doctor -> authorizer (its entry), to read its configuration and judge keys as it does
 *   composition roots -> table/dynamodb or table/memory; all else knows the ports only
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PRODUCTION = ['table', 'engine', 'authorizer', 'authzen', 'provisioning', 'scim', 'middleware'];
const FOLDERS = [...PRODUCTION, 'testing', 'explorer', 'cli', 'local', 'deploy', 'bench', 'test'];
/** This file speaks of what it forbids. */
const ITSELF = 'test/architecture.test.ts';

interface Import {
  readonly from: string;
  /** A path from the root for a file of ours, otherwise the package. */
  readonly to: string;
  readonly isOurs: boolean;
  readonly isTypeOnly: boolean;
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

const SOURCES: ReadonlyMap<string, string> = new Map(
  FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .filter((path) => /\.tsx?$/.test(path) && path !== ITSELF)
      .map((path) => [path, withoutComments(readFileSync(join(ROOT, path), 'utf8'))] as const),
  ),
);

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const EXPRESSION = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

function importsOf(from: string, text: string): readonly Import[] {
  const toImport = (target: string, isTypeOnly: boolean): Import => {
    const isOurs = target.startsWith('.');
    return { from, to: isOurs ? posix.join(posix.dirname(from), target) : target, isOurs, isTypeOnly };
  };
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, target = '']) => toImport(target, type !== undefined)),
    ...[...text.matchAll(EXPRESSION)].map(([, target = '']) => toImport(target, false)),
  ];
}

const IMPORTS = [...SOURCES].flatMap(([path, text]) => importsOf(path, text));
const shown = (imports: readonly Import[]) => imports.map(({ from, to }) => `${from} imports ${to}`);
/** Functions with a folder within another one, which stand for themselves. */
const SOCKETS = 'authorizer/sockets/';
const FUNCTIONS = ['authorizer', 'authzen', 'provisioning', 'scim', 'authorizer/sockets'];
const ofFolder = (folder: string) =>
  IMPORTS.filter(
    ({ from }) => within(from, `${folder}/`) && !(folder === 'authorizer' && within(from, SOCKETS)),
  );

/** A command line for developers, not part of what is deployed. */
/** They speak of keys, to readers. */
const DOCUMENTS = 'provisioning/documents/';
/** Entries of provisioning for Node; the rest of it runs in a browser. */
const RUN_BY_NODE = ['compose', 'handler', 'node-encryption', 'http', 'operators/rights'].map(
  (name) => `provisioning/${name}.ts`,
);
/** Where things are put together: they choose what stands behind the ports. */
const ROOTS = [
  ...FUNCTIONS.map((folder) => `${folder}/compose.ts`),
  ...['authorizer/decision-point.ts', 'middleware/environment.ts', 'local/table.ts'],
  ...['change-feed', 'live-revocation'].map((name) => `local/sockets/${name}.ts`),
  ...[
    ...['connection', 'provisioning', 'commands/load', 'commands/doctor', 'doctor/table-form'],
    ...['commands/migrate', 'commands/verify', 'model-tests/throw-away', 'serve/manifest-table'],
  ].map((name) => `cli/${name}.ts`),
];

test('imports are found in every form, and those of types are told apart', () => {
  const text = `import { a } from './a.ts';
import type { B } from '../b/b.ts';
import * as c from 'c';
import {
  type D,
  d,
} from './d.ts';
import './e.ts';
export { f } from './f.ts';
export type { G } from './g.ts';
const h = await import('./h.ts');`;
  expect(importsOf('x/y.ts', text).map(({ to, isTypeOnly }) => `${to}${isTypeOnly ? ' type' : ''}`)).toEqual([
    ...['x/a.ts', 'b/b.ts type', 'c', 'x/d.ts', 'x/e.ts', 'x/f.ts', 'x/g.ts type', 'x/h.ts'],
  ]);
  const known = IMPORTS.filter(({ from, to }) => from === 'engine/item-cache.ts' && to === 'table/item.ts');
  expect(known.map(({ isTypeOnly }) => isTypeOnly)).toEqual([true]);
  for (const { to } of IMPORTS.filter(({ isOurs }) => isOurs))
    expect(existsSync(join(ROOT, to)), to).toBe(true);
});

describe('what a folder may import', () => {
  test('nothing that runs at a user: tests and benchmarks', () => {
    const product = IMPORTS.filter(({ from }) => !within(from, 'test/', 'bench/', 'deploy/'));
    expect(shown(product.filter(({ to }) => within(to, 'test/', 'bench/')))).toEqual([]);
  });

  interface Rule {
    readonly folder: string;
    readonly may: readonly string[];
    /** Not these, though they are within what it may. */
    readonly never?: readonly string[];
    /** These all the same. */
    readonly but?: readonly string[];
    /** Of these types, and nothing that runs. */
    readonly types?: readonly string[];
    /** More for some of its files. */
    readonly also?: readonly (readonly [from: readonly string[], to: readonly string[]])[];
  }

  /** What of the authorizer verifies callers, in whatever enforcement point. */
  const CALLERS = [
    ...['credentials/', 'configuration.ts', 'service-configuration.ts', 'errors.ts', 'decision-log.ts'],
    ...['caller-verification.ts', 'decision-point.ts', 'metrics.ts', 'service/', 'subject.ts', 'trace.ts'],
    'variables.ts',
  ].map((name) => `authorizer/${name}`);
  const SCOPE_TYPES = ['table/entities/scope-types.ts'];
  const ENTRY_OF_SERVICE = 'explorer/service/index.ts';
  const inProvisioning = (...names: readonly string[]) => names.map((name) => `provisioning/${name}`);
  const inTable = (...names: readonly string[]) => names.map((name) => `table/${name}.ts`);

  const RULES: readonly Rule[] = [
    { folder: 'table', may: ['table/'] },
    { folder: 'table/memory', may: ['table/'], never: ['table/dynamodb/'] },
    {
      folder: 'engine',
      may: ['engine/', 'table/'],
      never: [...NOT_FOR_DECISIONS, 'table/dynamodb/', 'table/read/'],
      but: [...SCOPE_TYPES, 'table/read/pages.ts'],
      types: ['table/read/'],
    },
    {
      folder: 'authorizer',
      may: ['authorizer/', 'engine/', 'table/'],
      never: NOT_FOR_DECISIONS,
      but: SCOPE_TYPES,
    },
    // No event and no route: what verifies callers is shared.
    {
      folder: 'authorizer/credentials',
      may: ['authorizer/credentials/', 'authorizer/errors.ts', 'authorizer/variables.ts'],
      but: ['engine/cached-loader.ts', ...inTable('api-token', 'identifiers', 'json')],
      types: ['engine/', 'table/'],
    },
    { folder: 'authorizer/sockets', may: [SOCKETS, 'engine/', 'table/'], never: NOT_FOR_DECISIONS },
    {
      folder: 'authzen',
      may: ['authzen/', 'engine/', 'table/', ...CALLERS, 'authorizer/events/served-path.ts'],
      never: NOT_FOR_DECISIONS,
    },
    {
      folder: 'middleware',
      may: ['middleware/', 'table/', ...CALLERS, 'engine/index.ts', 'engine/log.ts'],
      never: NOT_FOR_DECISIONS,
      types: ['engine/rows/index.ts'],
    },
    { folder: 'middleware/client', may: [] },
    {
      folder: 'provisioning',
      may: ['provisioning/', 'table/'],
      also: [
        // Changes of access are foreseen.
        [
          inProvisioning('access-difference/', 'invariants/', 'evidence/', 'commands/mandate-use.ts'),
          ['engine/index.ts'],
        ],
        [
          inProvisioning('nodes/properties.ts'),
          ['engine/conditions/declarations.ts', 'engine/conditions/load.ts'],
        ],
        [RUN_BY_NODE, ['engine/log.ts']],
        // Operators are verified as the authorizer verifies callers, and the engine says what they may.
        [
          inProvisioning('compose.ts', 'operators/rights.ts', 'operators/operator.ts'),
          [...CALLERS, 'engine/index.ts', 'engine/items.ts', 'engine/read-items.ts'],
        ],
      ],
    },
    {
      folder: 'scim',
      may: [
        ...['scim/', 'provisioning/index.ts', 'authorizer/service/', 'authorizer/configuration.ts'],
        'authorizer/variables.ts',
        ...inTable('api-token', 'defined', 'environment', 'errors', 'identifiers', 'log', 'reader', 'writer'),
      ],
      types: FOLDERS.map((folder) => `${folder}/`),
      also: [
        [
          ['scim/compose.ts', 'scim/handler.ts'],
          ['engine/log.ts', 'engine/clock.ts'],
        ],
        [['scim/compose.ts'], ['provisioning/compose.ts', 'table/dynamodb/']],
      ],
    },
    {
      folder: 'testing',
      may: ['testing/', 'engine/', 'provisioning/', 'table/'],
      never: ['table/dynamodb/'],
    },
    { folder: 'local', may: FOLDERS.map((folder) => `${folder}/`), never: ['cli/', 'test/', 'bench/'] },
    {
      folder: 'local/explorer',
      may: ['local/', ENTRY_OF_SERVICE, ...inTable('json')],
      types: ['engine/index.ts'],
    },
    {
      folder: 'cli',
      may: [
        ...['cli/', 'provisioning/', 'table/', 'engine/', 'authzen/', 'scim/', 'testing/', 'local/'],
        ...['authorizer/routes/', 'authorizer/service/', ENTRY_OF_SERVICE],
      ],
      also: [
        [
          ['cli/doctor/'],
          ['authorizer/index.ts', 'authorizer/credentials/fetch.ts', 'authorizer/credentials/keys.ts'],
        ],
      ],
    },
  ];

  test.each(RULES)(
    '$folder: what its rule names',
    ({ folder, may, never = [], but = [], types = [], also = [] }) => {
      expect([...SOURCES.keys()].some((path) => within(path, `${folder}/`))).toBe(true);
      const isAllowed = ({ from, to, isTypeOnly }: Import) =>
        (within(to, ...may) && !within(to, ...never)) ||
        within(to, ...but) ||
        (isTypeOnly && within(to, ...types)) ||
        also.some(([users, used]) => within(from, ...users) && within(to, ...used));
      const ours = ofFolder(folder).filter(({ isOurs }) => isOurs);
      // Each exception is one that something needs.
      for (const [users, used] of also)
        expect(ours.some(({ from, to }) => within(from, ...users) && within(to, ...used))).toBe(true);
      expect(shown(ours.filter((each) => !isAllowed(each)))).toEqual([]);
    },
  );

  test('the client, in a browser: no package either', () => {
    expect([...SOURCES.keys()].filter((path) => within(path, 'middleware/client/'))).toEqual([
      'middleware/client/index.ts',
    ]);
    expect(shown(ofFolder('middleware/client'))).toEqual([]);
  });

  test('who knows SCIM: the command line and the local stack', () => {
    const users = IMPORTS.filter(({ from, to }) => within(to, 'scim/') && !within(from, 'scim/'));
    expect(shown(users.filter(({ from }) => !within(from, 'cli/', 'local/', 'test/', 'bench/')))).toEqual([]);
  });

  /** All of them run in a browser. */
  const ENTRIES_OF_EXPLORER = [
    ...['table/index.ts', 'table/memory/index.ts', 'engine/index.ts', 'provisioning/index.ts'],
    ...['authorizer/policies/index.ts', 'testing/model.ts', 'docs/schemas/'],
  ];

  test('explorer: public entries that run in a browser, texts of the documents, and nothing of Node', () => {
    const isText = ({ from, to }: Import) =>
      from === 'explorer/playground/examples.ts' && /^docs\/.*\.(?:yaml|md)$/.test(to);
    const isForbidden = ({ to, isOurs }: Import) =>
      isOurs ? !within(to, 'explorer/', ...ENTRIES_OF_EXPLORER) : to.startsWith('node:');
    expect(ofFolder('explorer').length).toBeGreaterThan(10);
    const others = ofFolder('explorer').filter((each) => !isText(each));
    expect(shown(others.filter(isForbidden))).toEqual([]);
  });

  test('explorer/service and explorer/playground: nothing of the page', () => {
    const ofPage = (folder: string) => ofFolder(folder).filter(({ to }) => within(to, 'explorer/page/'));
    expect(shown([...ofPage('explorer/service'), ...ofPage('explorer/playground')])).toEqual([]);
  });

  test('of the explorer, only its service is known outside, by its entry', () => {
    const others = IMPORTS.filter(
      ({ from, to }) =>
        within(to, 'explorer/') && to !== ENTRY_OF_SERVICE && !within(from, 'explorer/', 'test/', 'bench/'),
    );
    expect(shown(others)).toEqual([]);
    const users = IMPORTS.filter(
      ({ from, to }) => to === ENTRY_OF_SERVICE && !within(from, 'test/', 'bench/'),
    );
    expect(users.some(({ from }) => within(from, 'local/explorer/'))).toBe(true);
    expect(
      shown(users.filter(({ from }) => !within(from, 'explorer/', 'local/explorer/', 'cli/commands/'))),
    ).toEqual([]);
  });

  test('cli: of provisioning its entries', () => {
    const isDeep = ({ to }: Import) =>
      within(to, 'provisioning/') && !within(to, 'provisioning/index.ts', ...RUN_BY_NODE);
    expect(shown(ofFolder('cli').filter(isDeep))).toEqual([]);
  });

  test('table/dynamodb: where things are put together, elsewhere only types', () => {
    const others = IMPORTS.filter(
      ({ from, to, isTypeOnly }) =>
        within(to, 'table/dynamodb/') &&
        !isTypeOnly &&
        !within(from, 'table/dynamodb/', 'test/', 'bench/', ...ROOTS),
    );
    expect(shown(others)).toEqual([]);
  });

  test('table: of what stands behind the ports nothing', () => {
    const others = ofFolder('table').filter(({ from }) => !within(from, 'table/dynamodb/', 'table/memory/'));
    expect(shown(others.filter(({ to }) => within(to, 'table/dynamodb/', 'table/memory/')))).toEqual([]);
  });

  test('the command line is imported by tests and by what measures it only', () => {
    const others = IMPORTS.filter(({ from }) => !within(from, 'cli/', 'test/', 'bench/'));
    expect(shown(others.filter(({ to }) => within(to, 'cli/')))).toEqual([]);
  });

  test('test/proof/formal: nothing of ours, but in its tests', () => {
    const runner = ofFolder('test/proof/formal').filter(({ from }) => !from.endsWith('.test.ts'));
    expect(shown(runner.filter(({ to, isOurs }) => isOurs && !within(to, 'test/proof/formal/')))).toEqual([]);
  });

  test.each([
    ['table', /^zod$/],
    ['table/memory', /^$/],
    ['table/dynamodb', /^(?:@aws-sdk\/.+|@smithy\/node-http-handler|node:crypto|node:events|node:https?)$/],
    ['engine', /^(?:lru-cache|@marcbachmann\/cel-js(?:\/evaluator)?)$/],
    ['engine/rows', /^zod\/mini$/],
    // The small zod: the full one is four times as long to load.
    [
      'authorizer',
      /^(?:jose|lru-cache|zod\/mini|node:async_hooks|node:crypto|node:https?|@opentelemetry\/api)$/,
    ],
    ['authzen', /^(?:zod\/mini|node:https?)$/],
    [
      'authorizer/sockets',
      /^(?:zod\/mini|aws-lambda|@aws-sdk\/(?:client-apigatewaymanagementapi|credential-provider-env|lib-dynamodb))$/,
    ],
    ['middleware', /^zod\/mini$/],
    ['provisioning', /^(?:zod|ulid|node:crypto)$/],
    ['scim', /^(?:zod\/mini|scim2-parse-filter)$/],
    ['testing', /^(?:yaml|ulid|zod|vitest|@jest\/globals|node:(?:crypto|fs\/promises|url))$/],
    [
      'cli',
      /^(?:commander|csv-parse|lru-cache|yaml|zod|ulid|@aws-sdk\/client-(?:dynamodb|lambda|s3)|node:.+)$/,
    ],
  ])('%s: a few packages only', (folder, allowed) => {
    const isOther = (from: string) =>
      ['table/dynamodb', 'engine/rows'].some((other) => folder !== other && within(from, `${other}/`));
    const packages = ofFolder(folder).filter(({ from, isOurs }) => !isOurs && !isOther(from));
    expect(ofFolder(folder).length).toBeGreaterThan(0);
    expect(shown(packages.filter(({ to }) => !allowed.test(to)))).toEqual([]);
  });
});

/** Provisioning from bottom to top, its folders and the files beside them: each imports of its own layer and of those below. */
const LAYERS: readonly (readonly [of: string, ...names: readonly string[]])[] = [
  [
    'values and means, which know nothing of the rest',
    ...[
      ...['batched-reads', 'canonical', 'ids', 'in-turns', 'issues', 'list-pages'],
      ...['operator-permissions', 'plan'],
    ],
    ...['read-as', 'remembered', 'revocation-bound', 'sentences', 'visible'],
  ],
  ['what the table says of nodes and edges', 'nodes/', 'routes/', 'edges/', 'names/'],
  [
    'what a command is: its input, its plan, its records',
    ...['assembly', 'audit', 'command', 'field-meant', 'former-names', 'in-steps', 'input'],
    ...['operation', 'pseudonyms'],
  ],
  ['what commands share, and who may send which', 'kinds/', 'operators/'],
  ['the commands', 'commands/'],
  ['the table as it must be', 'verify/', 'migrate/'],
  ['who gains and loses access, and what must hold', 'access-difference/', 'invariants/'],
  ['a manifest', 'apply/', 'export/'],
  [
    'how commands are run',
    ...['all-commands', 'answer', 'batch', 'pipeline', 'planning-anew', 'provisioning', 'resting'],
    'shared-items',
  ],
  ['what is told of the table', 'documents/', 'matrix/', 'replay/', 'evidence/'],
  ['entries', 'mandates', 'http', 'node-encryption', 'compose', 'handler', 'index'],
];

describe('the layers of provisioning', () => {
  const FOLDER = 'provisioning/';
  const nameOf = (path: string): string => {
    const [name = '', ...more] = path.slice(FOLDER.length).split('/');
    return more.length > 0 ? `${name}/` : name.replace('.ts', '');
  };
  const layerOf = (path: string): number => LAYERS.findIndex(([, ...names]) => names.includes(nameOf(path)));

  test('all of it is in one', () => {
    const names = [...SOURCES.keys()].filter((path) => within(path, FOLDER)).map(nameOf);
    expect([...new Set(names)].sort()).toEqual(LAYERS.flatMap(([, ...own]) => own).sort());
  });

  test('no import leads to a layer above', () => {
    const own = ofFolder('provisioning').filter(({ to }) => within(to, FOLDER));
    expect(shown(own.filter(({ from, to }) => layerOf(from) < layerOf(to)))).toEqual([]);
  });
});

test('CEL and its library are loaded when a condition is met', () => {
  const importersOf = (path: string | RegExp) => {
    const found = IMPORTS.filter(
      ({ from, to, isTypeOnly }) =>
        (typeof path === 'string' ? to === path : path.test(to)) &&
        !isTypeOnly &&
        !within(from, 'test/', 'bench/'),
    );
    return [...new Set(found.map(({ from }) => from))];
  };
  expect(importersOf(/^@marcbachmann\//)).toEqual(['engine/conditions/library.ts']);
  expect(importersOf('engine/conditions/cel.ts')).toEqual(['engine/conditions/load.ts']);
});

test('only what is put together makes logs and metrics', () => {
  const importersOf = (path: RegExp) => {
    const found = IMPORTS.filter(
      ({ from, to, isTypeOnly }) => path.test(to) && !isTypeOnly && !from.startsWith('test/'),
    );
    return [...new Set(found.map(({ from }) => from))].sort();
  };
  expect(importersOf(/\/metrics\.ts$/)).toEqual([
    ...['authorizer/authorizer.ts', 'authorizer/decision-point.ts', 'authzen/http.ts'],
    'scim/compose.ts',
  ]);
  expect(importersOf(/^engine\/log\.ts$/)).toEqual(
    [
      ...FUNCTIONS.map((folder) => `${folder}/handler.ts`),
      ...['provisioning', 'scim', 'authorizer/sockets'].map((folder) => `${folder}/compose.ts`),
      ...[
        'authorizer/decision-log.ts',
        'authorizer/decision-point.ts',
        'cli/serve/over-http.ts',
        'middleware/environment.ts',
        'middleware/log.ts',
      ],
    ].sort(),
  );
});

test('the API of OpenTelemetry is in one file of the authorizer, and its SDK in none', () => {
  const users = IMPORTS.filter(
    ({ from, to }) => to.startsWith('@opentelemetry/') && !within(from, 'test/', 'bench/'),
  );
  expect(shown(users)).toEqual(['authorizer/trace.ts imports @opentelemetry/api']);
});

/** The circles of a graph, by what each node leads to. */
function circlesOf(next: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) circles.push([...trail.slice(trail.indexOf(node)), node].join(' -> '));
    if (trail.includes(node) || done.has(node)) return;
    for (const to of next.get(node) ?? []) visit(to, [...trail, node]);
    done.add(node);
  };
  for (const node of next.keys()) visit(node, []);
  return circles;
}

describe('nothing is imported in a circle', () => {
  const ours = IMPORTS.filter(({ isOurs }) => isOurs);
  const graph = (nodeOf: (path: string) => string | undefined) => {
    const next = new Map<string, Set<string>>();
    for (const { from, to } of ours) {
      const [a, b] = [nodeOf(from), nodeOf(to)];
      if (a !== undefined && b !== undefined && a !== b) next.set(a, (next.get(a) ?? new Set()).add(b));
    }
    return next;
  };

  test('no file', () => expect(circlesOf(graph((path) => path))).toEqual([]));

  test('no folder, at the top level', () => {
    expect(circlesOf(graph((path) => (within(path, 'test/') ? undefined : path.split('/')[0])))).toEqual([]);
  });

  test.each(FOLDERS.filter((folder) => folder !== 'test'))(
    'no folder within %s, nor a file beside it',
    (folder) => {
      const inside = (path: string) => {
        const [first, second] = path.split('/');
        return first === folder ? second : undefined;
      };
      expect(circlesOf(graph(inside))).toEqual([]);
    },
  );
});

/** Packages that are loaded before anything runs. What is imported later costs no time before. */
function loadedAtOnce(entry: string): readonly string[] {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files)
    for (const [, type, target = ''] of SOURCES.get(path)?.matchAll(STATEMENT) ?? []) {
      if (type !== undefined || target.startsWith('node:')) continue;
      if (target.startsWith('.')) files.add(posix.join(posix.dirname(path), target));
      else packages.add(target);
    }
  return [...packages].sort();
}

test('the command line loads little before it knows what is asked', () => {
  expect(loadedAtOnce('cli/main.ts')).toEqual(['commander']);
  expect(loadedAtOnce('cli/commands/check.ts')).toContain('zod');
});

describe('what no file may hold', () => {
  /** Files and lines with what is looked for. */
  const find = (pattern: RegExp, folders: readonly string[], ...except: readonly string[]) =>
    [...SOURCES].flatMap(([path, text]) =>
      within(path, ...folders.map((folder) => `${folder}/`)) && !within(path, ...except)
        ? text.split('\n').flatMap((line) => (pattern.test(line) ? [`${path}: ${line.trim()}`] : []))
        : [],
    );

  test('a Scan', () => {
    expect(find(/ScanCommand|paginateScan|\.scan\(/, FOLDERS)).toEqual([]);
    const stack = readFileSync(join(ROOT, 'serverless.yml'), 'utf8');
    expect(stack.match(/dynamodb:(?:Scan|\*|PartiQL\w*)/g)).toBeNull();
  });

  test('a key that is put together elsewhere than in table/keys.ts', () => {
    const outside = [...PRODUCTION, 'testing', 'cli', 'local', 'bench'];
    const keys = 'table/keys.ts';
    expect(find(/[`'"][A-Z][A-Z_]*#/, outside, keys, DOCUMENTS)).toEqual([]);
    expect(find(/#\$\{|\}#/, outside, keys, DOCUMENTS)).toEqual([]);
    expect(
      find(/(?:join|split|concat)\(['"`]#['"`]\)|['"`]#['"`]\s*\+|\+\s*['"`]#['"`]/, outside, keys),
    ).toEqual([]);
    expect(find(/\b[PS]K:\s*['"`]/, outside, keys)).toEqual([]);
    // What is looked for is found where it may stand.
    expect(find(/join\('#'\)|\}#`/, ['table']).length).toBeGreaterThan(0);
  });

  test('the clock, chance or the environment, unless as a default or where things are put together', () => {
    const roots = [
      ...['engine/clock.ts', 'engine/log.ts', 'authorizer/handler.ts', 'authzen/handler.ts'],
      ...['authorizer/sockets/handler.ts', 'middleware/environment.ts', 'provisioning/handler.ts'],
      ...['scim/handler.ts'],
    ];
    const impure =
      /\bprocess\.|\bDate\.now\b|new Date\(\)|\bMath\.random\b|\bperformance\.|from 'node:process'/;
    const isDefault = (line: string) =>
      /[\w}] = (?:Math\.random|Date\.now|\{ now: Date\.now \})[,\s})]/.test(`${line} `);
    const found = find(impure, [...PRODUCTION, 'testing', 'cli'], ...roots, 'cli/main.ts');
    expect(found.filter((line) => !isDefault(line))).toEqual([]);
    expect(found.filter(isDefault).length).toBeGreaterThan(0);
  });

  test('what only Node has, where a browser may run it', () => {
    const ofNode = /\bBuffer\b|\bprocess\.|\bsetImmediate\b|\b__dirname\b|['"]node:/;
    const folders = [
      ...['table', 'engine', 'provisioning', 'explorer', 'testing/model-tests'],
      ...['authorizer/policies', 'authorizer/routes'],
    ];
    expect(find(ofNode, folders, 'table/dynamodb/', 'engine/log.ts', ...RUN_BY_NODE)).toEqual([]);
  });

  test('a literal that is spread into a literal, to keep fields on one line', () => {
    const idiom = /^\s*\.\.\.(?:\{.*\}|\[[^[\]]*\]),?$|^\s*\.\.\.\{$/;
    expect(idiom.test('    ...{ id, of: { title } },')).toBe(true);
    const product = FOLDERS.filter((folder) => folder !== 'test');
    expect(find(idiom, product)).toEqual([]);
    // In tests, lists of words are written so.
    expect(find(/^\s*\.\.\.\{(?: .*\},?)?$/, FOLDERS)).toEqual([]);
  });

  test('more than 400 lines of code', () => {
    const long = [...SOURCES].flatMap(([path, text]) => {
      const count = text.split('\n').filter((line) => line.trim() !== '').length;
      return count > 400 && !within(path, 'test/') ? [path] : [];
    });
    expect(long).toEqual([]);
  });

  test('a stray test.only, console.log or debugger', () => {
    expect(find(/\b(?:test|it|describe)\.only\b|\bdebugger;/, FOLDERS)).toEqual([]);
    expect(find(/console\.log/, ['table', 'engine', 'authorizer', 'testing', 'cli'])).toEqual([]);
  });
});

test('the top level can be taken in at a glance', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    // What is installed, built or measured is not in git.
    .filter((name) => !['node_modules', 'dist', 'functions', 'coverage'].includes(name));
  expect(folders.length).toBeLessThanOrEqual(16);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: object;
  };
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
});

test('docs/internals/releasing.md says why each package that users get is there', () => {
  const json = (path: string): Readonly<Record<string, object>> =>
    JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const { dependencies = {}, peerDependencies = {} } = json('package.json');
  const inPage = ofFolder('explorer').flatMap(({ to, isOurs }) => {
    const [name = ''] = isOurs ? [] : (/^(?:@[^/]+\/)?[^/]+/.exec(to) ?? []);
    return name === '' || name.startsWith('node:') || name in dependencies ? [] : [name];
  });
  const listed = Object.entries(json('docs/.vitepress/dependencies.json'));
  expect(Object.fromEntries(listed.map(([how, reasons]) => [how, Object.keys(reasons)]))).toEqual({
    installed: Object.keys(dependencies),
    optional: Object.keys(peerDependencies),
    explorer: [...new Set(inPage)].sort(),
  });
});
