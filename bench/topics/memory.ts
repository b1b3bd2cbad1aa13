import { createEngine, type Engine, type EngineOptions } from '../../engine/index.ts';
import { groupAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, globalKey, type Key } from '../../table/keys.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { createZipf } from '../harness/draws.ts';
import { toFigure } from '../harness/figures.ts';
import { usedBytes } from '../harness/heap.ts';
import { slopeOf } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { fresh, times } from '../model/world.ts';

const MEGABYTE = 2 ** 20;
/** The default bound of a cache in megabytes. */
const BOUND = 32;
/** Users per megabyte of the bound: three times as many as fit. */
const USERS_PER_MEGABYTE = 8_192;
/** Users between two measurements of the slope. */
const STEP = 10_000;
const STEPS = 10;
/** A bound that is never reached. */
const AMPLE = 2 ** 30;

const pageOf = (n: number): string => `page-${n}`;

/** In the form of a ULID. */
const idOf = (kind: string, n: number): string => `01J8Z0E2Z8${kind}${String(n).padStart(15, '0')}`;

const PLACE = { type: 'location', id: '01J8X2W3Y4Z5A6B7C8D9E0F1G2' };
const fixed = new Map<string, Record<string, unknown>>([
  [decisionKey(PLACE).PK, { status: 'active', [groupAttribute(idOf('G', 0))]: new Set([idOf('R', 0)]) }],
  ...times(30, (n): [string, Record<string, unknown>] => [
    decisionKey({ type: 'page', id: pageOf(n) }).PK,
    { registered: true, allow: new Set([idOf('R', 0)]) },
  ]),
  [globalKey().PK, { [roleAttribute(idOf('R', 0))]: '' }],
]);

/** As the client parses it: each user's set has its own strings. */
const groupsAnew = (): Set<string> => new Set(Array.from({ length: 5 }, (_, n) => fresh(idOf('G', n))));

/** Every user exists, in five groups. */
const itemAt = (key: Key): Item | undefined => {
  if (key.SK !== 'DECISION') return undefined;
  const fields = fixed.get(key.PK) ?? { status: 'active', groups: groupsAnew() };
  return { ...key, Type: 'Decision', v: FORMS.usual, writtenAt: 1, writeId: 'bench', ...fields };
};
const getMany = async (keys: readonly Key[]) => keys.map(itemAt);

const newEngine = (maxBytes: number, keepDecisions = true, options: Partial<EngineOptions> = {}): Engine => {
  const reader = { getMany, getSnapshot: getMany };
  return createEngine({ reader, clock: { now: () => 1_000_000 }, maxBytes, keepDecisions, ...options });
};

/** Asks for each of these users, about so many pages. */
const ask = async (engine: Engine, from: number, until: number, pages = 1): Promise<void> => {
  for (let n = from; n < until; n++) {
    const subject = fresh(`user:${idOf('V', n)}`);
    for (let page = 0; page < pages; page++) {
      const { allowed } = await engine.check(subject, fresh(pageOf(page)), fresh(`location:${PLACE.id}`));
      if (!allowed) throw new Error(`${subject} is refused`);
    }
  }
};

/** Bytes per user, with that many decisions kept: the slope over ten measurements, which leaves out constant parts. */
async function bytesPerUser(kept = 0): Promise<number> {
  const engine = newEngine(AMPLE, kept > 0);
  const pages = Math.max(1, kept);
  const step = Math.ceil(STEP / pages);
  const points: [number, number][] = [];
  for (let users = step; users <= STEPS * step; users += step) {
    await ask(engine, users - step, users, pages);
    points.push([users, await usedBytes()]);
  }
  // One more question, so that the engine is not collected before the measurement.
  await ask(engine, 0, 1);
  return slopeOf(points);
}

/** Bytes of an engine that has seen many more users than its cache takes. */
async function bytesWithin(bound: number): Promise<number> {
  const before = await usedBytes();
  const engine = newEngine(bound * MEGABYTE);
  await ask(engine, 0, bound * USERS_PER_MEGABYTE);
  const used = (await usedBytes()) - before;
  await ask(engine, 0, 1);
  return used;
}

const TTL_MS = 60_000;
/** Pages that a user of a load asks about, and questions in a time-to-live. */
const ZIPF = { pages: 3, questions: 200_000 };

/** A load of users that are drawn from a Zipf distribution, for two times-to-live. The second one is counted. */
async function underZipf(users: number, maxBytes: number, keepDecisions = true) {
  let counts = { items: 0, asked: 0, kept: 0 };
  const counted = (keys: readonly Key[]) => {
    counts.items += keys.length;
    return getMany(keys);
  };
  let now = 1_000_000;
  const engine = newEngine(maxBytes, keepDecisions, {
    clock: { now: () => now },
    ttlMs: TTL_MS,
    // The whole of it: otherwise the share would differ from run to run.
    random: () => 0,
    reader: { getMany: counted, getSnapshot: counted },
    observe: ({ isKept }) => {
      counts.asked += 1;
      if (isKept) counts.kept += 1;
    },
  });
  const random = createRandom(41);
  const draw = createZipf(random, users, 1);
  for (const _ of ['first', 'counted']) {
    counts = { items: 0, asked: 0, kept: 0 };
    for (let n = 0; n < ZIPF.questions; n++) {
      now += TTL_MS / ZIPF.questions;
      const page = pageOf(random.below(ZIPF.pages));
      await engine.check(`user:${idOf('V', draw() - 1)}`, page, `location:${PLACE.id}`);
    }
  }
  return counts;
}

export const topic: Topic = {
  title: 'bytes of a cached user, of a decision that is kept, and of a cache beside its bound',
  run: async ({ quick }) => {
    await bytesWithin(1);
    const users: number[] = [];
    const kept: Readonly<Record<number, number[]>> = { 2: [], 30: [] };
    // Rounds differ by a byte: one is enough to compare with budgets.
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      const user = await bytesPerUser();
      users.push(user);
      for (const [count, values] of Object.entries(kept))
        values.push(((await bytesPerUser(Number(count))) - user) / Number(count));
    }
    const used = await bytesWithin(BOUND);
    // Where all fits, and where the memory is too small.
    const ample = await underZipf(2_000, AMPLE);
    const small = await underZipf(24_576, 4 * MEGABYTE);
    const without = await underZipf(24_576, 4 * MEGABYTE, false);
    const share = (name: string, title: string, value: number) => toFigure(name, title, '%', [value * 100]);
    return [
      toFigure('user', 'a cached user with five groups', 'bytes', users),
      ...Object.entries(kept).map(([count, values]) =>
        toFigure(
          `kept-${count}`,
          `a decision that is kept, one of ${count} of a user at a place`,
          'bytes',
          values,
        ),
      ),
      share(`share-${BOUND}`, `of a bound of ${BOUND} MB`, used / (BOUND * MEGABYTE)),
      share(
        'given-again',
        'of a load of 2,000 users, where all fits: decisions given again',
        ample.kept / ample.asked,
      ),
      share(
        'reads-kept',
        'of a load at a bound of 4 MB: items read, of those read without keeping',
        small.items / without.items,
      ),
    ];
  },
};
