import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createEngine } from '../../../engine/index.ts';
import { askThen } from '../../../provisioning/evidence/instant.ts';
import type { DecisionRecord } from '../../../provisioning/evidence/log-lines.ts';
import { compareLogged } from '../../../provisioning/evidence/logged-then.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { changeOf, type Line } from '../../../provisioning/replay/record.ts';
import type { Item } from '../../../table/item.ts';
import { watchReads } from '../../support/watched-reader.ts';
import { commandsOf, createMemoryWorld } from '../../support/world.ts';

/** The table as it was: what cannot be said of it is unknown. */
const MINUTE = 60_000;
const MANIFEST = `
properties: [{ of: "subject:user", name: level, type: string, source: stored }]
pages: { roster: }
scopes:
  North: { id: north, type: tenant }
  Hall: { id: hall, type: location, parent: North }
roles:
  teacher: { id: teacher, allow: [roster] }
  chief: { id: chief, allow: [{ permission: roster, when: subject.properties.level == "high" }] }
groups: { Staff: { id: staff, scope: Hall, roles: [teacher] } }
users:
  Ann: { id: ann, displayName: Ann, groups: [Staff] }
  Ben: { id: ben, displayName: Ben, properties: { level: high }, assignments: [{ role: chief, scope: Hall }] }
`;

async function newWorld() {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  world.clock.advance(10 * MINUTE);
  const at = world.clock.now();
  world.clock.advance(10 * MINUTE);
  return { ...world, at };
}
type World = Awaited<ReturnType<typeof newWorld>>;

const engineOn = ({ clock }: Pick<World, 'clock'>, reader: World['reader']) =>
  createEngine({ reader, clock: { now: () => clock.now() + MINUTE }, random: () => 0 });

const decideOn =
  (world: World, subject: string, scope: string) =>
  (reader: World['reader'], at = world.at) =>
    engineOn(world, reader).check(subject, 'roster', scope, { at });

/** What is said of a subject at the hall at an instant: `true`, `false`, or why it is not known. */
async function said(
  world: World,
  subject: string,
  at = world.at,
  reader = world.reader,
  lines?: () => AsyncIterable<Line>,
): Promise<string> {
  const ask = decideOn(world, subject, 'location:hall');
  const { answer, unknown } = await askThen({ reader, since: at, now: world.clock.now(), lines }, (then) =>
    then(at, {
      ask: (table) => ask(table, at),
      sameAs: ({ allowed }) => String(allowed),
      restsOnProperties: ({ reason }) => reason === 'condition_failed',
    }),
  );
  return unknown ? unknown.join('; ') : String(answer?.allowed);
}

/** The same table, with records as an earlier release wrote them. */
function withOlderRecords(world: World): World['reader'] {
  const items = world.items().map((item): Item => {
    if (item.Type !== 'AuditLog') return item;
    const { edges: _, made: __, ...older } = item;
    return older as Item;
  });
  return createMemoryWorld(items, world.clock.now()).reader;
}

const DELETIONS: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['the user', 'user.delete', { id: 'ann' }],
  ['the group', 'group.delete', { id: 'staff' }],
  ['the role', 'role.delete', { id: 'teacher' }],
  ['the page', 'page.delete', { name: 'roster' }],
  ['the tenant', 'scope.delete-tree', { scope: 'tenant:north' }],
];

test('a change counts from its sending, however long it was planned', async () => {
  const world = await newWorld();
  const begun = world.clock.now();
  const reader = watchReads(world.reader, () => world.clock.advance(10_000));
  await commandsOf({ ...world, reader }).run('user.delete', { id: 'ann' });
  const sent = world.clock.now();
  expect(sent - begun).toBeGreaterThan(40_000);
  world.clock.advance(MINUTE);
  expect(await said(world, 'user:ann', begun + 15_000)).toBe('true');
});

test.each(DELETIONS)(
  'what went with %s is there again, and not known by an older record',
  async (_, command, input) => {
    const world = await newWorld();
    expect(await said(world, 'user:ann')).toBe('true');
    await world.run(command, input);
    world.clock.advance(MINUTE);
    expect(await said(world, 'user:ann')).toBe('true');
    expect(await said(world, 'user:ann', world.clock.now() - 10)).not.toBe('true');
    // Of a tenant that an earlier release deleted nobody finds the log: its scope does not exist.
    if (command !== 'scope.delete-tree')
      expect(await said(world, 'user:ann', world.at, withOlderRecords(world))).toMatch(
        /does not say which edges/,
      );
  },
);

test('a membership counts then that a connection has suspended since', async () => {
  const [world, issuer] = [await newWorld(), 'https://one.example'];
  await world.apply(`
pages: { roster: }
scopes: { North: { id: north, type: tenant } }
roles: { guest: { id: guest, owner: North, allowOnly: true, allow: [roster] } }
groups: { Guests: { id: guests, scope: North, allowOnly: true, roles: [guest] } }
externalGroups: [{ scope: North, issuer: "${issuer}", externalId: guests, group: Guests }]
users: { Dan: { id: dan, issuer: "${issuer}", sub: dan } }
`);
  await world.run('scim-connection.create', { id: 'c', scope: 'tenant:north', name: 'staff', issuer });
  await world.run('scim-user.create', { connection: 'c', userName: 'dan', sub: 'dan' });
  await world.run('scim-group.create', { connection: 'c', displayName: 'Guests', externalId: 'guests' });
  await world.run('scim-group.members', { connection: 'c', group: 'guests', add: ['dan'] });
  world.clock.advance(MINUTE);
  const [before, ask] = [world.clock.now(), decideOn(world, 'user:dan', 'location:hall')];
  expect((await ask(world.reader, before)).allowed).toBe(true);
  world.clock.advance(MINUTE);
  await world.run('scim-user.update', { connection: 'c', user: 'dan', active: false });
  world.clock.advance(MINUTE);
  const between = world.clock.now();
  expect((await ask(world.reader, between)).allowed).toBe(false);
  world.clock.advance(MINUTE);
  await world.run('scim-user.update', { connection: 'c', user: 'dan', active: true });
  world.clock.advance(MINUTE);
  expect(await said(world, 'user:dan', before)).toBe('true');
  expect(await said(world, 'user:dan', between)).toBe('false');
  expect(await said(world, 'user:dan', world.clock.now())).toBe('true');
});

test('a group in a token means what it meant', async () => {
  const [world, issuer] = [await newWorld(), 'https://one.example'];
  await world.apply(`
pages: { roster: }
scopes: { North: { id: north, type: tenant } }
roles: { guest: { id: guest, owner: North, allowOnly: true, allow: [roster] } }
groups: { Open: { id: open, scope: North, allowOnly: true, roles: [guest] } }
users: { Cyd: { id: cyd } }
`);
  const groups = { issuer, ids: ['ext'], until: 8.64e15 };
  const instants: number[] = [];
  const pass = () => {
    world.clock.advance(MINUTE);
    instants.push(world.clock.now());
    world.clock.advance(MINUTE);
  };
  pass();
  const named = { id: 'x', scope: 'tenant:north', issuer, externalId: 'ext', group: 'open' };
  await world.run('external-group.create', named);
  pass();
  await world.run('external-group.delete', { id: 'x' });
  pass();
  const answers: unknown[] = [];
  for (const at of instants) {
    const ask = async (reader: World['reader']) =>
      (await engineOn(world, reader).check('user:cyd', 'roster', 'location:hall', { at, groups })).allowed;
    const now = world.clock.now();
    const then = await askThen({ reader: world.reader, since: at, now }, (asks) =>
      asks(at, { ask, sameAs: String }),
    );
    answers.push(then.answer);
  }
  expect(answers).toEqual([false, true, false]);
});

test('in the middle of a move all below the scope is closed, as it was then', async () => {
  const world = await newWorld();
  const zones = Array.from({ length: 40 }, (_, n) => `zone-${n}`);
  await world.apply(`
scopes:
  Acme: { id: acme, type: client }
  East: { id: east, type: project, parent: Acme }
  West: { id: west, type: project, parent: Acme }
  Tower: { id: tower, type: building, parent: East }
${zones.map((id) => `  ${id}: { id: ${id}, type: zone, parent: Tower }`).join('\n')}
`);
  await world.run('assignment.create', { user: 'ann', role: 'teacher', scope: 'building:tower' });
  await world.run('assignment.create', { user: 'ben', role: 'teacher', scope: 'project:west' });
  world.clock.advance(MINUTE);
  const copies: { readonly at: number; readonly items: readonly Item[] }[] = [
    { at: world.clock.now(), items: world.items() },
  ];
  world.clock.advance(MINUTE);
  const provisioning = createProvisioning({
    ...world,
    newId: () => ulid(),
    budgetMs: Number.POSITIVE_INFINITY,
    writer: {
      send: async (...sent) => {
        await world.writer.send(...sent);
        world.clock.advance(MINUTE);
        copies.push({ at: world.clock.now() - MINUTE / 2, items: world.items() });
      },
    },
  });
  const input = { scope: 'building:tower', parent: 'project:west' };
  const answer = await provisioning({ command: 'scope.move', input });
  expect(answer).toMatchObject({ ok: true });
  world.clock.advance(MINUTE);
  const now = world.clock.now();
  const verdicts = async (reader: World['reader'], at: number) => {
    const scopes = ['building:tower', ...zones.map((id) => `zone:${id}`)];
    const questions = ['user:ann', 'user:ben'].flatMap((subject) =>
      scopes.map((scope) => ({ subject, permission: 'roster', scope, at })),
    );
    return (await engineOn(world, reader).checkMany(questions)).decisions.map(
      ({ allowed, reason }) => `${allowed} ${reason}`,
    );
  };
  expect(copies.length).toBeGreaterThan(2);
  const middle: string[] = [];
  for (const { at, items } of copies) {
    const then = await askThen({ reader: world.reader, since: at, now }, (asks) =>
      asks(at, { ask: (table) => verdicts(table, at), sameAs: String }),
    );
    const wanted = await verdicts(createMemoryWorld(items, now).reader, at);
    expect(then.unknown ?? then.answer).toEqual(wanted);
    middle.push(...wanted);
  }
  expect(new Set(middle).size).toBeGreaterThan(1);
});

test('a tenant that was onboarded since was not there, and is not known by an older record', async () => {
  const world = await newWorld();
  const manifest = {
    scopes: { South: { type: 'tenant' } },
    roles: { guest: { allow: ['roster'] } },
    users: { Cyd: { id: 'cyd', displayName: 'Cyd', grants: { South: ['guest'] } } },
  };
  const { scope } = await world.run('tenant.onboard', { manifest });
  world.clock.advance(MINUTE);
  const ask = decideOn(world, 'user:cyd', String(scope));
  const then = (reader: World['reader'], at: number) =>
    askThen({ reader, since: at, now: world.clock.now() }, (asks) =>
      asks(at, { ask: (table) => ask(table, at), sameAs: String }),
    );
  expect(await ask(world.reader, world.clock.now())).toMatchObject({ allowed: true });
  expect((await then(world.reader, world.at)).answer).toEqual({ allowed: false, reason: 'subject_unknown' });
  expect((await then(withOlderRecords(world), world.at)).unknown).toHaveLength(1);
});

test('changes within the margin have no order to the instant: where that matters, it says so', async () => {
  const world = await newWorld();
  await world.run('membership.delete', { user: 'ann', group: 'staff' });
  const at = world.clock.now();
  world.clock.advance(MINUTE);
  for (const instant of [at - 11_000, at + 11_000])
    expect(await said(world, 'user:ann', instant)).toBe(
      'changed within 12 s of the instant, before or after it: Membership ann staff location:hall',
    );
  expect(await said(world, 'user:ann', at - 13_000)).toBe('true');
  expect(await said(world, 'user:ann', at + 13_000)).toBe('false');
  // It does not matter to others.
  expect(await said(world, 'user:ben', at)).toBe('true');
});

test('a record of a writer whose clock is behind stands where what it found says', async () => {
  const world = await newWorld();
  await world.run('user.update', { id: 'ann', status: 'disabled' });
  world.clock.advance(-5_000);
  await world.run('user.update', { id: 'ann', status: 'inactive' });
  world.clock.advance(5 * MINUTE);
  expect(await said(world, 'user:ann')).toBe('true');
});

test('a record that is missing is named, and nothing is known', async () => {
  const world = await newWorld();
  await world.run('membership.delete', { user: 'ann', group: 'staff' });
  world.clock.advance(MINUTE);
  const items = world.items().filter((item) => item.action !== 'membership.delete');
  const { reader } = createMemoryWorld(items, world.clock.now());
  expect(await said(world, 'user:ben', world.at, reader)).toBe(
    'audit records are missing: 1 of tenant:north in 2026-01',
  );
});

test('a month whose records are gone from the table is known by those from elsewhere alone', async () => {
  const world = await newWorld();
  // Some change in each month, and in the second one hers.
  for (let month = 1; month <= 16; month++) {
    world.clock.advance(31 * 1_440 * MINUTE);
    await world.run('page.create', { name: `page-${month}` });
    if (month === 1) await world.run('membership.delete', { user: 'ann', group: 'staff' });
  }
  const now = world.clock.now();
  const logged = world.items().filter(({ Type }) => Type === 'AuditLog');
  // DynamoDB deletes late: of the second month, one record is still there.
  const isKept = ({ PK, ttl, after }: Item) =>
    !PK.startsWith('AUDIT') ||
    Number(ttl) * 1_000 > now ||
    (after as { name?: string } | undefined)?.name === 'page-1';
  const { reader } = createMemoryWorld(world.items().filter(isKept), now);
  const saidWith = (isGiven: (month: string) => boolean) =>
    said(world, 'user:ann', world.at, reader, async function* () {
      for (const item of logged)
        if (isGiven(String(item.timestamp).slice(0, 7))) yield changeOf(item, undefined) as Line;
    });
  expect(await saidWith((month) => month !== '2026-02' && month !== '2026-04')).toBe(
    'audit records are missing: all of 2026-02; audit records are missing: all of 2026-04',
  );
  expect(await saidWith(() => true)).toBe('true');
});

test('what somebody changed past the commands is not known', async () => {
  const world = await newWorld();
  await world.run('user.update', { id: 'ann', status: 'disabled' });
  world.clock.advance(MINUTE);
  const items = world
    .items()
    .map((item) => (item.PK === 'USER#ann' && item.SK === 'META' ? { ...item, status: 'inactive' } : item));
  const { reader } = createMemoryWorld(items, world.clock.now());
  expect(await said(world, 'user:ann', world.at, reader)).toMatch(/something else than the last record/);
  expect(await said(world, 'user:ben', world.at, reader)).toBe('true');
});

test('pseudonyms are opened, and what was erased is not known where it matters', async () => {
  const world = await newWorld();
  await world.run('user.update', { id: 'ben', properties: null });
  world.clock.advance(MINUTE);
  expect(await said(world, 'user:ben')).toBe('true');
  await world.run('user.erase', { id: 'ben' });
  await world.run('user.erase', { id: 'ann' });
  world.clock.advance(MINUTE);
  expect(await said(world, 'user:ben')).toBe('it rests on properties that were erased');
  // Ann's access never rested on a property.
  expect(await said(world, 'user:ann')).toBe('true');
});

test('an instant in the future, and one before the first record, are refused', async () => {
  const world = await newWorld();
  await expect(said(world, 'user:ann', world.clock.now() + 1)).rejects.toThrow('at is in the future');
  await expect(said(world, 'user:ann', world.at - 60 * MINUTE)).rejects.toThrow(
    /^at is before the first audit record, of 2026-01-15T12:00:00/,
  );
});

/** A check of Ann at the hall, as a log has it. */
const recordOf = (more: Partial<DecisionRecord>) =>
  ({
    is: 'decision',
    kind: 'check',
    rate: 1,
    reason: '',
    rests: [],
    subject: 'user:ann',
    permission: 'roster',
    scope: 'location:hall',
    ...more,
  }) as unknown as DecisionRecord;

test('logged decisions agree that were true within the bound of their staleness', async () => {
  const world = await newWorld();
  const before = world.clock.now();
  world.clock.advance(2 * MINUTE);
  await world.run('membership.delete', { user: 'ann', group: 'staff' });
  const ended = world.clock.now();
  world.clock.advance(10 * MINUTE);
  const line = (at: number, allowed: boolean, more: Partial<DecisionRecord> = {}) =>
    recordOf({ at, allowed, ...more });
  const compare = (records: readonly DecisionRecord[]) =>
    askThen({ reader: world.reader, since: before - 2 * MINUTE, now: world.clock.now() }, (then) =>
      compareLogged(then, records, {
        staleMs: MINUTE,
        decide: (reader, { subject, scope, at }) => decideOn(world, subject, scope)(reader, at),
      }),
    );
  const stale = line(ended + MINUTE - 1, true);
  const fresh = [line(before, true), line(ended + MINUTE, false)];
  expect(await compare([stale, ...fresh])).toEqual({
    agree: 3,
    differ: [],
    unknown: 0,
    restOn: { passed: 0, pseudonyms: 0, mandates: 0, budgets: 0, records: 0 },
    left: 0,
  });
  const wrong = [line(before, false), line(ended + 3 * MINUTE, true)];
  const { agree, differ } = await compare(wrong);
  expect([agree, differ.map(({ allowed }) => allowed)]).toEqual([0, [false, true]]);
  const undecided = [
    line(before, true, { rests: ['properties'] }),
    line(before, true, { subject: 'user:sha256:x' }),
    line(before, true, { actor: 'agent:bot', mandate: 'sha256:x' }),
  ];
  expect(await compare(undecided)).toMatchObject({
    agree: 0,
    unknown: 3,
    restOn: { passed: 1, pseudonyms: 2 },
  });
});

test('what somebody did by a mandate is decided with the mandate of then', async () => {
  const world = createMemoryWorld();
  await world.apply(`${MANIFEST}
subjects: { Bot: { id: bot, type: agent, assignments: [{ role: teacher, scope: Hall }] } }
`);
  world.clock.advance(10 * MINUTE);
  const end = (minutes: number) => new Date(world.clock.now() + minutes * MINUTE).toISOString();
  const mandate = (id: string, more = {}) =>
    world.run('mandate.create', {
      id,
      subject: 'user:ann',
      actor: 'agent:bot',
      permissions: ['roster'],
      scopes: ['location:hall'],
      purpose: 'plans the week',
      ...more,
    });
  await mandate('stopped');
  await mandate('short', { endsAt: end(5) });
  await mandate('counted', { budget: { uses: 3 } });
  await mandate('late', { endsAt: end(600) });
  world.clock.advance(2 * MINUTE);
  const at = world.clock.now();
  world.clock.advance(8 * MINUTE);
  const later = world.clock.now();
  await world.run('mandate.end', { id: 'stopped' });
  world.clock.advance(5 * MINUTE);
  const line = (mandate: string, allowed: boolean, more: Partial<DecisionRecord> = {}) =>
    recordOf({
      at,
      allowed,
      actor: 'agent:bot',
      reason: allowed ? 'role' : 'no_grant',
      mandate: mandate === '' ? undefined : `mandate:${mandate}`,
      ...more,
    });
  const compare = (...records: readonly DecisionRecord[]) =>
    askThen({ reader: world.reader, since: at - 2 * MINUTE, now: world.clock.now() }, (then) =>
      compareLogged(then, records, {
        staleMs: 0,
        decide: (reader, { subject, actor, permission, scope, at: instant }) =>
          engineOn(world, reader).check(subject, permission, scope, { actor, at: instant }),
      }),
    );
  // Both mandates are over now, and were not then.
  expect(await compare(line('stopped', true), line('short', true), line('', false))).toMatchObject({
    agree: 3,
    unknown: 0,
  });
  const wrong = await compare(line('short', true, { at: later }), line('', true));
  expect(wrong.differ.map(({ actor }) => actor)).toEqual([
    { subject: 'agent:bot', mandate: 'mandate:short' },
    { subject: 'agent:bot' },
  ]);
  const unknown = [line('counted', true), line('nothing', true)];
  expect(await compare(...unknown)).toMatchObject({ unknown: 2, restOn: { budgets: 1, mandates: 1 } });
  const asLogged = [
    line('counted', false, { reason: 'budget_uncounted' }),
    line('nothing', false, { reason: 'mandate_unknown' }),
  ];
  expect(await compare(...asLogged)).toMatchObject({ agree: 2, unknown: 0 });
});
