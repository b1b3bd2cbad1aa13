import { ulid } from 'ulid';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Context } from '../../../cli/context.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createLightWorld, type World } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';
import { serveFunction } from './function.ts';

/** What the command line says of applies that meet, and of what others change meanwhile. */
afterAll(removeFiles);
let world: World;
beforeEach(async () => {
  world = await createLightWorld();
});

const school = (name: string, people: number): string => `
scopes: { school: { type: tenant } }
groups: { all: { scope: school } }
users:
${Array.from({ length: people }, (_, n) => `  ${name}-${n}: { email: "${name}-${n}@school.example", groups: [all] }`).join('\n')}
`;

describe('an apply that finds another one', () => {
  const other = { manifest: parse(school('ben', 40)), atOnce: 5 };

  /** The command line through a function; `beforeApply` comes before each apply that it is sent. */
  async function besideAnother(
    beforeApply: (sent: number, goesOn: () => Promise<unknown>) => unknown,
    changes: Partial<Context> = {},
  ) {
    let ahead = 0;
    const clock = { now: () => Date.now() + ahead };
    const provision = createProvisioning({ ...world, clock, newId: () => ulid() });
    // It is out of time after each step, so it holds the tenant as one that was killed.
    const slow = createProvisioning({ ...world, clock, newId: () => ulid(), budgetMs: -1 });
    const goesOn = () => slow({ command: 'tenant.apply', input: other, operationId: 'other' });
    await goesOn();
    let sent = 0;
    const url = await serveFunction(async (event) => {
      if ((event as { command?: string }).command === 'tenant.apply')
        ahead += Number((await beforeApply(++sent, goesOn)) ?? 0);
      return provision(event);
    });
    const through = ['--function', 'provisioning', '--lambda-endpoint', url];
    return gatehouse(['apply', fileOf(school('ben', 4)), '--yes', ...through], { env: {}, ...changes });
  }

  test('waits for one that was killed, with one line that says until when', async () => {
    const { code, out, error } = await besideAnother((sent) => (sent === 3 ? 61_000 : 0));
    expect(error).toMatch(
      /^waiting until \d{4}-\S+Z at most: another apply of this tenant is under way, or was interrupted\n$/,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/done: \d+ steps\n$/);
  }, 30_000);

  test('is refused beside one that goes on', async () => {
    const { code, error } = await besideAnother((sent, goesOn) => (sent > 1 ? goesOn().then(() => 1) : 0));
    expect(error).toMatch(
      /^waiting until .*\ngatehouse apply: nothing was done: another apply of tenant:\S+ is under way since /,
    );
    expect(code).toBe(1);
  }, 30_000);

  test('is refused while it waits, when it is interrupted', async () => {
    const stop: (() => void)[] = [];
    const onInterrupt = (listener: () => void) => {
      stop.push(listener);
      return () => {};
    };
    const interrupt = (sent: number) => (sent === 2 ? stop.map((each) => each()) && 0 : 0);
    const { code, error } = await besideAnother(interrupt, { onInterrupt });
    expect([code, error]).toEqual([1, expect.stringContaining('nothing was done: another apply of tenant:')]);
  }, 30_000);
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
  const args = [
    'apply',
    fileOf(school('eva', 14)),
    '--yes',
    '--function',
    'provisioning',
    '--lambda-endpoint',
    url,
  ];
  const through = (...more: readonly string[]) => gatehouse([...args, ...more], { env: {} });
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
  await world.apply(school('eva', 2));
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
