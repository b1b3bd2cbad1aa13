import { beforeAll, describe, expect, inject, test } from 'vitest';
import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { describeViolation, type HistoryTally, newHistoryTally, playHistory, SKEW_MS } from './histories.ts';
import { createStage, type Stage } from './stage.ts';
import { AT_PLACE, atTheMargin, SCENES, STORIES, type Staged } from './stories.ts';

/**
 * Every answer was true at some single instant within the bound, a deny as much as an allow, whatever the
 * order in which reads and writes arrive: `npm run oracle -- --histories 100` plays more of them.
 */
let stage: Stage;
beforeAll(() => {
  stage = createStage(inject('endpoint'));
});

const HISTORIES = 2;
/** The test of coherence taken out. */
const CARELESS = { coherenceMarginMs: Number.NEGATIVE_INFINITY };

const told = ({ violations: [first] }: HistoryTally): string => (first ? describeViolation(first) : '');

describe('histories that chance has made', () => {
  test.each([
    ['of grants, a fixed seed', 20_260_115, {}],
    ['of grants, a new seed', Date.now() % 1_000_000_000, {}],
    ['of things that come and go, a new seed', Date.now() % 1_000_000_000, { withNodes: true }],
    ['of outages, a fixed seed', 20_260_115, { withOutages: true }],
    ['of outages, a new seed', Date.now() % 1_000_000_000, { withOutages: true }],
  ])(
    'every answer was true at an instant within the bound: %s, %d',
    async (what, seed, options) => {
      console.log(`npm run oracle -- --seed ${seed} --histories ${HISTORIES}`);
      const tally = newHistoryTally();
      for (let n = 0; n < HISTORIES; n++) await playHistory(stage, seed + n, tally, options);
      console.log(JSON.stringify({ ...tally, violations: tally.violations.length }));
      expect(told(tally)).toBe('');
      if (!what.includes('fixed')) return;
      const { cached, strong, atLeast } = tally.checks;
      expect(Math.min(cached, strong, atLeast)).toBeGreaterThan(10);
      expect(tally.gaveUp).toBeLessThan(cached / 10);
      // It says little unless the caches were behind the table now and then.
      expect(tally.stale).toBeGreaterThan(0);
      expect(tally.allowed).toBeGreaterThan(0);
      expect(tally.sessions).toBeGreaterThan(0);
      expect(tally.lists).toBeGreaterThan(0);
      if (what.includes('outages')) expect(tally.failed).toBeGreaterThan(0);
    },
    60_000,
  );
});

async function playScene(seed: number, staged: Staged, more: object = {}): Promise<HistoryTally> {
  const { operations, play, withOutages = false } = staged;
  const tally = newHistoryTally();
  const scene = { operations, play: play(), times: 4 };
  await playHistory(stage, seed, tally, { withOutages, ...more, scene });
  return tally;
}

test.each(Object.entries(SCENES))(
  'what seldom comes about: %s',
  async (_, scene) => {
    for (const seed of [1, 2, 3, Date.now() % 1_000_000_000]) {
      const tally = await playScene(seed, scene);
      expect(told(tally)).toBe('');
      expect(tally.allowed > 0).toBe(!scene.isClosed);
      expect(tally.writes).toBeGreaterThanOrEqual(4);
      expect(tally.failed > 0).toBe(scene.withOutages === true);
      expect(tally.bridged > 0).toBe(scene.withOutages === true && !scene.isClosed);
    }
  },
  60_000,
);

describe('a write that takes all its time, a clock that is ahead by all that is allowed', () => {
  const ahead = { engines: SKEW_MS, writers: 0 };
  const play = async (scene: Staged) => told(await playScene(1, scene, { ahead }));

  test.each(Object.entries(atTheMargin(1)))('%s, read a millisecond before it arrives', async (_, scene) => {
    expect(await play(scene)).toBe('');
  });

  // The margin is taken for enough although it says only "not earlier than".
  describe.each(Object.entries(atTheMargin(0)))('%s', (_, scene) => {
    test.fails('read in the millisecond in which it arrives', async () => {
      expect(await play(scene)).toBe('');
    });
  });
});

describe.each(Object.entries(STORIES))('the new enemy: %s', (_, story) => {
  const tell = async (seed: number, options: object): Promise<HistoryTally> => {
    const tally = newHistoryTally();
    await playHistory(stage, seed, tally, { story, steps: 140, ...options });
    return tally;
  };

  test('is let in without the test of coherence, and never with it', async () => {
    let seed = 0;
    for (let isLetIn = false; !isLetIn; ) {
      seed += 1;
      expect(seed, 'histories without one in which coherence matters').toBeLessThan(100);
      const { violations } = await tell(seed, CARELESS);
      isLetIn = violations.some(({ freshness, answer }) => freshness === 'cached' && answer === 'role');
    }
    for (const same of [seed, seed + 1, seed + 2]) {
      const tally = await tell(same, {});
      expect(told(tally)).toBe('');
      expect(tally.allowed).toBe(0);
      expect(tally.checks.cached).toBeGreaterThan(10);
    }
  }, 60_000);
});

/**
 * While DynamoDB is down an engine may answer from longer ago. For a second after a failure it takes everything
 * that it has cached for such, also what is not too old at all: a session then lives for the second bound.
 */
test.fails('what was read just now bounds a session as ever, though a read has failed since', async () => {
  const open = await stage.open();
  try {
    let isDown = false;
    const reach =
      <In extends readonly unknown[], Out>(read: (...input: In) => Promise<Out>) =>
      async (...input: In): Promise<Out> => {
        if (isDown) throw new GatehouseError('transient', 'DynamoDB is down');
        return read(...input);
      };
    const { getMany, getSnapshot } = open.reader;
    const reader = { getMany: reach(getMany), getSnapshot: reach(getSnapshot) };
    const engine = open.newEngine({ reader, outageTtlMs: 600_000 });
    const { subject, scope, permission } = AT_PLACE;
    const openSession = () => engine.session(subject, scope, { permissions: [permission] });
    const began = open.clock.now();
    await openSession();
    isDown = true;
    await expect(engine.check(`${subject.slice(0, -1)}9`, permission, scope)).rejects.toThrow('down');
    isDown = false;
    expect((await openSession()).expiresAt).toBeLessThanOrEqual(began + DEFAULT_TTL_MS);
  } finally {
    await open.close();
  }
});
