import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLightWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/** What a tired person does: one message that helps, and no change of the table. */
afterAll(removeFiles);
let world: World;
let before: string;
const exported = async () => (await gatehouse(['export'], { env: { TABLE_NAME: world.table } })).out;
beforeAll(async () => {
  world = await createLightWorld();
  const { id } = await world.run('tenant.create', { name: 'taken' });
  await world.run('location.create', { name: 'twin', parent: `tenant:${id}` });
  await world.run('location.create', { name: 'twin', parent: `tenant:${id}` });
  await world.run('location.create', { name: 'moved', code: 'MOVED' });
  await world.run('user.create', { email: 'ann@x.example', displayName: 'Ann' });
  await world.run('user.create', { username: 'ann', displayName: 'Other Ann' });
  before = await exported();
});

const SCHOOL = 'scopes: { school: { type: tenant } }';
const CASES: readonly (readonly [string, string, string])[] = [
  ['an empty file', '', 'is no manifest: there is nothing in it'],
  ['a list', '- a\n- b', 'is no manifest'],
  [
    'only sections with nothing behind them',
    'users:\nroles:\n',
    'says nothing: give scopeTypes, subjectTypes, modules',
  ],
  [
    'a file of model tests',
    'world: {}\ntests: []',
    'holds model tests and is no manifest: see gatehouse test',
  ],
  ['an OpenAPI document', 'openapi: 3.1.0\npaths: {}', 'is an OpenAPI document and no manifest'],
  ['YAML that is broken', 'scopes: { school: { type: tenant }', ':1:'],
  ['a section that stands twice', `${SCHOOL}\n${SCHOOL}`, ':2:1: the same key is above already'],
  ['a typo in a section', 'scops: { school: { type: tenant } }', 'scops: unknown key: did you mean scopes?'],
  [
    'a typo in a key',
    `${SCHOOL}\nusers: { ann: { emal: a@x.example } }`,
    'users.ann.emal: unknown key: did you mean email?',
  ],
  [
    'a typo in a type',
    'scopes: { school: { type: tenent } }',
    'there is no scope type tenent: did you mean tenant?',
  ],
  [
    'a group that is not there',
    `${SCHOOL}\nusers: { ann: { groups: [staf] } }\ngroups: { staff: { scope: school } }`,
    'there is no group staf: did you mean staff?',
  ],
  [
    'a role that nobody has written',
    `${SCHOOL}\ngroups: { staff: { scope: school, roles: [teacher] } }`,
    'there is no role teacher: there is none',
  ],
  [
    'a permission that is nowhere',
    `${SCHOOL}\nroles: { r: { owner: school, allow: [grades] } }`,
    'there is no page or permission grades',
  ],
  [
    'a pattern without quotes',
    `${SCHOOL}\nroles: { r: { owner: school, allow: [*:*:*] } }`,
    'put quotes around what begins with *',
  ],
  ['a date that is none', `${SCHOOL}\nusers: { ann: { until: 30.02.2026 } }`, 'users.ann.until'],
  [
    'a period that ends before it begins',
    `${SCHOOL}\nroles: { r: { owner: school } }\nusers: { ann: { assignments: [{ role: r, scope: school, from: 2026-02-01, until: 2025-12-31 }] } }`,
    'users.ann.assignments[0].until: is not after from',
  ],
  [
    'a place under the wrong one',
    'scopes: { school: { type: tenant }, site: { type: building, parent: school } }',
    'a building cannot stand under a tenant',
  ],
  ['a place without a parent', 'scopes: { site: { type: building } }', 'a building has a parent'],
  ['a circle', 'scopes: { a: { type: zone, parent: b }, b: { type: zone, parent: a } }', 'goes in a circle'],
  ['an email that is none', `${SCHOOL}\nusers: { ann: { email: ann } }`, 'users.ann.email'],
  ['a status that is none', `${SCHOOL}\nusers: { ann: { status: asleep } }`, 'users.ann.status'],
  [
    'a field of another type of scope',
    'scopes: { school: { type: tenant, floors: 3 } }',
    'scopes.school.floors: has no place here',
  ],
  [
    'one user under two names',
    `${SCHOOL}\nusers: { a: { email: a@x.example, id: 01J8Z0E2Z8D2A3J7A7Y2H9GQ9C }, b: { email: b@x.example, id: 01J8Z0E2Z8D2A3J7A7Y2H9GQ9C } }`,
    'is the same user as users.a',
  ],
  [
    'an email of one and a username of another',
    `${SCHOOL}\nusers: { ann: { email: ann@x.example, username: ann } }`,
    'the username ann is that of another user',
  ],
  [
    'a name of another tenant, with an id of its own',
    'scopes: { Taken: { type: tenant, id: mine } }',
    'scopes.Taken: the name taken is that of another tenant',
  ],
  [
    'a name that several have',
    'scopes: { taken: { type: tenant }, twin: { type: location, parent: taken } }',
    '2 of type location are called twin: say which by its id',
  ],
  [
    'a place that stands elsewhere',
    'scopes: { taken: { type: tenant }, moved: { type: location, parent: taken, code: MOVED } }',
    'in the table its parent is nothing, not taken',
  ],
  [
    'a foreign role',
    'scopes: { a: { type: tenant }, b: { type: tenant } }\nroles: { r: { owner: a } }\ngroups: { g: { scope: b, roles: [r] } }',
    'the role r belongs to a and cannot be granted in b',
  ],
  [
    'an assignment that stands twice',
    `${SCHOOL}\nroles: { r: { owner: school } }\nusers: { ann: { assignments: [{ role: r, scope: school }, { role: r, scope: school, until: 2026-12-31 }] } }`,
    'r at school is listed above already',
  ],
  [
    'a grant below a root',
    'scopes: { a: { type: tenant }, b: { type: location, parent: a } }\nusers: { ann: { grants: { b: [] } } }',
    'b is no root: below one, use assignments',
  ],
  [
    'a role that is not global',
    `${SCHOOL}\nroles: { r: { owner: school } }\nusers: { ann: { globalRoles: [r] } }`,
    'r is not global',
  ],
  [
    'a route of the same shape',
    `routes: [{ method: GET, path: "/a/{b}", permission: p, scope: "tenant:{b}" }, { method: GET, path: "/a/{c}", permission: p, scope: "tenant:{c}" }]`,
    'routes[1]: has the shape of routes[0]',
  ],
  [
    'a setting of nobody',
    `${SCHOOL}\nsettings: [{ key: a, value: b }]`,
    'a setting is of a scope or of a user',
  ],
  [
    'an id that is none',
    'scopes: { school: { type: tenant, id: 12 } }',
    'scopes.school.id: must be an id, in quotes',
  ],
  ['a manifest of another table', `table: other\n${SCHOOL}`, 'is for the table other, and this is'],
];

describe.each(['plan', 'apply'])('%s', (command) => {
  test.each(CASES)('%s', async (_, text, message) => {
    const args = [command, fileOf(text), ...(command === 'apply' ? ['--yes', '--prune'] : [])];
    const { code, error, out } = await gatehouse(args, { env: { TABLE_NAME: world.table } });
    expect(error).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).not.toMatch(/\n {4}at |undefined|\[object/);
    expect(error.trimEnd().split('\n').length).toBeLessThan(4);
  });

  test('none of them has changed the table', async () => {
    expect(await exported()).toBe(before);
  });

  test('a file that is not there', async () => {
    const env = { TABLE_NAME: world.table };
    const { error } = await gatehouse([command, 'nowhere.yaml'], { env });
    expect(error).toContain('nowhere.yaml: there is no such file');
  });
});
