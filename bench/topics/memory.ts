import { createEngine, type Engine } from '../../engine/index.ts';
import { groupAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, globalKey, type Key } from '../../table/keys.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { usedBytes } from '../harness/heap.ts';
import { slopeOf } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { fresh } from '../model/world.ts';

const MEGABYTE = 2 ** 20;
/** Bounds of a cache in megabytes; a quick run takes the default only. */
const BOUNDS = [4, 8, 16, 32, 64];
const DEFAULT_BOUND = 32;
/** Users per megabyte of the bound: three times as many as fit. */
const USERS_PER_MEGABYTE = 8_192;
/** Users between two measurements of the slope. */
const STEP = 10_000;
const STEPS = 10;
/** A bound that is never reached. */
const AMPLE = 2 ** 30;

const PLACE = { type: 'location', id: '01J8X2W3Y4Z5A6B7C8D9E0F1G2' };
const fixed = new Map<string, Record<string, unknown>>([
  [decisionKey(PLACE).PK, { status: 'active', [groupAttribute(idOf('G', 0))]: new Set([idOf('R', 0)]) }],
  [decisionKey({ type: 'page', id: 'home' }).PK, { registered: true, allow: new Set([idOf('R', 0)]) }],
  [globalKey().PK, { [roleAttribute(idOf('R', 0))]: '' }],
]);

/** In the form of a ULID. */
function idOf(kind: string, n: number): string {
  return `01J8Z0E2Z8${kind}${String(n).padStart(15, '0')}`;
}

/** As the client parses it: each user's set has its own strings. */
const groupsAnew = (): Set<string> => new Set(Array.from({ length: 5 }, (_, n) => fresh(idOf('G', n))));

/** Every user exists, in five groups. */
const itemAt = (key: Key): Item | undefined => {
  if (key.SK !== 'DECISION') return undefined;
  const fields = fixed.get(key.PK) ?? { status: 'active', groups: groupsAnew() };
  return { ...key, Type: 'Decision', v: FORMS.usual, writtenAt: 1, writeId: 'bench', ...fields };
};
const getMany = async (keys: readonly Key[]) => keys.map(itemAt);

const newEngine = (maxBytes: number): Engine =>
  createEngine({ reader: { getMany, getSnapshot: getMany }, clock: { now: () => 1_000_000 }, maxBytes });

const ask = async (engine: Engine, from: number, until: number): Promise<void> => {
  for (let n = from; n < until; n++) {
    const subject = fresh(`user:${idOf('V', n)}`);
    const { allowed } = await engine.check(subject, 'home', `location:${PLACE.id}`);
    if (!allowed) throw new Error(`${subject} is refused`);
  }
};

/** Bytes per user: the slope over ten measurements, which leaves out constant parts. */
async function bytesPerUser(): Promise<number> {
  const engine = newEngine(AMPLE);
  const points: [number, number][] = [];
  for (let users = STEP; users <= STEPS * STEP; users += STEP) {
    await ask(engine, users - STEP, users);
    points.push([users, await usedBytes()]);
  }
  await ask(engine, 0, 1);
  return slopeOf(points);
}

/** Bytes of an engine that has seen many more users than its cache takes. */
async function bytesWithin(bound: number): Promise<number> {
  const before = await usedBytes();
  const engine = newEngine(bound * MEGABYTE);
  await ask(engine, 0, bound * USERS_PER_MEGABYTE);
  const used = (await usedBytes()) - before;
  // One more question, so that the engine is not collected before the measurement.
  await ask(engine, 0, 1);
  return used;
}

export const memory: Topic = {
  name: 'memory',
  title: 'bytes of a cached user, and of a cache beside its bound',
  run: async ({ quick, log }) => {
    await bytesWithin(1);
    const slopes: number[] = [];
    for (let round = 0; round < (quick ? 3 : 5); round++) slopes.push(await bytesPerUser());
    const shares: Figure[] = [];
    for (const bound of quick ? [DEFAULT_BOUND] : BOUNDS) {
      const used = await bytesWithin(bound);
      log(
        `${bound * USERS_PER_MEGABYTE} users, bound ${bound} MB: ${(used / MEGABYTE).toFixed(1)} MB in use`,
      );
      shares.push(
        toFigure({
          ...{ id: `memory.share-${bound}`, title: `of a bound of ${bound} MB`, unit: '%' },
          values: [(used / (bound * MEGABYTE)) * 100],
        }),
      );
    }
    return [
      toFigure({ id: 'memory.user', title: 'a cached user with five groups', unit: 'bytes', values: slopes }),
      ...shares,
    ];
  },
};
