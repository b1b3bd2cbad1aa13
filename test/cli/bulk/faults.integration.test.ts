import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../proof/oracle/random.ts';
import { findingsOn } from '../../provisioning/findings.ts';
import { cliMain } from '../../support/cli-process.ts';
import { SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { createWorld, type World } from '../../support/world.ts';
import { startGatehouse } from '../process.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';
import { contentOf, createProxy, type Mishap } from './support.ts';

/**
 * Bulk loads while everything fails: cut connections, throttling, conflicts, lost acknowledgements, SIGKILL.
 * The soak tier kills more often (KILLS=50: as often as that).
 */
afterAll(removeFiles);
const KILLS = Number(process.env.KILLS ?? size(1, 6));

/** Users with and without ids of their own, with bad rows and addresses that come twice. */
const USERS = (count: number): string => {
  const lines = ['id,email,displayName,username'];
  for (let n = 0; n < count; n++) {
    const id = n % 3 === 0 ? `01J8Z0E2Z8${String(n).padStart(16, '0')}` : '';
    if (n % 17 === 5) lines.push(`,bad-${n},,`);
    else if (n % 10 === 7) lines.push(`,u${n - 3}@example.com,Twin ${n},`);
    else if (n % 10 === 8) lines.push(`,,Only a name ${n},`);
    else lines.push(`${id},U${n}@example.com,User ${n},user-${n}`);
  }
  return `${lines.join('\n')}\n`;
};

async function createStage(mishapOf: (operation: string, nth: number) => Mishap) {
  const world = await createWorld();
  const proxy = await createProxy(world.endpoint, mishapOf);
  const run = (...args: readonly string[]) =>
    gatehouse(['load', ...args], { env: { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: proxy.endpoint } });
  return { world, proxy, run };
}

/** What a load comes to that nothing disturbs. */
const known = new Map<string, ReturnType<typeof loadUndisturbed>>();
function undisturbed(text: string) {
  const found = known.get(text) ?? loadUndisturbed(text);
  known.set(text, found);
  return found;
}

async function loadUndisturbed(text: string) {
  const { world, proxy, run } = await createStage(() => 'pass');
  const file = fileOf(text, 'csv');
  const { out, error } = await run('users', file, '--json');
  const { created, present, refused } = JSON.parse(out);
  return {
    created,
    refused,
    accepted: created + present,
    error: error.replaceAll(file, 'FILE'),
    content: contentOf(await proxy.everything(world.reader)),
    refusedText: readFileSync(file.replace('.csv', '.refused.csv'), 'utf8').replace(/user:\S+/g, 'user:X'),
  };
}

const clean = async (world: World, proxy: Awaited<ReturnType<typeof createProxy>>) => {
  const items = await proxy.everything(world.reader);
  expect(await findingsOn(world)).toEqual([]);
  return contentOf(items);
};

describe.concurrent('between the command line and the table', () => {
  const ALL = ['cut', 'lose the answer', 'throttle', 'conflict', 'delay'] as const;

  // Each by itself in the soak tier.
  test.each<{ readonly mishaps: readonly Mishap[] }>([
    { mishaps: ALL },
    ...ALL.slice(0, size(0, 4)).map((mishap) => ({ mishaps: [mishap] })),
  ])('$mishaps: nothing is lost, nothing is doubled', async ({ mishaps }) => {
    const text = USERS(size(80, 960));
    const chance = createRandom(7).next;
    let befallen = 0;
    const { world, proxy, run } = await createStage(() =>
      chance() < (mishaps[0] === 'throttle' ? 0.2 : 0.4)
        ? (mishaps[befallen++ % mishaps.length] ?? 'pass')
        : 'pass',
    );
    const expected = await undisturbed(text);
    const file = fileOf(text, 'csv');
    const { code, out } = await run('users', file, '--json');
    const report = JSON.parse(out);
    expect(code).toBe(1);
    expect([report.refused, report.created + report.present]).toEqual([expected.refused, expected.accepted]);
    expect(await clean(world, proxy)).toEqual(expected.content);
    for (const mishap of mishaps) expect(proxy.seen.get(mishap) ?? 0, mishap).toBeGreaterThan(0);
  });

  test('a load waits for the end of an outage', async () => {
    const { world, proxy, run } = await createStage(() => 'pass');
    const text = USERS(size(45, 110));
    proxy.setDown(true);
    setTimeout(() => proxy.setDown(false), 500);
    expect((await run('users', fileOf(text, 'csv'))).code).toBe(1);
    expect(await clean(world, proxy)).toEqual((await undisturbed(text)).content);
  });

  test.each([
    ['cut', 'did not get an answer in time'],
    ['lose the answer', 'did not get an answer in time'],
    ['throttle', 'was throttled'],
    ['conflict', 'another change to the same items was under way'],
  ] as const)(
    '%s without end: a fault that says what to do, and another run ends it',
    async (mishap, what) => {
      const { world, proxy, run } = await createStage((operation, nth) =>
        nth > 1 && isDown && (mishap !== 'conflict' || operation === 'TransactWriteItems') ? mishap : 'pass',
      );
      let isDown = true;
      // Each row that is not written waits as long as a writer tries.
      const text = USERS(size(11, 110));
      const file = fileOf(text, 'csv');
      const { code, error, out } = await run('users', file, '--patience', '1');
      expect(code).toBe(2);
      expect(error).toMatch(
        new RegExp(
          `\\.csv: line \\d+: .*${what} \\(tried for \\d+ s\\); nothing is lost: run it again, with --resume`,
        ),
      );
      expect(out).toMatch(/: \d+ rows: \d+ created, /);
      isDown = false;
      expect((await run('users', file, '--resume')).code).toBe(1);
      const expected = await undisturbed(text);
      expect(await clean(world, proxy)).toEqual(expected.content);
      expect(readFileSync(file.replace('.csv', '.refused.csv'), 'utf8').replace(/user:\S+/g, 'user:X')).toBe(
        expected.refusedText,
      );
    },
  );

  test('memberships of one group, while transactions conflict', async () => {
    const chance = createRandom(13).next;
    const { world, proxy, run } = await createStage(() => (chance() < 0.4 ? 'conflict' : 'pass'));
    const scope = `location:${(await world.run('location.create', { name: 'Place' })).id}`;
    const { id: group } = await world.run('group.create', { scope, name: 'all' });
    const users = await Promise.all(
      Array.from({ length: size(45, 180) }, async () => (await world.run('user.create', {})).id),
    );
    const file = fileOf(`user,group\n${users.map((id) => `${id},${group}`).join('\n')}\n`, 'csv');
    expect(await run('memberships', file)).toMatchObject({ code: 0 });
    const { items } = await world.run('membership.list', { group, limit: 1_000 });
    expect((items as unknown[]).length).toBe(users.length);
    expect(await findingsOn(world)).toEqual([]);
    expect(proxy.seen.get('conflict')).toBeGreaterThan(1);
  });
});

describe('killed', () => {
  test(`at ${KILLS} random moments and run again: as if nothing had been`, async () => {
    const chance = createRandom(SEED).next;
    const rows = size(20, 100) * (KILLS + 2);
    const text = USERS(rows);
    const file = fileOf(text, 'csv');
    let killAt = Number.POSITIVE_INFINITY;
    let kill: () => void = () => {};
    const { world, proxy } = await createStage((operation, nth) => {
      if (operation === 'TransactWriteItems' && nth >= killAt) {
        killAt = Number.POSITIVE_INFINITY;
        setTimeout(kill, Math.floor(chance() * 20));
        return chance() < 0.5 ? 'delay' : 'pass';
      }
      return 'pass';
    });
    const env = { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: proxy.endpoint };
    const main = await cliMain();
    const start = (n: number) =>
      startGatehouse(main, ['load', 'users', file, ...(n % 2 ? ['--resume'] : [])], env);
    let killed = 0;
    for (let n = 0; n < KILLS; n++) {
      const child = start(n);
      kill = child.kill;
      killAt = proxy.writes() + 1 + Math.floor(chance() * 4);
      if ((await child.ended).signal === 'SIGKILL') killed += 1;
    }
    killAt = Number.POSITIVE_INFINITY;
    expect(killed).toBeGreaterThan(0);
    const { code, out } = await start(1).ended;
    expect({ code, out }).toMatchObject({ code: 1 });
    const expected = await undisturbed(text);
    expect(await clean(world, proxy)).toEqual(expected.content);
    expect(readFileSync(file.replace('.csv', '.refused.csv'), 'utf8').replace(/user:\S+/g, 'user:X')).toBe(
      expected.refusedText,
    );
  });
});
