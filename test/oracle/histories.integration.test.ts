import { describe, expect, test } from 'vitest';
import { createEngine, DEFAULT_TTL_MS } from '../../engine/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { CLOCK_SKEW_MS, COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { START } from './generate.ts';
import { playHistory } from './histories.ts';
import { describeViolation, type HistoryTally, newHistoryTally } from './history-record.ts';
import { AT_PLACE, AT_THE_MARGIN, SCENES, STORIES, type Staged } from './stories.ts';

/**
 * Every answer was true at some single instant within the bound, a deny as much as an allow, whatever the order in which
 * reads and writes arrive, though a batch is read item by item and a write is committed after its writer gave up:
 * `npm run oracle -- --histories 100` plays more of them.
 */
const HISTORIES = size(4, 20);
/** Of stories and scenes. */
const SEEDS = [...Array(size(2, 8)).keys()].map((n) => SEED + n);

const reported = ({ violations: [first] }: HistoryTally): string => (first ? describeViolation(first) : '');

describe('histories that chance has made', () => {
  test.each([
    ['of grants', {}],
    ['of things that come and go', { withNodes: true }],
    ['of outages', { withOutages: true }],
    ['of conditions', { withConditions: true }],
    ['of conditions, and of things that come and go', { withConditions: true, withNodes: true }],
    ['of migrations, and of things that come and go', { withSplits: true, withNodes: true }],
  ])(
    'every answer was true at an instant within the bound: %s',
    async (what, options) => {
      const tally = newHistoryTally();
      for (let n = 0; n < HISTORIES; n++) await playHistory(SEED + n, tally, options);
      expect(reported(tally), again()).toBe('');
      const { cached, strong, atLeast } = tally.checks;
      expect(Math.min(cached, strong, atLeast)).toBeGreaterThan(10);
      expect(tally.contended).toBeLessThan(cached / 10);
      // It says little unless the caches were behind the table now and then.
      expect(tally.stale).toBeGreaterThan(0);
      expect(tally.allowed).toBeGreaterThan(0);
      expect(tally.sessions).toBeGreaterThan(0);
      expect(tally.lists).toBeGreaterThan(0);
      if (what.includes('outages')) expect(tally.failed).toBeGreaterThan(0);
      if (what.includes('migrations')) expect(tally.split).toBeGreaterThan(HISTORIES);
      if (what === 'of conditions') expect(tally.undecided).toBeGreaterThan(0);
    },
    60_000,
  );
});

async function playScene(seed: number, staged: Staged, more: object = {}): Promise<HistoryTally> {
  const { operations, play, withOutages = false } = staged;
  const tally = newHistoryTally();
  const scene = { operations, play: play(), times: 4 };
  await playHistory(seed, tally, { withOutages, ...more, scene });
  return tally;
}

test.each(Object.entries(SCENES))(
  'what seldom comes about: %s',
  async (_, scene) => {
    for (const seed of SEEDS) {
      const tally = await playScene(seed, scene);
      expect(reported(tally), again()).toBe('');
      expect(tally.allowed > 0).toBe(!scene.isClosed);
      expect(tally.writes).toBeGreaterThanOrEqual(4);
      expect(tally.failed > 0).toBe(scene.withOutages === true);
      expect(tally.bridged > 0).toBe(scene.withOutages === true && !scene.isClosed);
    }
  },
  60_000,
);

describe('a write that takes all its time, a clock that is ahead by all that is allowed', () => {
  const ahead = { engines: CLOCK_SKEW_MS, writers: 0 };
  const play = async (scene: Staged, more: object = {}) =>
    (await playScene(1, scene, { ahead, ...more })).violations.length;

  test.each(Object.entries(AT_THE_MARGIN))(
    '%s: what was read before it is known for such',
    async (_, scene) => {
      expect(await play(scene)).toBe(0);
    },
  );

  test('a margin that is a millisecond too small lets a mixture in', async () => {
    const coherenceMarginMs = COHERENCE_MARGIN_MS - 1;
    expect(await play(AT_THE_MARGIN.coherence as Staged, { coherenceMarginMs })).toBeGreaterThan(0);
  });
});

describe('the new enemy', () => {
  test.each(Object.entries(STORIES))('is never let in: %s', async (_, story) => {
    for (const seed of SEEDS) {
      const tally = newHistoryTally();
      await playHistory(seed, tally, { story, steps: 140 });
      expect(reported(tally), again()).toBe('');
      expect(tally.allowed).toBe(0);
      expect(tally.checks.cached).toBeGreaterThan(10);
    }
  });

  // What is asserted above says little unless these histories can fail.
  test.each([
    'a write is stamped, then a half is read, then it arrives',
    'a call that reads one half before a transaction of both changes and one half after it',
    'a call that reads one half before a condition and a property change and one half after it',
    'DynamoDB is down, and what is cached is of before and of after',
  ])('is let in where a stamp is taken for the instant of the commit: %s', async (name) => {
    const answers: string[] = [];
    for (const seed of [1, 2, 3]) {
      const { violations } = await playScene(seed, SCENES[name] as Staged, { coherenceMarginMs: 0 });
      answers.push(...violations.map(({ answer }) => answer));
    }
    expect(answers).toContain('role');
  });
});

/**
 * While DynamoDB is down an engine may answer from longer ago. For a second after a failure it takes everything
 * that it has cached for such, also what is not too old at all: a session then lives for the second bound.
 */
test('what was read just now bounds a session as ever, though a read has failed since', async () => {
  let isDown = false;
  const connected =
    <In extends readonly unknown[], Out>(read: (...input: In) => Promise<Out>) =>
    async (...input: In): Promise<Out> => {
      if (isDown) throw new GatehouseError('transient', 'DynamoDB is down');
      return read(...input);
    };
  const { getMany, getSnapshot } = createMemoryTable().reader;
  const reader = { getMany: connected(getMany), getSnapshot: connected(getSnapshot) };
  const engine = createEngine({ reader, clock: { now: () => START }, outageTtlMs: 600_000 });
  const { subject, scope, permission } = AT_PLACE;
  const openSession = () => engine.session(subject, scope, { permissions: [permission] });
  await openSession();
  isDown = true;
  await expect(engine.check(`${subject.slice(0, -1)}9`, permission, scope)).rejects.toThrow('down');
  isDown = false;
  expect((await openSession()).expiresAt).toBeLessThanOrEqual(START + DEFAULT_TTL_MS);
});
