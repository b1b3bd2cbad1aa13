import { PassThrough } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** Commands that take access away, at a terminal. Without one: transcripts/revoke.txt. */
let world: World;
let ids: Readonly<Record<'role' | 'user' | 'other' | 'group' | 'scope', string>>;
beforeEach(async () => {
  world = await createLightWorld();
  await world.run('page.create', { name: 'home' });
  const scope = `tenant:${(await world.run('tenant.create', { name: 'Acme' })).id}`;
  const { id: role } = await world.run('role.create', { name: 'member', scope });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  const { id: group } = await world.run('group.create', { name: 'staff', scope });
  await world.run('group-role.create', { group, role });
  const { id: user } = await world.run('user.create', { email: 'ann@x.example', displayName: 'Ann Arbor' });
  const { id: other } = await world.run('user.create', { email: 'ben@x.example' });
  for (const each of [user, other]) await world.run('membership.create', { user: each, group });
  ids = { role, user, other, group, scope };
});

const env = () => ({ TABLE_NAME: world.table });
const run = (...args: readonly string[]) => gatehouse(args, { env: env() });

/** Runs it at a terminal, where this is typed at the question. */
async function runAt(typed: string, ...args: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let asked = '';
  output.on('data', (chunk) => {
    const isNew = !asked.includes('[y/N]');
    asked += chunk;
    if (isNew && asked.includes('[y/N]')) input.write(typed);
  });
  const ran = await gatehouse(args, { env: env(), isTerminal: true, terminal: { input, output } });
  return { ...ran, asked };
}

test.each(['role.delete', 'revoke-user'])(
  '%s asks at a terminal, and does what is agreed to',
  async (name) => {
    const args = name === 'revoke-user' ? [name, 'ann@x.example'] : ['command', name, `id=${ids.role}`];
    const mayStill = async () => {
      world.settle();
      return (await world.newEngine().check(`user:${ids.user}`, 'home', ids.scope)).allowed;
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
    await world.run('membership.create', { user: id, group: ids.group });
  }
  const { error } = await run('command', 'group.delete', 'id=staff');
  const [, row = ''] = /\n {2}(.* lose home at Acme .*)\n/.exec(error) ?? [];
  expect(row.match(/<p\d+@x\.example> \(user:/g)?.length).toBeGreaterThanOrEqual(8);
  expect(row.match(/\(user:/g)).toHaveLength(10);
  expect(row).toContain(' and 3 more lose home at Acme');
});
