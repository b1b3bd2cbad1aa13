import { beforeEach, expect, test } from 'vitest';
import { ROW_KINDS, type RowKind } from '../../../cli/bulk/kinds.ts';
import { startLoad } from '../../../cli/bulk/load.ts';
import { createRowNames } from '../../../cli/bulk/row-names.ts';
import type { Refusal, SourceRow } from '../../../cli/bulk/rows.ts';
import { type BatchTransport, directTransport, type Transport } from '../../../cli/transport.ts';
import { createPacing } from '../../../table/read/pacing.ts';
import { commandsOf, createWorld, type World } from '../../support/world.ts';
import { answering, done } from './loading.ts';

/** How names in rows are looked up. What they may be: transcripts/load-names.txt. */
let world: World;
const GROUP = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const MANIFEST = `
scopes: { Mercy: { id: mercy, type: tenant }, Ward 1: { id: ward, type: location, parent: Mercy } }
groups: { Nurses: { id: ${GROUP}, scope: Ward 1 } }
users: { uma: { id: u1, email: u1@mercy.example }, own: { id: own-id } }
`;
beforeEach(async () => {
  world = await createWorld(MANIFEST);
});

async function load(
  name: string,
  values: readonly Record<string, unknown>[],
  transport: Transport = directTransport(world.provision),
) {
  const refused: Refusal[] = [];
  async function* rows(): AsyncGenerator<SourceRow> {
    for (const [position, each] of values.entries())
      yield { line: position + 2, bytes: position, values: each, original: [] };
  }
  const loading = startLoad(rows(), {
    kind: ROW_KINDS.find((kind) => kind.name === name) as RowKind,
    transport,
    parallel: 4,
    now: Date.now,
    isOneProcess: true,
    onRefused: (_, refusal) => refused.push(refusal),
    onProgress: () => {},
  });
  const { progress, fault } = await loading.done;
  return { created: progress.created, present: progress.present, refused, fault };
}
test('a row names what a row before it creates', async () => {
  const rows = [
    ...Array.from({ length: 150 }, (_, n) => ({ email: `a${n}@mercy.example` })),
    { email: 'late@mercy.example', invitedBy: 'a149@mercy.example' },
    { email: 'later@mercy.example', invitedBy: 'after@mercy.example' },
    { email: 'after@mercy.example' },
  ];
  const { created, refused } = await load('users', rows);
  const { id } = await world.run('user.read', { email: 'a149@mercy.example' });
  expect(await world.run('user.read', { email: 'late@mercy.example' })).toMatchObject({ invitedBy: id });
  expect({ created, refused }).toMatchObject({
    created: 152,
    refused: [{ line: 153, code: 'name_unknown', field: 'invitedBy' }],
  });
});

test('who may not look names up gives ids and references', async () => {
  const guarded: Transport = async (event) => {
    const answer = await world.provision(event);
    if (!('batch' in event) || !answer.ok) return answer;
    const answers = (answer.result.answers as unknown[]).map((each, position) =>
      event.batch[position]?.command.startsWith('name.')
        ? { ok: false, error: { code: 'not_permitted', message: 'not permitted', retryable: false } }
        : each,
    );
    return { ...answer, result: { answers } };
  };
  const rows = [
    { user: 'own-id', group: GROUP },
    { user: 'u1@mercy.example', group: GROUP },
  ];
  expect(await load('memberships', rows, guarded)).toMatchObject({
    created: 1,
    refused: [{ line: 3, code: 'not_permitted', field: 'user' }],
  });
});

test('a look-up that fails ends the load with the line; one that is throttled is done again', async () => {
  let throttled = 0;
  const failing =
    (retryable: boolean): Transport =>
    async (event) =>
      'batch' in event && event.batch[0]?.command === 'name.owners' && (!retryable || throttled++ === 0)
        ? { ok: false, error: { code: retryable ? 'throttled' : 'internal', message: 'no', retryable } }
        : world.provision(event);
  const rows = [{ user: 'u1@mercy.example', group: 'Ward 1/Nurses' }];
  expect(await load('memberships', rows, failing(false))).toMatchObject({ created: 0, fault: 'line 2: no' });
  expect(await load('memberships', rows, failing(true))).toMatchObject({ created: 1, fault: undefined });
});

test('many rows by email: one key for each distinct name, in batches, and no list', async () => {
  const [PEOPLE, ROWS] = [2_000, 10_000];
  let [keysRead, batches] = [0, 0];
  const reader: World['reader'] = {
    ...world.reader,
    getMany: async (keys) => {
      keysRead += keys.length;
      batches += 1;
      return keys.map((key) => ({ ...key, owner: `user:of-${key.PK}`.replaceAll('#', '-') }));
    },
    get: () => expect.fail('one by one'),
    list: () => expect.fail('nothing is listed'),
  };
  const { provision } = commandsOf({ ...world, reader });
  const users = new Set<unknown>();
  const transport: Transport = (event) => {
    if (!('batch' in event) || event.batch[0]?.command === 'name.owners') return provision(event);
    for (const { input } of event.batch) users.add(input.user);
    return answering(done)(event);
  };
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    user: `p${n % PEOPLE}@mercy.example`,
    group: `${GROUP.slice(0, -1)}${Math.floor(n / PEOPLE)}`,
  }));
  expect(await load('memberships', rows, transport)).toMatchObject({ created: ROWS, refused: [] });
  expect({ keysRead, people: users.size }).toEqual({ keysRead: PEOPLE, people: PEOPLE });
  expect(batches).toBeLessThan(PEOPLE / 20);
});

test('what is forgotten, because too many others were asked for, is read again', async () => {
  const asked: unknown[] = [];
  const { resolve } = createRowNames({
    send: async ({ batch }) =>
      batch.map(({ input }) => {
        const names = input.names as { name: string }[];
        asked.push(...names.map(({ name }) => name));
        return { ok: true, result: { owners: names.map(({ name }) => `user:${name}`) } };
      }),
    pacing: createPacing({ deadlineMs: 1_000 }),
    remembered: 2,
  });
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b'])
    expect(await resolve({ label: 'user', kind: 'subject', takesIds: true }, name)).toBe(`user:${name}`);
  expect(asked).toEqual(['a', 'b', 'c', 'b']);
});

test('a name that nothing has is looked up once, until rows were written', async () => {
  let events = 0;
  const { resolve, forgetUnknown } = createRowNames({
    send: async (event) => {
      events += 1;
      const answer = await world.provision(event);
      return answer.ok ? (answer.result.answers as Awaited<ReturnType<BatchTransport>>) : [];
    },
    pacing: createPacing({ deadlineMs: 1_000 }),
  });
  const user = { label: 'user', kind: 'subject', takesIds: true } as const;
  const asked = async () => {
    events = 0;
    await expect(resolve(user, 'nobody@mercy.example')).rejects.toMatchObject({ code: 'name_unknown' });
    return events > 0;
  };
  expect([await asked(), await asked()]).toEqual([true, false]);
  forgetUnknown();
  expect(await asked()).toBe(true);
});
