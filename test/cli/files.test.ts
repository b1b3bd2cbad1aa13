import { truncateSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Files that are wrong: every problem with its place, exit code 2, and no table made (there is none to make it in). */
afterAll(removeFiles);

const NOWHERE = { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };

/** The problems of a file, without its name. */
async function problemsIn(text: string, extension?: string): Promise<readonly string[]> {
  const file = fileOf(text, extension);
  const { code, out, error } = await gatehouse(['test', file], { env: NOWHERE });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  return error
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(`${file}:`, ''));
}

const TESTS = 'tests: [{ subject: ann, permission: home, scope: here, expect: allow }]';
const WORLD = 'pages: [home], scopes: { here: { type: tenant } }, users: { ann: {} }';
/** A file whose manifest has these lines as well. */
const withManifest = (...lines: readonly string[]) => `manifest:
  pages: [home]
  scopes: { here: { type: tenant } }
  users: { ann: {} }
${lines.map((line) => `  ${line}\n`).join('')}${TESTS}
`;
const withTest = (line: string) => `manifest: { ${WORLD} }\ntests:\n  - ${line}\n`;

describe('malformed YAML', () => {
  test.each<[string, string, string]>([
    [
      'an open bracket',
      'manifest: {\n  pages: [home\n',
      '3:1: Flow map in block collection must be sufficiently indented and end with a }',
    ],
    [
      'a key twice',
      'manifest:\n  users:\n    ann:\n    ann:\ntests: []\n',
      '4:5: the same key is above already',
    ],
    ['two documents', `${TESTS}\n---\n${TESTS}\n`, '2:1: a second document begins here'],
    [
      'a pattern without quotes',
      'manifest:\n  roles: { r: { allow: [*:*:*] } }\n',
      '2:25: *:*:* is an alias of nothing: put quotes',
    ],
    ['a name that is none', 'manifest:\n  users:\n    __proto__: {}\n', '3:5: __proto__ can be no name'],
    ['an unknown tag', 'tests: !thing []\n', '1:8: Unresolved tag: !thing'],
  ])('%s', async (_, text, message) => {
    const problems = await problemsIn(text);
    expect(
      problems.some((line) => line.startsWith(message)),
      problems.join('\n'),
    ).toBe(true);
  });

  test('malformed JSON', async () => {
    expect((await problemsIn('{ "tests": [ }', 'json'))[0]).toMatch(/^1:14: /);
  });
});

describe('no document at all', () => {
  test.each([
    [
      'bytes',
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
      'is no text, but a binary file: save it as text in UTF-8',
    ],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0]), 'is not UTF-8: save it as UTF-8'],
    ['Latin-1', new Uint8Array([0x61, 0x3a, 0x20, 0xe4, 0x0a]), 'is not UTF-8: save it as UTF-8'],
    ['a large file', undefined, 'is larger than 6291456 bytes: divide it'],
  ])('%s', async (_, bytes, message) => {
    const file = fileOf('');
    if (bytes) writeFileSync(file, bytes);
    else truncateSync(file, 3_000_000_000);
    expect(await gatehouse(['test', file])).toEqual({ code: 2, out: '', error: `${file}: ${message}\n` });
  });

  test.each([
    ['/tmp', 'is a folder'],
    ['/dev/zero', 'is larger than 6291456 bytes: divide it'],
  ])('%s', async (file, message) => {
    expect(await gatehouse(['test', file])).toEqual({ code: 2, out: '', error: `${file}: ${message}\n` });
  });

  test('what would steer a terminal is not printed as it is', async () => {
    expect((await problemsIn('a: *\u001b31m\n'))[0]).toContain('*\\x1b31m is an alias of nothing');
  });
});

describe('missing and unknown keys', () => {
  test.each<[string, string, readonly string[]]>([
    ['an empty file', '', [' there are no tests in it: give a list, tests']],
    ['a list', '- 1', [' must be a mapping']],
    ['no tests', `manifest: { ${WORLD} }`, [' there are no tests in it: give a list, tests']],
    ['an empty list of tests', 'tests: []', [' there are no tests in it: give a list, tests']],
    ['tests that are no list', 'tests: { a: 1 }', ['1:1: tests: must be a list']],
    ['a key of the file', `manifst: {}\n${TESTS}`, ['1:1: manifst: unknown key: did you mean manifest?']],
    [
      'a key of a manifest',
      withManifest('user: {}'),
      ['5:3: manifest.user: unknown key: did you mean users?'],
    ],
    [
      'a key of a group',
      withManifest('groups:', '  staff: { scope: here, role: [x] }'),
      ['6:27: manifest.groups.staff.role: unknown key: did you mean roles?'],
    ],
    [
      'a key far from all',
      withManifest('groups: { staff: { scope: here, zzzzzz: 1 } }'),
      [
        '5:35: manifest.groups.staff.zzzzzz: unknown key: there are id, name, scope, roles, everyone, allowOnly, groupType, description',
      ],
    ],
    [
      'a key of a test',
      withTest('{ subject: ann, permission: home, scope: here, expected: allow }'),
      ['3:52: tests[0].expected: unknown key: did you mean expect?'],
    ],
    [
      'nothing asked',
      withTest('{ subject: ann, scope: here }'),
      ['3:5: tests[0]: give permission and expect, or else lists: allow, deny'],
    ],
    [
      'asked in both ways',
      withTest('{ subject: ann, scope: here, permission: home, allow: [home] }'),
      ['3:5: tests[0]: give permission and expect, or else lists: allow, deny'],
    ],
    [
      'no subject',
      withTest('{ permission: home, scope: here, expect: allow }'),
      ['3:5: tests[0].subject: must be a name (in quotes if it looks like a number)'],
    ],
    [
      'an expectation that is none',
      withTest('{ subject: ann, permission: home, scope: here, expect: no_grants }'),
      ['3:52: tests[0].expect: no_grants is neither allow, deny nor a reason: did you mean no_grant?'],
    ],
    [
      'an instant that is none',
      withTest('{ subject: ann, permission: home, scope: here, at: 2026-02-30, expect: allow }'),
      ['3:52: tests[0].at: is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01'],
    ],
    [
      'an instant without its offset',
      withManifest('subscriptions: [{ scope: here, module: m, from: 2026-03-01T08:00 }]'),
      [
        '5:45: manifest.subscriptions[0].from: is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01',
      ],
    ],
    [
      'a flag that is none',
      withManifest('modules: { m: { sold: yes } }'),
      ['5:19: manifest.modules.m.sold: must be true or false'],
    ],
    [
      'a permission that is none',
      withManifest('roles: { r: { allow: ["a:b"] } }'),
      ['5:25: manifest.roles.r.allow[0]: is neither a permission nor a pattern such as module:*:resource'],
    ],
    [
      'the same asked for both answers',
      withTest('{ subject: ann, scope: here, allow: [home], deny: [home] }'),
      ['3:56: tests[0].deny[0]: home is in allow as well'],
    ],
  ])('%s', async (_, text, messages) => {
    expect(await problemsIn(text)).toEqual(messages);
  });
});

describe('names of nothing, and two names of the same', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a role of a group',
      withManifest('roles: { teacher: {} }', 'groups:', '  staff: { scope: here, roles: [techer] }'),
      ['7:35: manifest.groups.staff.roles[0]: there is no role techer: did you mean teacher?'],
    ],
    [
      'a group of a user whose name is no word',
      'manifest:\n  scopes: { here: { type: tenant } }\n  pages: [home]\n  users:\n    "ann b.": { groups: [staff] }\n    ann:\n' +
        TESTS,
      ['5:26: manifest.users["ann b."].groups[0]: there is no group staff: there is none'],
    ],
    [
      'a parent',
      withManifest().replace('type: tenant }', 'type: tenant }, in: { type: location, parent: hre }'),
      ['3:59: manifest.scopes.in.parent: there is no scope hre: did you mean here?'],
    ],
    [
      'a type',
      withManifest().replace('type: tenant', 'type: tennant'),
      ['3:21: manifest.scopes.here.type: there is no scope type tennant: did you mean tenant?'],
    ],
    [
      'a page of a role',
      withManifest('roles: { r: { allow: [hme], deny: ["a:*:*"] } }'),
      ['5:25: manifest.roles.r.allow[0]: there is no page or permission hme: did you mean home?'],
    ],
    [
      'a scope that is no account',
      withManifest('technicalUsers: { bot: { account: here } }'),
      ['5:28: manifest.technicalUsers.bot.account: here is of type tenant, not account'],
    ],
    [
      'all at once',
      withManifest('subscriptions: [{ scope: x, module: y }]', 'licenses: [{ account: x, enterprise: y }]'),
      [
        '5:21: manifest.subscriptions[0].scope: there is no scope x: there is here',
        '5:31: manifest.subscriptions[0].module: there is no module y: there is none',
        '6:16: manifest.licenses[0].account: there is no account x: there is here',
        '6:28: manifest.licenses[0].enterprise: there is no enterprise y: there is here',
      ],
    ],
    [
      'a subject of a test',
      withTest('{ subject: anne, permission: home, scope: here, expect: deny }'),
      ['3:7: tests[0].subject: there is no subject anne: did you mean ann?'],
    ],
    [
      'a permission of a test that expects a refusal',
      withTest('{ subject: ann, scope: here, deny: [homes] }'),
      ['3:41: tests[0].deny[0]: there is no page or permission homes: did you mean home?'],
    ],
    [
      'a role twice in a group',
      withManifest('roles: { r: }', 'groups: { g: { scope: here, roles: [r, r] } }'),
      ['6:42: manifest.groups.g.roles[1]: r is here twice'],
    ],
    [
      'a page twice',
      withManifest().replace('[home]', '[home, home]'),
      ['2:17: manifest.pages[1]: home is here twice'],
    ],
    [
      'allowed and denied',
      withManifest('roles: { r: { allow: [home], deny: [home] } }'),
      ['5:39: manifest.roles.r.deny[0]: home is allowed above: a role has one effect on it'],
    ],
    [
      'a user and a program of one name',
      withManifest()
        .replace('{ ann: {} }', '{ ann: {} }\n  technicalUsers: { ann: { account: acc } }')
        .replace('type: tenant }', 'type: tenant }, acc: { type: account }'),
      ['5:21: manifest.technicalUsers.ann: there is a user ann already'],
    ],
    [
      'a global role with an owner',
      withManifest('roles: { r: { global: true, owner: here } }'),
      ['5:31: manifest.roles.r.owner: a global role has no owner: leave one out'],
    ],
  ])('%s', async (_, text, messages) => {
    expect(await problemsIn(text)).toEqual(messages);
  });

  test('cycles of scopes and of roles, each reported once', async () => {
    const text = withManifest(
      'roles: { a: { parent: b }, b: { parent: c }, c: { parent: b }, d: { parent: d } }',
    ).replace(
      'here: { type: tenant }',
      'here: { type: zone, parent: there }, there: { type: zone, parent: here }',
    );
    expect(await problemsIn(text)).toEqual([
      '3:33: manifest.scopes.here.parent: goes in a circle: here > there > here',
      '5:35: manifest.roles.b.parent: goes in a circle: b > c > b',
      '5:71: manifest.roles.d.parent: goes in a circle: d > d',
    ]);
  });
});

test('errors of commands are reported in the terms of the manifest', async () => {
  const withScopes = (scopes: string) =>
    withManifest('modules: { "a": {} }').replace('type: tenant }', `type: tenant${scopes}`);
  const misplaced = await problemsIn(
    withScopes(
      ' }, p: { type: project, combination: deny-overrides, parent: c }, c: { type: client }, b: { type: building }',
    ),
  );
  expect(misplaced).toHaveLength(2);
  expect(misplaced[0]).toMatch(/^3:\d+: manifest\.scopes\.p\.combination: is chosen by the root/);
  expect(misplaced[1]).toMatch(/^3:\d+: manifest\.scopes\.b: a building has a parent: give parent/);
  const refused = await problemsIn(
    withScopes(', status: shut }, c: { type: client, enterprise: e }, e: { type: enterprise }'),
  );
  expect(refused).toHaveLength(2);
  expect(refused[0]).toBe('3:35: manifest.scopes.here.status: must be one of active, suspended');
  expect(refused[1]).toMatch(/^3:\d+: manifest\.scopes\.c\.enterprise: has no place here/);
});

test('without a manifest, names are those of a table', async () => {
  expect(await problemsIn(TESTS)).toEqual([expect.stringContaining('no table is named')]);
});

describe('a manifest in a file of its own', () => {
  const TESTS = 'tests: [{ subject: ann, permission: grades, scope: north, expect: allow }]';
  const testFor = (manifest: string, tests = TESTS) => fileOf(`manifest: ${manifest}\n${tests}\n`);
  const problemsWith = async (file: string) => {
    const { code, out, error } = await gatehouse(['test', file], { env: NOWHERE });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    return error.trimEnd().split('\n');
  };

  test('is reported with its places', async () => {
    const manifest = fileOf('pages: [grades]\nroles:\n  teacher: { allow: [grade], alow: [] }\n');
    expect(await problemsWith(testFor(basename(manifest)))).toEqual([
      `${manifest}:3:30: roles.teacher.alow: unknown key: did you mean allow?`,
    ]);
    const other = fileOf('pages: [grades]\nroles:\n  teacher: { allow: [grade] }\n');
    expect(await problemsWith(testFor(other))).toEqual([
      `${other}:3:22: roles.teacher.allow[0]: there is no page or permission grade: did you mean grades?`,
    ]);
  });

  test('gives names to the tests beside it', async () => {
    const manifest = fileOf('pages: [grades]\nscopes: { north: { type: location } }\nusers: { anna: }\n');
    const file = testFor(`./${basename(manifest)}`);
    expect(await problemsWith(file)).toEqual([
      `${file}:2:11: tests[0].subject: there is no subject ann: did you mean anna?`,
    ]);
  });

  test.each([
    ['is not there', './nowhere.yaml', /nowhere\.yaml: there is no such file$/],
    ['is a folder', '.', /: is a folder$/],
    [
      'is a test itself',
      basename(fileOf(TESTS)),
      /: holds model tests and is no manifest: see gatehouse test$/,
    ],
  ])('that %s', async (_, path, message) => {
    expect(await problemsWith(testFor(path))).toEqual([expect.stringMatching(message)]);
  });
});

test('the problems of all files are reported together', async () => {
  const [one, two] = [fileOf('tests: []'), fileOf(withManifest('user: {}'))];
  const { code, error } = await gatehouse(['test', one, '/no/such/file.yaml', two], { env: NOWHERE });
  expect(code).toBe(2);
  expect(error.split('\n')).toEqual([
    `${one}: there are no tests in it: give a list, tests`,
    '/no/such/file.yaml: there is no such file',
    `${two}:5:3: manifest.user: unknown key: did you mean users?`,
    '',
  ]);
});
