import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

/** `gatehouse matrix`. */
const MANIFEST = `pages: [grades, home]
permissions:
  doors:open:door: { description: "=Opens, or not" }
scopes:
  school: { type: tenant, name: "North | South", combination: deny-overrides }
  hall: { type: location, parent: school }
roles:
  reader: { global: true, allow: [home] }
  teacher: { owner: school, allow: [grades, "doors:*:*"] }
  "=intern": { owner: school, parent: teacher, deny: [{ permission: grades, when: 'context.method == "PUT"' }] }
`;

let world: World;
beforeAll(async () => {
  world = await createLightWorld();
  expect((await run('apply', fileOf(MANIFEST), '--yes')).code).toBe(0);
});
const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });

test('Markdown: a table with signs, what they mean, and the conditions', async () => {
  const { code, out, error } = await run('matrix', 'hall');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out.replace(/tenant:[\w-]+/, 'tenant:ID')).toBe(
    `# Roles and permissions of North \\| South (tenant:ID)

| permission | =intern ↑ teacher | teacher | reader (global) |
| --- | --- | --- | --- |
| \`grades\` | ✕? ✓↑ → ✕? | ✓ |  |
| \`home\` |  |  | ✓ |
| \`doors:open:door\` | ✓↑≈ | ✓≈ |  |
| \`doors:*:*\` | ✓↑ | ✓ |  |

✓ ALLOW, ✕ DENY. ↑ inherited, ≈ by a pattern, ? on a condition. → which one wins where a role has both.

Effects combine by deny-overrides: one DENY refuses, whichever role it comes from.

## Conditions

- \`grades\`, =intern: \`DENY, if context.method == "PUT"; ALLOW, inherited from teacher; DENY wins where its condition holds (deny-overrides)\`
`,
  );
});

test('CSV: a column for each role in words, and no cell is a formula to a spreadsheet', async () => {
  const { code, out } = await run('matrix', 'hall', '--format', 'csv');
  expect(code).toBe(0);
  const [header, ...rows] = parse(out) as readonly string[][];
  expect(header).toEqual(['permission', 'kind', 'description', "'=intern", 'teacher', 'reader (global)']);
  expect(rows.map(([name, kind]) => `${kind} ${name}`)).toEqual([
    ...['page grades', 'page home', 'permission doors:open:door', 'pattern doors:*:*'],
  ]);
  expect(rows[2]?.slice(2)).toEqual([
    "'=Opens, or not",
    'ALLOW, inherited from teacher, by doors:*:*',
    'ALLOW, by doors:*:*',
    '',
  ]);
});

test('data, for all roles and for chosen ones; by --json or as a format', async () => {
  const { out } = await run('matrix', 'hall', '--json', '--role', 'teacher');
  expect((await run('matrix', 'hall', '--format', 'json', '--role', 'teacher')).out).toBe(out);
  expect(JSON.parse(out)).toMatchObject({
    scope: { name: 'North | South' },
    combination: 'deny-overrides',
    roles: [{ name: 'teacher' }],
    cells: [
      { permission: 'grades', marks: [{ effect: 'ALLOW' }] },
      { permission: 'doors:open:door', marks: [{ effect: 'ALLOW', pattern: 'doors:*:*' }] },
      { permission: 'doors:*:*', marks: [{ effect: 'ALLOW' }] },
    ],
  });
});

test('without a scope, the roles that no tenant owns', async () => {
  const { code, out } = await run('matrix');
  expect(code).toBe(0);
  expect(out).toContain('# Roles and permissions of no tenant\n');
  expect(out).toContain('| permission | reader (global) |\n');
  expect(out).toContain('A tenant may choose deny-overrides.\n');
});

test.each([
  [['nowhere'], 'gatehouse matrix: SCOPE nowhere: no scope has this name'],
  [['tenant:nowhere'], 'gatehouse matrix: '],
  [['hall', '--role', 'nobody'], 'gatehouse matrix: --role nobody: no role has this name'],
  [['hall', '--format', 'pdf'], 'gatehouse matrix: --format pdf is not one of markdown, csv, json'],
])('%j is 2', async (args, message) => {
  const { code, out, error } = await run('matrix', ...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error.startsWith(message), error).toBe(true);
});

test('two formats at once are 2', async () => {
  expect(await run('matrix', 'hall', '--json', '--format', 'csv')).toMatchObject({ code: 2, error: '' });
});
