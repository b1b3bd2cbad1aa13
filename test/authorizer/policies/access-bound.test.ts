import { expect, test } from 'vitest';
import { createAccessBound } from '../../../engine/index.ts';
import { createMemoryWorld } from '../../support/world.ts';

/** What a caller may be allowed at most: a policy for the whole API is made of questions within it. */
test('a bound has what roles allow at each scope, inherited or under a condition, and nothing elsewhere', async () => {
  const world = createMemoryWorld();
  await world.apply(`
pages: [news, staff, closed, menu, other]
properties: [{ of: "subject:user", name: level, type: string, source: stored }]
scopes:
  Ours: { id: ours, type: tenant }
  North: { id: north, type: location, parent: Ours }
  South: { id: south, type: location, parent: Ours }
  East: { id: east, type: location, parent: Ours }
  Theirs: { id: theirs, type: tenant }
roles:
  base: { owner: Ours, allow: [news] }
  reader:
    owner: Ours
    parent: base
    allow: [{ permission: staff, when: "subject.properties.level == 'high'" }]
    deny: [closed]
  visitor: { owner: Ours, allow: [menu] }
  stranger: { owner: Theirs, allow: [other] }
users:
  ann:
    id: ann
    assignments: [{ role: reader, scope: North }, { role: visitor, scope: South }]
`);
  world.settle();
  const { reader, clock } = world;
  const boundOf = createAccessBound({ reader, engine: world.newEngine(), most: 10, now: clock.now });
  const asked = { types: new Set(['location']), withPermissions: true, at: clock.now() };
  const bound = await boundOf('user:ann', asked);
  expect(bound?.scopes.toSorted()).toEqual(['location:north', 'location:south']);
  expect(bound?.permissions.toSorted()).toEqual(['menu', 'news', 'staff']);
});

test('groups of everyone in another tenant count as far as they carry a role', async () => {
  const world = createMemoryWorld();
  const sites = Array.from({ length: 11 }, (_, n) => `S${n}`);
  await world.apply(`
pages: [news, menu]
scopes:
  Ours: { id: ours, type: tenant }
  Theirs: { id: theirs, type: tenant }
${sites.map((name) => `  ${name}: { id: ${name}, type: location, parent: Theirs }`).join('\n')}
roles: { reader: { owner: Ours, allow: [news] }, guest: { id: guest, owner: Theirs, allow: [menu] } }
groups:
${sites.map((name) => `  G${name}: { id: ${name}, scope: ${name}, everyone: true }`).join('\n')}
users: { ann: { id: ann, grants: { Ours: [reader] } } }
`);
  const { reader, clock, run } = world;
  const bound = async () => {
    world.settle();
    const boundOf = createAccessBound({ reader, engine: world.newEngine(), most: 10, now: clock.now });
    const asked = { types: new Set(['tenant', 'location']), withPermissions: true, at: clock.now() };
    return boundOf('user:ann', asked);
  };
  expect(await bound()).toEqual({ scopes: ['tenant:ours'], permissions: ['news'] });
  await run('group-role.create', { group: 'S3', role: 'guest' });
  const more = await bound();
  expect(more?.scopes.toSorted()).toEqual(['location:S3', 'tenant:ours']);
  expect(more?.permissions.toSorted()).toEqual(['menu', 'news']);
});

test('where everyone has a role counts as far as a scope of the types may be there or below', async () => {
  const world = createMemoryWorld();
  const sites = Array.from({ length: 41 }, (_, n) => `S${n}`);
  await world.apply(`
pages: [menu]
scopes:
  Ours: { id: ours, type: tenant }
  North: { id: north, type: location, parent: Ours }
  Theirs: { id: theirs, type: tenant }
${sites.map((name) => `  ${name}: { id: ${name}, type: location, parent: Theirs }`).join('\n')}
roles: { guest: { allow: [menu] } }
groups:
${sites.map((name) => `  G${name}: { scope: ${name}, everyone: true, roles: [guest] }`).join('\n')}
users: { ann: { id: ann, grants: { Ours: [guest] } } }
`);
  world.settle();
  const { reader, clock } = world;
  const boundOf = createAccessBound({ reader, engine: world.newEngine(), most: 10, now: clock.now });
  const scopesOf = async (type: string, withPermissions: boolean) =>
    (await boundOf('user:ann', { types: new Set([type]), withPermissions, at: clock.now() }))?.scopes;
  expect(await scopesOf('tenant', false)).toEqual(['tenant:ours']);
  expect(await scopesOf('location', false)).toBeUndefined();
  expect(await scopesOf('tenant', true)).toBeUndefined();
});
