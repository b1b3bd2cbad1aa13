import { basename } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { createServiceClient } from '../../table/dynamodb/client.ts';
import { eventually } from '../support/eventually.ts';
import { createWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse test`: files that are right, whatever their tests come to. */
afterAll(removeFiles);

const WORLD = `
manifest:
  pages: [grades, home]
  scopes:
    school: { type: tenant }
    north: { type: location, parent: school }
  roles:
    teacher: { allow: [grades] }
  groups:
    teachers: { scope: north, roles: [teacher] }
  users:
    ann: { groups: [teachers] }
    ben:
`;

interface Report {
  readonly passed: number;
  readonly files: readonly [
    {
      readonly tests: readonly {
        readonly passed: boolean;
        readonly answers: readonly { readonly reason: string; readonly explanation?: unknown }[];
      }[];
    },
  ];
}

/** Runs `gatehouse test --json` on a file of this text, and gives the outcome of each question. */
async function outcomes(text: string, extension = 'yaml') {
  const { code, out, error } = await gatehouse(['test', '--json', fileOf(text, extension)]);
  expect(error).toBe('');
  const data = JSON.parse(out) as Report;
  const reasons = data.files[0].tests.map(({ answers }) => answers.map(({ reason }) => reason));
  return { code, data, reasons };
}

/** Every reason of the tests in a world, each of which must come as expected. */
const right = async (text: string) => {
  const { code, data, reasons } = await outcomes(text);
  expect(data.files[0].tests.filter(({ passed }) => !passed)).toEqual([]);
  expect(code).toBe(0);
  return reasons.flat();
};

const tablesLeft = async (): Promise<readonly string[]> => {
  const { TableNames = [] } = await createServiceClient({ endpoint: inject('endpoint') }).send(
    new ListTablesCommand({}),
  );
  return TableNames.filter((name) => name.startsWith('gatehouse-test-'));
};
afterAll(async () => expect(await tablesLeft()).toEqual([]));

test('the example of the documents passes', async () => {
  const { code, out, error } = await gatehouse(['test', 'docs/examples/school.test.yaml']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/\n\d+ passed, 0 failed\n$/);
});

test('a manifest in a file of its own is found from the folder of the test', async () => {
  const manifest = fileOf(stringify(parse(WORLD).manifest));
  expect(
    await right(`
manifest: ./${basename(manifest)}
tests:
  - { subject: ann, permission: grades, scope: north, expect: allow }
  - { subject: ben, permission: grades, scope: north, expect: no_grant }
`),
  ).toEqual(['role', 'no_grant']);
});

test('an expectation is read in any case', async () => {
  expect(
    await right(`${WORLD}
tests:
  - { subject: ann, permission: grades, scope: north, expect: ALLOW }
  - { subject: ben, permission: grades, scope: north, expect: No_Grant }
`),
  ).toEqual(['role', 'no_grant']);
});

test('the example passes on an engine that is started for it', async () => {
  const env = { DYNAMODB_ENDPOINT: undefined };
  const { code, out } = await gatehouse(['test', 'docs/examples/school.test.yaml'], { env });
  expect({ code, ends: out.endsWith(', 0 failed\n') }).toEqual({ code: 0, ends: true });
});

test('a report: one line per test, and why for one that failed', async () => {
  const file = fileOf(`${WORLD}
at: 2026-03-01
tests:
  - { subject: ann, permission: grades, scope: north, expect: allow }
  - { name: Ben as well, subject: ben, permission: grades, scope: north, expect: allow }
  - { subject: ann, scope: north, allow: [grades], deny: [home] }
  - { subject: ann, scope: north, allow: [home], deny: [grades] }
`);
  const { code, out, error } = await gatehouse(['test', file]);
  expect({ code, error }).toEqual({ code: 1, error: '' });
  expect(out.replace(file, 'FILE')).toBe(`FILE
  ok      ann: grades at north: allow
  FAILED  Ben as well
          asked     ben: grades at north, 2026-03-01T00:00:00.000Z
          expected  allow
          got       REFUSED (no_grant)

          steps
          |- NO 6 roles
          |  \`- no role is in force here
          |- NO 7 effects
          |  |- derivations that allow: 0, that deny: 0
          |  \`- no role in force has an effect on it
          \`- NO 9 default  <- decides

          what would have helped
          |- granted already, but not in force here
          |  \`- none
          |- groups here or above that the subject is not in
          |  \`- teachers at north: carries role teacher
          \`- roles that can be granted here, those that name the permission first
             \`- teacher: allows grades

  ok      ann at north: allow grades; deny home
  FAILED  ann at north: allow home; deny grades
          asked     ann: home at north, 2026-03-01T00:00:00.000Z
          expected  allow
          got       REFUSED (no_grant)

          steps
          |- ok 6 roles
          |  \`- role teacher through group teachers at north
          |- NO 7 effects
          |  |- derivations that allow: 0, that deny: 0
          |  \`- no role in force has an effect on it
          \`- NO 9 default  <- decides

          what would have helped
          |- granted already, but not in force here
          |  \`- none
          |- groups here or above that the subject is not in
          |  \`- none
          \`- roles that can be granted here, those that name the permission first
             \`- none

          asked     ann: grades at north, 2026-03-01T00:00:00.000Z
          expected  deny
          got       ALLOWED (role)

          steps
          |- ok 6 roles
          |  \`- role teacher through group teachers at north
          \`- ok 8 combination  <- decides
             \`- allow-overrides

          allowed by
          \`- group teachers at north
             \`- role teacher
                \`- ALLOW grades


2 passed, 2 failed
`);
});

test('colours on a terminal only', async () => {
  const file = fileOf(`${WORLD}tests: [{ subject: ben, permission: grades, scope: north, expect: allow }]`);
  expect((await gatehouse(['test', file], { isTerminal: true })).out).toContain('\u001b[31mFAILED');
  expect((await gatehouse(['test', file])).out).not.toContain('\u001b');
  const env = { NO_COLOR: '1' };
  expect((await gatehouse(['test', file], { isTerminal: true, env })).out).not.toContain('\u001b');
});

test('--json prints data, with the explanation of failures', async () => {
  const { code, data } = await outcomes(`${WORLD}
tests:
  - { name: seen, subject: ann, permission: grades, scope: north, at: 2026-03-01, expect: role }
  - { subject: ben, permission: grades, scope: north, at: 2026-03-01, expect: allow }
`);
  expect(code).toBe(1);
  const at = '2026-03-01T00:00:00.000Z';
  expect(data).toMatchObject({
    passed: 1,
    failed: 1,
    files: [
      {
        tests: [
          { name: 'seen', passed: true, answers: [{ subject: 'ann', expect: 'role', at, allowed: true }] },
          {
            passed: false,
            answers: [
              { subject: 'ben', allowed: false, reason: 'no_grant', explanation: { allowed: false } },
            ],
          },
        ],
      },
    ],
  });
  expect(data.files[0].tests[0]?.answers[0]?.explanation).toBeUndefined();
});

test('reads JSON, with tabs', async () => {
  const text = JSON.stringify(
    {
      manifest: { pages: ['home'], scopes: { here: { type: 'tenant' } }, users: { ann: { admin: true } } },
      tests: [{ subject: 'ann', permission: 'home', scope: 'here', expect: 'admin' }],
    },
    null,
    '\t',
  );
  expect((await outcomes(text, 'json')).reasons).toEqual([['admin']]);
});

test('several files: a table for each, and one total', async () => {
  const one = (name: string, expected: string) =>
    fileOf(`manifest: { pages: [home], scopes: { ${name}: { type: tenant } }, users: { ann: { admin: true } } }
tests: [{ subject: ann, permission: home, scope: ${name}, expect: ${expected} }]`);
  const { code, out } = await gatehouse(['test', one('here', 'allow'), one('there', 'deny')]);
  expect(code).toBe(1);
  expect(out.endsWith('1 passed, 1 failed\n')).toBe(true);
});

test('more questions than one read can answer', async () => {
  const users = Array.from({ length: 150 }, (_, each) => `u${each}`);
  const lines = users.map(
    (name) => `- { subject: ${name}, permission: home, scope: here, expect: no_grant }`,
  );
  const reasons = await right(`
manifest:
  pages: [home]
  scopes: { here: { type: tenant } }
  users: { ${users.map((name) => `${name}:`).join(', ')} }
tests:
  ${lines.join('\n  ')}
`);
  expect(reasons).toHaveLength(150);
});

describe('what a manifest of tests can hold', () => {
  test('who asks: status, end date, administrators, names that nobody has', async () => {
    await right(`
manifest:
  pages: [home]
  scopes: { here: { type: tenant }, closed: { type: tenant, status: suspended }, in: { type: location, parent: closed } }
  users:
    ada: { admin: true }
    out: { admin: true, status: disabled }
    old: { admin: true, until: 2025-12-31 }
tests:
  - { subject: ada, permission: home, scope: here, expect: admin }
  - { subject: out, permission: home, scope: here, expect: subject_inactive }
  - { subject: old, permission: home, scope: here, at: 2025-12-31T23:59:59Z, expect: admin }
  - { subject: old, permission: home, scope: here, at: 2026-01-01, expect: subject_ended }
  - { subject: ada, permission: home, scope: in, expect: scope_inactive }
  - { subject: nobody, permission: home, scope: here, expect: subject_unknown }
  - { subject: ada, permission: home, scope: nowhere, expect: scope_unknown }
  - { subject: ada, permission: nothing, scope: here, expect: permission_unknown }
`);
  });

  test('roles: inherited, owned, global, by pattern, and both rules of combination', async () => {
    await right(`
manifest:
  permissions: ["docs:read:page", "docs:write:page"]
  scopes:
    mild: { type: tenant }
    strict: { type: tenant, combination: deny-overrides }
    room: { type: location, parent: strict }
  roles:
    writer: { parent: reader, allow: ["docs:write:page"] }
    reader: { allow: ["docs:read:*"] }
    reviewer: { deny: ["docs:write:page"] }
    chief: { owner: mild, parent: writer }
    auditor: { global: true, allow: ["docs:read:page"] }
  groups:
    writers: { scope: strict, roles: [writer] }
  users:
    ann: { groups: [writers], assignments: [{ role: reviewer, scope: room }] }
    ben: { grants: { mild: [chief, reviewer], strict: } }
    cem: { globalRoles: [auditor] }
tests:
  - { subject: ann, scope: strict, allow: ["docs:read:page", "docs:write:page"] }
  - { subject: ann, permission: "docs:write:page", scope: room, expect: denied_by_role }
  - { subject: ben, permission: "docs:write:page", scope: mild, expect: role }
  - { subject: ben, permission: "docs:read:page", scope: strict, expect: no_grant }
  - { subject: cem, permission: "docs:read:page", scope: room, expect: allow }
  - { subject: cem, permission: "docs:write:page", scope: room, expect: no_grant }
`);
  });

  test('subscriptions, licences, programs, and types of scopes that were added', async () => {
    await right(`
manifest:
  scopeTypes:
    campus: { root: true, children: [yard] }
    yard: { parents: [campus] }
  modules: { doors: { sold: true } }
  pages: { lobby: { module: doors }, reports: {} }
  permissions: { "doors:open:door": }
  scopes:
    bluefin: { type: account }
    routes: { type: workstream, parent: bluefin, enterprise: aurora }
    rails: { type: workstream, parent: bluefin, enterprise: borealis }
    aurora: { type: enterprise }
    borealis: { type: enterprise }
    hill: { type: campus }
    court: { type: yard, parent: hill }
  roles: { all: { allow: ["*:*:*"] } }
  users: { ann: { assignments: [{ role: all, scope: hill }] } }
  technicalUsers:
    robot: { account: bluefin, assignments: [{ role: all, scope: bluefin }] }
  subscriptions:
    - { scope: hill, module: doors, status: trial, from: 2026-01-01, until: 2026-01-31 }
  licenses:
    - { account: bluefin, enterprise: aurora, until: 2026-12-31 }
    - { account: bluefin, enterprise: borealis, status: expired }
tests:
  - { subject: ann, scope: court, at: 2026-01-15, allow: [lobby, "doors:open:door", reports] }
  - { subject: ann, permission: lobby, scope: court, at: 2026-02-01, expect: not_subscribed }
  - { subject: ann, permission: "doors:open:door", scope: court, at: 2025-12-31, expect: not_subscribed }
  - { subject: robot, permission: reports, scope: routes, at: 2026-01-15, expect: role }
  - { subject: robot, permission: reports, scope: routes, at: 2027-01-01, expect: not_licensed }
  - { subject: robot, permission: reports, scope: rails, at: 2026-01-15, expect: not_licensed }
`);
  });
});

describe('a file without a manifest tests an existing table', () => {
  let world: World;
  let user: string;
  let place: string;
  beforeAll(async () => {
    world = await createWorld();
    await world.run('page.create', { name: 'home' });
    user = (await world.run('user.create', { displayName: 'Ada' })).id;
    place = (await world.run('location.create', { name: 'North' })).id;
    await world.run('admin.create', { user });
  });
  const NOBODY = 'user:01M7YAMYCAWSND2TZ7F47P6DYF';

  test('by references, and writes nothing', async () => {
    const file = fileOf(`tests:
  - { subject: "user:${user}", permission: home, scope: "location:${place}", expect: admin }
  - { subject: "${NOBODY}", permission: home, scope: "location:${place}", expect: subject_unknown }
  - { subject: "${NOBODY}", permission: home, scope: "location:${place}", expect: deny }
`);
    world.calls.length = 0;
    const { code, out } = await gatehouse(['test', file, '--table', world.table]);
    expect(code).toBe(1);
    expect(out).toContain('got       REFUSED (subject_unknown)');
    expect(out.endsWith('2 passed, 1 failed\n')).toBe(true);
  });

  test('by names', async () => {
    await world.run('user.update', { id: user, email: 'ada@school.example' });
    const question = 'permission: home, scope: north, expect: admin }';
    const file = fileOf(`tests: [{ subject: ADA@school.example, ${question}]`);
    expect((await gatehouse(['test', file, '--table', world.table])).code).toBe(0);
    const unknown = fileOf(`tests: [{ subject: eda, ${question}]`);
    const { code, error } = await gatehouse(['test', unknown, '--table', world.table]);
    expect({ code, error }).toEqual({
      code: 2,
      error: `gatehouse test: ${unknown}: subject eda: no user or other subject has this name\n`,
    });
  });

  test('that was written a moment ago, flat scopes and nested ones', async () => {
    const [tenant, other] = [
      `tenant:${(await world.run('tenant.create', { name: 'One' })).id}`,
      `tenant:${(await world.run('tenant.create', { name: 'Two' })).id}`,
    ];
    const nested = `location:${(await world.run('location.create', { name: 'In', parent: tenant })).id}`;
    const ben = `user:${(await world.run('user.create', { displayName: 'Ben' })).id}`;
    const file = fileOf(`tests:
  - { subject: "${ben}", permission: home, scope: "${other}", expect: no_grant }
  - { subject: "user:${user}", permission: home, scope: "${nested}", expect: admin }
  - { subject: "${ben}", permission: home, scope: "${nested}", expect: deny }
`);
    let time = world.clock.now();
    const now = () => ++time;
    const { code, error } = await gatehouse(['test', file, '--table', world.table], { now });
    expect({ code, error }).toEqual({ code: 0, error: '' });
  });
});

describe('what provisioning refuses is reported with its place, all of it, and no test runs', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'where a scope may not stand, and problems that follow from it are not reported',
      `manifest:
  pages: [home]
  scopes:
    lone: { type: building, parent: here }
    room: { type: zone, parent: lone }
    here: { type: tenant }
    part: { type: location, parent: here, combination: deny-overrides }
  groups: { g: { scope: room } }
  users: { ann: { groups: [g] } }`,
      [
        '4:29: manifest.scopes.lone.parent: a building cannot stand under a tenant',
        '7:43: manifest.scopes.part.combination: is chosen by the root of the tree',
      ],
    ],
    [
      'whose role it is',
      `manifest:
  pages: [home]
  scopes: { here: { type: tenant }, there: { type: tenant } }
  roles: { r: { owner: here } }
  groups: { g: { scope: there, roles: [r] } }
  users: { ann: { globalRoles: [r], assignments: [{ role: r, scope: here, from: 2026-02-01, until: 2025-12-31 }] } }`,
      [
        '5:40: manifest.groups.g.roles[0]: the role r belongs to here and cannot be granted in there',
        '6:33: manifest.users.ann.globalRoles[0]: r is not global: only a global role can be granted everywhere',
        '6:93: manifest.users.ann.assignments[0].until: is not after from',
      ],
    ],
    [
      'names that are the same but for their case',
      `manifest:
  pages: [home]
  scopes: { here: { type: tenant }, HERE: { type: tenant } }
  users: { ann: }`,
      [
        '3:37: manifest.scopes.HERE: is the same tenant as scopes.here: give one of them another name, or leave it out',
      ],
    ],
  ])('%s', async (_, text, messages) => {
    const file = fileOf(
      `${text}\ntests: [{ subject: ann, permission: home, scope: here, expect: no_grant }]`,
    );
    const { code, out, error } = await gatehouse(['test', file]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.trimEnd().split('\n')).toEqual(messages.map((message) => `${file}:${message}`));
  });
});

test('a manifest is named as what it is', async () => {
  const file = fileOf('pages: [home]');
  expect(await gatehouse(['test', file])).toEqual({
    code: 2,
    out: '',
    error: `${file}: is a manifest and holds no model tests: see gatehouse plan\n`,
  });
});

test('--table with files that all have a manifest is a usage error', async () => {
  const { code, error } = await gatehouse(['test', '--table', 'live', 'docs/examples/school.test.yaml']);
  expect(code).toBe(2);
  expect(error).toMatch(/^gatehouse test: --table is not used/);
});

test('an interruption stops what was started', async () => {
  const listeners: (() => void)[] = [];
  const onInterrupt = (listener: () => void) => {
    listeners.push(listener);
    return () => undefined;
  };
  const started = eventually(async () => expect(await tablesLeft()).not.toEqual([]));
  // All at once, as with a signal: who is told later finds the table while it is removed.
  void started.then(() => {
    for (const listener of listeners) listener();
  });
  const users = Array.from({ length: 500 }, (_, each) => `u${each}:`).join(', ');
  const file = fileOf(`manifest: { pages: [home], scopes: { here: { type: tenant } }, users: { ${users} } }
tests: [{ subject: u1, permission: home, scope: here, expect: deny }]`);
  const { code, out, error } = await gatehouse(['test', file], { onInterrupt });
  expect({ code, out, error }).toEqual({ code: 2, out: '', error: 'gatehouse test: interrupted\n' });
  expect(await tablesLeft()).toEqual([]);
});
