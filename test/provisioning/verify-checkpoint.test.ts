import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Checkpoint, type VerifyOptions, verify } from '../../provisioning/verify/index.ts';
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

const OPTIONS = { graceMs: 0, logs: false };

/** Verifies until it is cut, and goes on from the last checkpoint: the findings of that run, and where it began. */
async function resumed(cut: Partial<VerifyOptions>, more: Partial<VerifyOptions> = {}) {
  const options = { reader: world.reader, clock: world.clock, ...OPTIONS, ...more };
  let last: string | undefined;
  const onCheckpoint = (checkpoint: Checkpoint) => {
    last = JSON.stringify(checkpoint);
    cut.onCheckpoint?.(checkpoint);
  };
  await expect(verify({ ...options, ...cut, onCheckpoint })).rejects.toThrow('cut');
  const from = last === undefined ? {} : { from: JSON.parse(last) as Checkpoint };
  const before = world.counted.queries;
  const result = await verify({ ...options, ...from });
  return { result, place: from.from?.place, queries: world.counted.queries - before };
}

/** The same, cut after so many Queries. */
function interrupted(after: number) {
  const until = world.counted.queries + after;
  const list: Reader['list'] = (query) =>
    world.counted.queries >= until ? Promise.reject(new Error('cut')) : world.reader.list(query);
  return resumed({ reader: { ...world.reader, list } });
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
  const { partitions } = await verify({ reader, clock: world.clock, ...OPTIONS });
  expect(partitions).toBeGreaterThanOrEqual(USERS);
  // Alone, each user took a reading of its own.
  expect(calls).toBeLessThan(USERS / 20);
  expect(keys).toBeGreaterThanOrEqual(USERS);
});

describe('after an interruption', () => {
  test('all findings are there, and what was done is not read again', async () => {
    const { reader, clock, counted } = world;
    const before = counted.queries;
    const whole = await verify({ reader, clock, ...OPTIONS });
    const all = counted.queries - before;
    expect(codes(whole)).toEqual(DAMAGED.map((id) => `decision_differs USER#${id}`));
    const early = await interrupted(Math.floor(all * 0.3));
    const late = await interrupted(Math.floor(all * 0.95));
    for (const { result } of [early, late]) {
      expect(codes(result)).toEqual(codes(whole));
      expect(result.partitions).toBe(whole.partitions);
      expect(result.items).toBe(whole.items);
    }
    expect(late.place?.list).toBeDefined();
    expect(late.queries).toBeLessThan(all * 0.6);
  });

  test('a repair is told of that was written before it', async () => {
    const repair = { writer: world.writer, newId: () => ulid() };
    const onCheckpoint = ({ damaged }: Checkpoint) => {
      if (damaged.length === 3) throw new Error('cut');
    };
    const { result } = await resumed({ onCheckpoint }, { repair });
    expect(codes({ open: result.repaired })).toEqual(DAMAGED.map((id) => `decision_differs USER#${id}`));
    expect(result.open).toEqual([]);
  });
});
