import { beforeEach, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { atQuestion, gatehouse } from './support.ts';

/** Commands that take access away, at a terminal. Without one: transcripts/revoke.txt. */
let world: World;
const MANIFEST = `
pages: [home]
scopes: { Acme: { id: acme, type: tenant } }
roles: { member: { id: member, owner: Acme, allow: [home] } }
groups: { staff: { id: staff, scope: Acme, roles: [member] } }
users:
  ann: { id: ann, email: ann@x.example, displayName: Ann Arbor, groups: [staff] }
  ben: { id: ben, email: ben@x.example, groups: [staff] }
`;
beforeEach(async () => {
  world = await createLightWorld();
  await world.apply(MANIFEST);
});

const env = () => ({ TABLE_NAME: world.table });
const run = (...args: readonly string[]) => gatehouse(args, { env: env() });

const runAt = (typed: string, ...args: readonly string[]) => atQuestion('[y/N]', typed, args, { env: env() });

test.each(['role.delete', 'revoke-user'])(
  '%s asks at a terminal, and does what is agreed to',
  async (name) => {
    const args = name === 'revoke-user' ? [name, 'ann@x.example'] : ['command', name, 'id=member'];
    const mayStill = async () => {
      world.settle();
      return (await world.newEngine().check('user:ann', 'home', 'tenant:acme')).allowed;
    };
    const refused = await runAt('n\n', ...args);
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/Ann Arbor <ann@x\.example> .*loses? home at Acme/);
    expect(refused.out).toContain('undo of ');
    expect(refused.asked).toContain('Do this? [y/N]');
    expect(refused.error).toMatch(/nothing was done: the answer was not yes\n$/);
    expect(await mayStill()).toBe(true);
    expect((await runAt('y\n', ...args)).code).toBe(0);
    expect(await mayStill()).toBe(false);
  },
);

test('up to ten people, then a count, in one read', async () => {
  for (let n = 0; n < 11; n++) {
    const { id } = await world.run('user.create', { email: `p${n}@x.example`, displayName: `P ${n}` });
    await world.run('membership.create', { user: id, group: 'staff' });
  }
  const { error } = await run('command', 'group.delete', 'id=staff');
  const [, row = ''] = /\n {2}(.* lose home at Acme .*)\n/.exec(error) ?? [];
  expect(row.match(/<p\d+@x\.example> \(user:/g)?.length).toBeGreaterThanOrEqual(8);
  expect(row.match(/\(user:/g)).toHaveLength(10);
  expect(row).toContain(' and 3 more lose home at Acme');
});
