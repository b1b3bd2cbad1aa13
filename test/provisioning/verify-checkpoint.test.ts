import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Checkpoint, verify } from '../../provisioning/verify/index.ts';
import type { Reader } from '../../table/reader.ts';
import { createLightWorld } from '../support/world.ts';

/** A verification that was interrupted goes on from its last checkpoint, with what it had found. */
const USERS = 300;
const DAMAGED = ['u0001', 'u0150', 'u0299'];

async function createDamaged() {
  const world = await createLightWorld();
  const batch = Array.from({ length: USERS }, (_, n) => ({
    command: 'user.create',
    input: { id: `u${String(n).padStart(4, '0')}`, email: `u${n}@example.com`, status: 'disabled' },
  }));
  expect(await world.provision({ batch })).toMatchObject({ ok: true });
  // Users who may log in though their node says that they may not.
  for (const id of DAMAGED)
    await world.writer.send([
      { kind: 'update', key: { PK: `USER#${id}`, SK: 'DECISION' }, set: { status: 'active' } },
    ]);
  const counted = { queries: 0 };
  const reader: Reader = {
    ...world.reader,
    list: async (query) => {
      counted.queries += 1;
      return world.reader.list(query);
    },
  };
  return { ...world, reader, counted };
}

/** The findings of a run that fails after so many Queries, and of the one that goes on from there. */
async function interrupted(world: Awaited<ReturnType<typeof createDamaged>>, after: number) {
  const { reader, clock, counted } = world;
  let last: string | undefined;
  const options = { clock, graceMs: 0, logs: false };
  const before = counted.queries;
  const failing: Reader = {
    ...reader,
    list: (query) =>
      counted.queries - before >= after ? Promise.reject(new Error('cut')) : reader.list(query),
  };
  await expect(
    verify({
      ...options,
      reader: failing,
      onCheckpoint: (checkpoint) => {
        last = JSON.stringify(checkpoint);
      },
    }),
  ).rejects.toThrow('cut');
  const resumedAt = counted.queries;
  const from = last === undefined ? {} : { from: JSON.parse(last) as Checkpoint };
  const result = await verify({ ...options, reader, ...from });
  return { result, place: from.from?.place, queries: counted.queries - resumedAt };
}

const codes = ({
  open,
}: {
  readonly open: readonly { readonly code: string; readonly key: { PK: string } }[];
}) => open.map(({ code, key }) => `${code} ${key.PK}`).sort();

let world: Awaited<ReturnType<typeof createDamaged>>;
beforeAll(async () => {
  world = await createDamaged();
});

test('many users are looked at together: about one Query for each, and few readings by key', async () => {
  let [calls, keys] = [0, 0];
  const reader: Reader = {
    ...world.reader,
    getMany: async (wanted, notes) => {
      calls += 1;
      keys += wanted.length;
      return world.reader.getMany(wanted, notes);
    },
  };
  const { partitions } = await verify({ reader, clock: world.clock, graceMs: 0, logs: false });
  expect(partitions).toBeGreaterThanOrEqual(USERS);
  // Alone, each user took a reading of its own.
  expect(calls).toBeLessThan(USERS / 20);
  expect(keys).toBeGreaterThanOrEqual(USERS);
});

describe('after an interruption', () => {
  test('all findings are there, and what was done is not read again', async () => {
    const { reader, clock, counted } = world;
    const before = counted.queries;
    const whole = await verify({ reader, clock, graceMs: 0, logs: false });
    const all = counted.queries - before;
    expect(codes(whole)).toEqual(DAMAGED.map((id) => `decision_differs USER#${id}`));
    const early = await interrupted(world, Math.floor(all * 0.3));
    const late = await interrupted(world, Math.floor(all * 0.95));
    for (const { result } of [early, late]) {
      expect(codes(result)).toEqual(codes(whole));
      expect(result.partitions).toBe(whole.partitions);
      expect(result.items).toBe(whole.items);
    }
    expect(late.place?.list).toBeDefined();
    expect(late.queries).toBeLessThan(all * 0.6);
  });

  test('a repair is told of that was written before it', async () => {
    const { clock, writer } = world;
    let last: string | undefined;
    const repair = { writer, newId: () => ulid() };
    let pages = 0;
    await expect(
      verify({
        reader: world.reader,
        clock,
        graceMs: 0,
        logs: false,
        repair,
        onCheckpoint: (checkpoint) => {
          last = JSON.stringify(checkpoint);
          pages += 1;
          if (checkpoint.damaged.length === 3) throw new Error('cut');
        },
      }),
    ).rejects.toThrow('cut');
    expect(pages).toBeGreaterThan(0);
    const result = await verify({
      reader: world.reader,
      clock,
      graceMs: 0,
      logs: false,
      repair,
      from: JSON.parse(last ?? '') as Checkpoint,
    });
    expect(codes({ open: result.repaired })).toEqual(DAMAGED.map((id) => `decision_differs USER#${id}`));
    expect(result.open).toEqual([]);
  });
});
