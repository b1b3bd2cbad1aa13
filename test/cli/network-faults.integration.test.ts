import { afterAll, describe, expect, test } from 'vitest';
import { createRandom } from '../proof/oracle/random.ts';
import { findingsIn, findingsOn } from '../provisioning/findings.ts';
import { size } from '../support/tier.ts';
import { createWorld } from '../support/world.ts';
import { contentOf, createProxy, type Mishap } from './bulk/support.ts';
import { afterAMinute } from './manifest/kill.ts';
import { largeManifest } from './manifest/large.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/**
 * What comes to grief between the command line and the table: nothing is lost, nothing is doubled, and exit code and
 * message say what happened. Loads: bulk/faults.integration.test.ts.
 */
afterAll(removeFiles);

const MISHAPS = ['cut', 'lose the answer', 'throttle', 'conflict'] as const;
/** Of conflicts only transactions know. */
const isWrite = (operation: string): boolean => operation === 'TransactWriteItems';

/** The command line on a table of its own, with a way there on which `next` decides what becomes of a call. */
async function createStage() {
  const world = await createWorld();
  let next: (operation: string, writes: number) => Mishap = () => 'pass';
  const proxy = await createProxy(world.endpoint, (operation, writes) => next(operation, writes));
  const env = { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: proxy.endpoint };
  const run = (...args: readonly string[]) => gatehouse(args, { env });
  const items = async () => proxy.everything(world.reader);
  const countOf = async (type: string) => (await items()).filter(({ Type }) => Type === type).length;
  return {
    world,
    proxy,
    run,
    items,
    countOf,
    /** From now on. */
    let: (decide: typeof next) => {
      next = decide;
    },
    /** The next so many writes. */
    befall: (mishap: Mishap, times: number) => {
      let left = times;
      next = (operation) => (isWrite(operation) && left-- > 0 ? mishap : 'pass');
    },
  };
}

describe('a single command', () => {
  test.concurrent.each(MISHAPS)('%s, and it passes: done, once', async (mishap) => {
    const { world, run, befall, items, countOf, proxy } = await createStage();
    befall(mishap, 2);
    const made = await run('command', 'user.create', 'email=ann@example.com', '--json');
    expect({ code: made.code, error: made.error }).toEqual({ code: 0, error: '' });
    const { id } = JSON.parse(made.out).result;
    befall(mishap, 2);
    expect(await run('command', 'user.update', `id=${id}`, 'email=bea@example.com')).toMatchObject({
      code: 0,
      error: '',
    });
    expect([await countOf('User'), await countOf('Guard'), await countOf('AuditLog')]).toEqual([1, 1, 2]);
    expect(await world.run('user.read', { email: 'bea@example.com' })).toMatchObject({ id });
    befall(mishap, 2);
    expect(await run('command', 'user.delete', `id=${id}`, '--yes')).toMatchObject({ code: 0 });
    expect([await countOf('User'), await countOf('Guard'), await countOf('AuditLog')]).toEqual([0, 0, 3]);
    expect(proxy.seen.get(mishap)).toBe(6);
    expect(await findingsIn(await items(), world.clock)).toEqual([]);
  });

  test.concurrent.each([
    ['cut', 'transient', 'TransactWriteItems did not get an answer in time'],
    ['throttle', 'throttled', 'TransactWriteItems was throttled'],
    ['conflict', 'contended', 'another change to the same items was under way'],
  ] as const)(
    '%s, and it lasts: a fault that says how to go on, and going on does it once',
    async (mishap, code, message) => {
      const { world, run, befall, items, countOf } = await createStage();
      befall(mishap, Number.POSITIVE_INFINITY);
      const args = ['command', 'user.create', 'email=ann@example.com', '--operation', 'mine'];
      expect(await run(...args, '--deadline', '0.2')).toEqual({
        code: 2,
        out: '',
        error: `gatehouse command user.create: ${message}; ${code}: it can be retried (${code}, retryable with --operation mine)\n`,
      });
      expect(await countOf('User')).toBe(0);
      befall('pass', 0);
      expect(await run(...args)).toMatchObject({ code: 0, error: '' });
      expect([await countOf('User'), await countOf('Guard'), await countOf('AuditLog')]).toEqual([1, 1, 1]);
      expect(await findingsIn(await items(), world.clock)).toEqual([]);
    },
  );

  test('a refusal stays a refusal, however late the answer comes', async () => {
    const { world, run, befall } = await createStage();
    await world.run('user.create', { email: 'ann@example.com' });
    for (const mishap of MISHAPS) {
      befall(mishap, 2);
      const { code, error } = await run('command', 'user.create', 'email=ann@example.com');
      expect(code, mishap).toBe(1);
      expect(error, mishap).toMatch(/email is taken \(user:\w+\) \(conflict, not retryable\)\n$/);
    }
    expect(await findingsOn(world)).toEqual([]);
  });
});

describe('an apply', () => {
  const file = () =>
    fileOf(
      largeManifest({
        users: size(4, 12),
        groups: size(4, 12),
        roles: 3,
        scopes: size(2, 6),
        pages: size(6, 20),
      }),
      'json',
    );
  let known: Promise<readonly string[]> | undefined;
  /** What it comes to when nothing happens. */
  const undisturbed = (): Promise<readonly string[]> => {
    known ??= (async () => {
      const { run, items } = await createStage();
      expect(await run('apply', file(), '--yes')).toMatchObject({ code: 0 });
      return contentOf(await items());
    })();
    return known;
  };

  // Each by itself in the soak tier.
  test.concurrent.each(
    [MISHAPS, ...MISHAPS.slice(0, size(0, 4)).map((mishap) => [mishap])].map((each) => [each]),
  )('%s, now and then: the same as when nothing happens', async (mishaps) => {
    const stage = await createStage();
    const chance = createRandom(5).next;
    let befallen = 0;
    // The SDK waits long for what is throttled; only writes meet a conflict, and of them there are few.
    const share = { cut: 0.1, 'lose the answer': 0.1, throttle: 0.06, conflict: 0.4 };
    stage.let((operation) => {
      const mishap = mishaps[befallen % mishaps.length] ?? 'pass';
      if ((!isWrite(operation) && mishap === 'conflict') || chance() >= share[mishap as 'cut']) return 'pass';
      befallen += 1;
      return mishap;
    });
    const { code, out } = await stage.run('apply', file(), '--yes');
    expect({ code, end: out.trimEnd().split('\n').at(-1) }).toMatchObject({
      code: 0,
      end: expect.stringMatching(/^done: \d+ steps$/),
    });
    for (const mishap of mishaps) expect(stage.proxy.seen.get(mishap)).toBeGreaterThan(0);
    expect(contentOf(await stage.items())).toEqual(await undisturbed());
    expect(await findingsIn(await stage.items(), stage.world.clock)).toEqual([]);
  });

  test.concurrent.each(['cut', 'conflict', ...MISHAPS.slice(1, size(1, 3))] as const)(
    '%s from a step on: a fault that says how far it came; run again it ends',
    async (mishap) => {
      const stage = await createStage();
      stage.let((operation, writes) =>
        writes > 2 && (isWrite(operation) || mishap !== 'conflict') ? mishap : 'pass',
      );
      const { code, error } = await stage.run('apply', file(), '--yes', '--deadline', '0.2');
      expect(code).toBe(2);
      expect(error.trimEnd().split('\n').at(-1)).toMatch(
        /^gatehouse apply: .*(?:TransactWriteItems|another change) .+; [1-9]\d* of \d+ steps are done: run it again to go on, which may wait for up to a minute$/,
      );
      stage.let(() => 'pass');
      await afterAMinute({ TABLE_NAME: stage.world.table, DYNAMODB_ENDPOINT: stage.world.endpoint });
      expect(await stage.run('apply', file(), '--yes')).toMatchObject({ code: 0 });
      expect(contentOf(await stage.items())).toEqual(await undisturbed());
      expect(await findingsOn(stage.world)).toEqual([]);
    },
  );
});
