import { expect, test } from 'vitest';
import { subjectChanges } from '../../table/decision/writes.ts';
import { decisionKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

test('the same actions sent again on purpose are carried out again, not taken for a repetition', async () => {
  const world = await createWorld();
  const user = { type: 'user', id: (await world.run('user.create', {})).id };
  const admin = async () => (await world.reader.get(decisionKey(user)))?.isAdmin;
  const set = (isAdmin: boolean) => world.writer.send([subjectChanges(user, 1).setAdmin(isAdmin)]);
  for (const isAdmin of [true, false, true, false]) {
    await set(isAdmin);
    expect(await admin()).toBe(isAdmin);
  }
});
