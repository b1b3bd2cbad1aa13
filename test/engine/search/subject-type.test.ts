import { beforeEach, expect, test } from 'vitest';
import { createLists, type Lists } from '../../../engine/index.ts';
import { createWorld } from '../../support/world.ts';

/** Subject search for one type. That it finds all of it, by any grant and in pages: agreement.integration.test.ts. */
let lists: Lists;
const SCOPE = 'tenant:acme';

const world = await createWorld(`
pages: [open]
subjectTypes: [device, device-pool]
scopes: { Acme: { id: acme, type: tenant } }
roles: { guest: { allow: [open] } }
groups: { all: { scope: Acme, everyone: true, roles: [guest] } }
users: { ann: , ben: , cem: }
subjects:
  door: { id: door, type: device }
  lamp: { id: lamp, type: device }
  lamps: { id: lamp, type: device-pool }
`);
beforeEach(() => {
  world.calls.length = 0;
  lists = createLists({ reader: world.reader, engine: world.newEngine(), clock: world.clock });
});

test('looks at subjects of that type only, where everyone may', async () => {
  const { items } = await lists.listSubjects('open', SCOPE, { type: 'device' });
  expect(items).toEqual(['device:door', 'device:lamp']);
  const read = world.calls.flatMap(({ keys }) => keys).reduce((sum, keys) => sum + keys, 0);
  await lists.listSubjects('open', SCOPE);
  const readOfAll = world.calls.flatMap(({ keys }) => keys).reduce((sum, keys) => sum + keys, 0) - read;
  expect(read).toBeLessThan(readOfAll);
});

test('a type that there cannot be has no subjects; a cursor is for its type only', async () => {
  for (const type of ['Device', 'role', 'gadget', 'device:lamp'])
    expect(await lists.listSubjects('open', SCOPE, { type })).toEqual({ items: [] });
  const { cursor } = await lists.listSubjects('open', SCOPE, { type: 'device', limit: 1 });
  const other = lists.listSubjects('open', SCOPE, { type: 'user', cursor });
  await expect(other).rejects.toMatchObject({ code: 'invalid', field: 'cursor' });
  const wrong = lists.listSubjects('open', SCOPE, { type: 7 as unknown as string });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid', field: 'type' });
});
