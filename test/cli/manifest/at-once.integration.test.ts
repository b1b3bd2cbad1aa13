import { ulid } from 'ulid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';
import { serveFunction } from './function.ts';

/** What the command line says of applies that meet, and of what others change meanwhile. */
afterAll(removeFiles);
let world: World;
beforeEach(async () => {
  world = await createWorld();
});

const school = (name: string, people: number): string => `
scopes: { school: { type: tenant } }
groups: { all: { scope: school } }
users:
${Array.from({ length: people }, (_, n) => `  ${name}-${n}: { email: "${name}-${n}@school.example", groups: [all] }`).join('\n')}
`;
const apply = (text: string, ...args: readonly string[]) =>
  gatehouse(['apply', fileOf(text), '--prune', '--yes', ...args], { env: { TABLE_NAME: world.table } });

test('of two applies of one tenant at once, each ends with what it has done', async () => {
  const [one, other] = [school('ann', 40), school('ben', 40)];
  const both = await Promise.all([apply(one), apply(other)]);
  const done = both.filter(({ code }) => code === 0);
  const refused = both.filter(({ code }) => code !== 0);
  for (const { code, error } of refused) {
    expect(code).toBe(1);
    expect(error).toMatch(
      /^gatehouse apply: nothing was done: (?:another apply of tenant:\S+ is under way since \S+Z: try again when it has ended, or after \S+Z|the table has changed since the plan: now it takes .*; plan again)/,
    );
  }
  expect(done.length).toBeGreaterThan(0);
  const plans = await Promise.all(
    [one, other].map((text) =>
      gatehouse(['plan', fileOf(text), '--prune'], { env: { TABLE_NAME: world.table } }),
    ),
  );
  expect(plans.filter(({ code }) => code === 0)).toHaveLength(1);
});

test('what somebody else takes back meanwhile is said, and the exit code is 1', async () => {
  const provision = createProvisioning({ ...world, clock: { now: Date.now }, newId: () => ulid() });
  let takesBack = true;
  const url = await serveFunction(async (event) => {
    const answer = await provision(event);
    if ((event as { command?: string }).command !== 'tenant.apply' || !takesBack) return answer;
    takesBack = false;
    const { items } = await world.run('user.list', {});
    for (const { id } of (items as { id: string }[]).slice(0, 12)) await world.run('user.delete', { id });
    return answer;
  });
  const through = (...args: readonly string[]) =>
    gatehouse(
      [
        ...['apply', fileOf(school('eva', 14)), '--yes', ...args],
        '--function',
        'provisioning',
        '--lambda-endpoint',
        url,
      ],
      { env: {} },
    );
  const { code, out, error } = await through();
  expect(code).toBe(1);
  expect(out).toMatch(/done: \d+ steps\n$/);
  expect(error).toMatch(/^24 changes left, because somebody else has changed the table meanwhile/);
  expect(error.match(/^ {2}\+ /gm)).toHaveLength(10);
  expect(error).toMatch(/… and 14 more\n$/);
  takesBack = true;
  const data = await through('--json');
  expect(data.code).toBe(1);
  expect(JSON.parse(data.out)).toMatchObject({ applied: true, left: { changes: 24 } });
  const again = await through('--json');
  expect(again.code).toBe(0);
  expect(JSON.parse(again.out)).not.toHaveProperty('left');
});

test('what somebody adds after the plan is not pruned unseen: nothing is done, and the exit code is 1', async () => {
  expect((await apply(school('eva', 2))).code).toBe(0);
  const { items } = await world.run('tenant.list', {});
  const [{ id } = { id: '' }] = items as { id: string }[];
  const provision = createProvisioning({ ...world, clock: { now: Date.now }, newId: () => ulid() });
  const url = await serveFunction(async (event) => {
    if ((event as { command?: string }).command === 'tenant.apply')
      await world.run('group.create', { scope: `tenant:${id}`, name: 'late' });
    return provision(event);
  });
  const args = ['--prune', '--yes', '--function', 'provisioning', '--lambda-endpoint', url];
  expect(await gatehouse(['apply', fileOf(school('eva', 1)), ...args], { env: {} })).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /^gatehouse apply: nothing was done: the table has changed since the plan: .* group late /,
    ),
  });
});
