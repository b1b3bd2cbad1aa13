import { beforeEach, describe, expect, test } from 'vitest';
import { ROW_KINDS, type RowKind } from '../../../cli/bulk/kinds.ts';
import { startLoad } from '../../../cli/bulk/load.ts';
import { createRowNames } from '../../../cli/bulk/row-names.ts';
import type { Refusal, SourceRow } from '../../../cli/bulk/rows.ts';
import { directTransport, type Transport } from '../../../cli/transport.ts';
import { createPacing } from '../../../table/read/pacing.ts';
import { eventually } from '../../support/eventually.ts';
import { commandsOf, createWorld, type World } from '../../support/world.ts';
import { answering, done } from './loading.ts';

/** Names in rows: whatever names a subject, a scope, a group or a role as an argument does so in a row. */
let world: World;
const ref: Record<string, string> = {};
const idOf = (name: string): string => String(ref[name]).slice(String(ref[name]).indexOf(':') + 1);

beforeEach(async () => {
  world = await createWorld();
  const make = async (as: string, type: string, input: Record<string, unknown>) => {
    ref[as] = `${type}:${(await world.run(`${type}.create`, input)).id}`;
  };
  await make('mercy', 'tenant', { name: 'Mercy' });
  await make('ward', 'location', { name: 'Ward 1', code: 'W1', parent: ref.mercy });
  await make('nurses', 'group', { name: 'Nurses', scope: ref.ward });
  await make('others', 'group', { name: 'Nurses', scope: ref.mercy });
  await make('nurse', 'role', { name: 'Nurse', scope: 'tenant' });
  await make('u1', 'user', { email: 'u1@mercy.example', username: 'uma', phone: '+4930123456' });
  await make('own', 'user', { id: 'own-id' });
  await make('account', 'account', { name: 'Contoso' });
  await make('robot', 'technical-user', { name: 'Robot', account: ref.account });
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
const membersOf = async (group: string) =>
  ((await world.run('membership.list', { group: idOf(group) })).items as { user: string }[])
    .map(({ user }) => user)
    .sort();

describe('a membership', () => {
  test.each([
    ['an email', 'U1@Mercy.example', 'u1'],
    ['a username', 'uma', 'u1'],
    ['a phone number', '+49 30 123456', 'u1'],
    ['a reference', 'user:own-id', 'own'],
    ['an id', 'own-id', 'own'],
  ])('by %s of its user, and the path of its group', async (_, user, as) => {
    const done = await load('memberships', [{ user, group: 'Ward 1/Nurses' }]);
    expect(done).toEqual({ created: 1, present: 0, refused: [], fault: undefined });
    expect(await membersOf('nurses')).toEqual([idOf(as)]);
  });

  test('of a subject of another type, by its name', async () => {
    await load('memberships', [{ user: 'Contoso/Robot', group: 'mercy/ward 1/nurses' }]);
    expect(await membersOf('nurses')).toEqual([ref.robot]);
  });

  test('is the same one by whatever name', async () => {
    const group = 'Ward 1/Nurses';
    const rows = ['u1@mercy.example', 'uma', idOf('u1')].map((user) => ({ user, group }));
    expect(await load('memberships', rows)).toMatchObject({ created: 1, present: 2, refused: [] });
  });
});

test('an assignment names its user, its scope and its role', async () => {
  const rows = [
    { user: 'u1@mercy.example', scope: 'W1', role: 'Nurse' },
    { user: 'uma', scope: 'Mercy', role: idOf('nurse'), createdBy: 'u1@mercy.example' },
  ];
  expect(await load('assignments', rows)).toMatchObject({ created: 2, refused: [] });
  expect((await world.run('assignment.list', { user: idOf('u1') })).items).toMatchObject(
    [
      { scope: ref.ward, role: idOf('nurse') },
      { scope: ref.mercy, role: idOf('nurse'), createdBy: idOf('u1') },
    ].sort((a, b) => (String(a.scope) < String(b.scope) ? -1 : 1)),
  );
});

test('a user names its tenant', async () => {
  expect(await load('users', [{ email: 'u2@mercy.example', tenant: 'mercy' }])).toMatchObject({ created: 1 });
  expect(await world.run('user.read', { email: 'u2@mercy.example' })).toMatchObject({ tenant: ref.mercy });
});

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

describe('a name that does not mean one thing', () => {
  test('is the problem of its row, with its line', async () => {
    const good = { user: 'uma', group: 'Ward 1/Nurses' };
    const { created, refused } = await load('memberships', [
      { user: 'nobody@mercy.example', group: 'Ward 1/Nurses' },
      good,
      { user: 'uma', group: 'Nurses' },
      { user: 'uma', group: 'a#b' },
    ]);
    expect(created).toBe(1);
    expect(refused).toEqual([
      {
        line: 2,
        code: 'name_unknown',
        field: 'user',
        message: 'user nobody@mercy.example: no user or other subject has this name',
      },
      {
        line: 4,
        code: 'name_ambiguous',
        field: 'group',
        message: expect.stringMatching(
          /^group Nurses: 2 groups have this name; give a longer path, or a reference: Mercy\/(?:Ward 1\/)?Nurses \(group:\w+\), Mercy/,
        ),
      },
      { line: 5, code: 'name_unknown', field: 'group', message: 'group a#b is no name' },
    ]);
  });

  test('gets a suggestion', async () => {
    await eventually(async () => {
      const { refused } = await load('memberships', [{ user: 'u1@mercey.example', group: idOf('nurses') }]);
      expect(refused[0]?.message).toContain('did you mean u1@mercy.example?');
    });
  });

  test('an email that is the id of another user is the email in a row', async () => {
    await world.run('user.create', { id: 'u1@mercy.example' });
    await load('memberships', [{ user: 'u1@mercy.example', group: idOf('nurses') }]);
    expect(await membersOf('nurses')).toEqual([idOf('u1')]);
  });

  test('an email that nobody has is an id', async () => {
    await world.run('user.create', { id: 'ida@mercy.example' });
    await load('memberships', [{ user: 'ida@mercy.example', group: idOf('nurses') }]);
    expect(await membersOf('nurses')).toEqual(['ida@mercy.example']);
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
    { user: 'own-id', group: idOf('nurses') },
    { user: 'u1@mercy.example', group: idOf('nurses') },
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
  const group = idOf('nurses');
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    user: `p${n % PEOPLE}@mercy.example`,
    group: `${group.slice(0, -1)}${Math.floor(n / PEOPLE)}`,
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
