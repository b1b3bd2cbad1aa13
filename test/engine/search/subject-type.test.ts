import { beforeEach, describe, expect, test } from 'vitest';
import { createLists, type Lists } from '../../../engine/index.ts';
import { createWorld } from '../../support/world.ts';

/** Subject search for one type. */
let lists: Lists;
const SCOPE = 'tenant:acme';

const MANIFEST = `
pages: [home, plans, open]
subjectTypes: [device, device-pool]
scopes: { Acme: { id: acme, type: tenant }, Own: { id: own, type: account } }
roles:
  reader: { id: reader, allow: [home] }
  guest: { allow: [open] }
  planner: { allow: [plans] }
  everywhere: { id: everywhere, global: true, allow: [home] }
groups:
  all: { scope: Acme, everyone: true, roles: [guest] }
  some: { id: some, scope: Acme, roles: [reader] }
`;
/** Of each type one subject for each way to hold a role. */
const HOLDINGS: Readonly<Record<string, readonly [command: string, input: object] | undefined>> = {
  member: ['membership.create', { group: 'some' }],
  assigned: ['assignment.create', { scope: SCOPE, role: 'reader' }],
  granted: ['grant.create', { scope: SCOPE, roles: ['reader'] }],
  global: ['global-role.create', { role: 'everywhere' }],
  admin: ['admin.create', {}],
  guest: undefined,
};

const world = await createWorld(MANIFEST);
const { run } = world;
for (const [id, holding] of Object.entries(HOLDINGS)) {
  await run('user.create', { id });
  await run('technical-user.create', { id, name: id, account: 'account:own' });
  for (const type of ['device', 'device-pool']) await run('subject.create', { type, id });
  const [command, input] = holding ?? [];
  for (const type of ['user', 'technical-user', 'device', 'device-pool'])
    if (command) await run(command, { user: type === 'user' ? id : `${type}:${id}`, ...input });
}
world.settle();
beforeEach(() => {
  world.calls.length = 0;
  lists = createLists({ reader: world.reader, engine: world.newEngine(), clock: world.clock });
});

async function all(permission: string, type: string, limit: number) {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await lists.listSubjects(permission, SCOPE, { type, limit, cursor });
    // Pages are full: a candidate of another type takes no place in them.
    if (page.cursor !== undefined) expect(page.items).toHaveLength(limit);
    found.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return found.sort();
  }
}

describe.each(['user', 'technical-user', 'device', 'device-pool'])('of the type %s', (type) => {
  test.each([1, 2, 100])('finds all by any grant, in pages of %i', async (limit) => {
    const named = (...names: readonly string[]) => names.map((name) => `${type}:${name}`);
    expect(await all('home', type, limit)).toEqual(named('admin', 'assigned', 'global', 'granted', 'member'));
    expect(await all('plans', type, limit)).toEqual(named('admin'));
    expect(await all('open', type, limit)).toEqual(
      named('admin', 'assigned', 'global', 'granted', 'guest', 'member'),
    );
  });
});

test('looks at subjects of that type only, where everyone may', async () => {
  const { items } = await lists.listSubjects('open', SCOPE, { type: 'device' });
  expect(items).toHaveLength(6);
  const read = world.calls.flatMap(({ keys }) => keys).reduce((sum, keys) => sum + keys, 0);
  await lists.listSubjects('open', SCOPE);
  const readOfAll = world.calls.flatMap(({ keys }) => keys).reduce((sum, keys) => sum + keys, 0) - read;
  expect(read).toBeLessThan(readOfAll);
});

test('a type that there cannot be has no subjects; a cursor is for its type only', async () => {
  for (const type of ['Device', 'role', 'gadget', 'device:admin'])
    expect(await lists.listSubjects('open', SCOPE, { type })).toEqual({ items: [] });
  const { cursor } = await lists.listSubjects('open', SCOPE, { type: 'device', limit: 1 });
  const other = lists.listSubjects('open', SCOPE, { type: 'user', cursor });
  await expect(other).rejects.toMatchObject({ code: 'invalid', field: 'cursor' });
  const wrong = lists.listSubjects('open', SCOPE, { type: 7 as unknown as string });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid', field: 'type' });
});
