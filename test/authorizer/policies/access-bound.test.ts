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
