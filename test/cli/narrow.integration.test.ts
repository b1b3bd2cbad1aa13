import { beforeAll, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

/** `gatehouse narrow`: what a list of rows asks for, in sentences. */
const MANIFEST = `
properties: [{ of: "resource:invoice", name: owner, type: string, source: passed }]
permissions: ["billing:read:invoice"]
scopes:
  acme: { id: acme, type: client, name: Acme }
  north: { id: north, type: project, parent: acme, name: North }
  other: { id: other, type: client, name: Other }
roles:
  reader: { allow: ["billing:read:invoice"] }
  owner: { allow: [{ permission: "billing:read:invoice", when: resource.properties.owner == subject.id }] }
  shared: { allow: [{ permission: "billing:read:invoice", when: resource.properties.owner == "all" }] }
  admin: { global: true, allow: ["billing:read:invoice"] }
users:
  ann: { id: ann, assignments: [{ role: reader, scope: north }, { role: owner, scope: other }, { role: shared, scope: other }] }
  ben: { id: ben }
  root: { id: root, globalRoles: [admin], assignments: [{ role: owner, scope: north }] }
`;
const OWNER = 'resource.properties.owner == subject.id, or where resource.properties.owner == "all"';

let world: World;
beforeAll(async () => {
  world = await createLightWorld();
  expect(
    await gatehouse(['apply', fileOf(MANIFEST), '--yes'], { env: { TABLE_NAME: world.table } }),
  ).toMatchObject({ code: 0 });
});
const narrow = (...args: readonly string[]) =>
  gatehouse(['narrow', ...args], { env: { TABLE_NAME: world.table } });

test.each([
  [
    'ann',
    [],
    `rows at Other (client:other) or below, where ${OWNER}\nrows at North (project:north) or below\n`,
  ],
  ['ann', ['--within', 'Acme'], 'rows at North (project:north) or below\n'],
  ['ben', [], 'nothing\n'],
  ['root', [], 'everything\n'],
  [
    'root',
    ['--within', 'Acme', '--within', 'Other'],
    'rows at Acme (client:acme) or below\nrows at Other (client:other) or below\nrows at North (project:north) or below, where resource.properties.owner == subject.id\n',
  ],
])('%s %j', async (who, more, out) => {
  expect(await narrow(who, 'billing:read:invoice', ...more)).toEqual({ code: 0, out, error: '' });
});

test('as data', async () => {
  const { out } = await narrow('ann', 'billing:read:invoice', '--within', 'Acme', '--json');
  expect(JSON.parse(out)).toEqual({
    subject: 'user:ann',
    permission: 'billing:read:invoice',
    parts: [{ scope: 'project:north', name: 'North' }],
  });
});

test('what is no root is refused: nothing would look like an answer', async () => {
  const { code, out, error } = await narrow('ann', 'billing:read:invoice', '--within', 'North');
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toContain('--within North is no root: its root is client:acme');
});
