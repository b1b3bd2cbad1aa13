import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Actor,
  type CheckOptions,
  createExplainer,
  createLists,
  type Engine,
  formatExplanation,
  type LoggedDecision,
  type Observation,
} from '../../engine/index.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { mandateItem, writeMandate, writeSubject } from '../support/acting.ts';
import { mean } from '../support/external-groups.ts';
import { createMemoryWorld } from '../support/world.ts';
import { createSchool, GRANTED, PLACE, REVOKED, userRef } from './fake-table.ts';
import { timelines } from './timeline.ts';

/** Who acts may do no more than the subject, than itself, and than the mandate (ADR 0048). */
const MANIFEST = `
permissions: ["invoices:read:invoice", "invoices:pay:invoice"]
pages: [home, desk, vault]
properties:
  - { of: "resource:location", name: open, type: bool, source: stored }
  - { of: context, name: channel, type: string, source: passed }
  - { of: action, name: amount, type: int, source: passed }
  - { of: "subject:user", name: level, type: string, source: passed }
scopes:
  acme: { id: acme, type: tenant }
  north: { id: north, type: location, parent: acme, properties: { open: true } }
  south: { id: south, type: location, parent: acme }
roles:
  reader: { id: reader, global: true, allow: ["invoices:read:invoice"] }
  payer: { id: payer, global: true, allow: ["invoices:pay:invoice"] }
  opener: { id: opener, global: true, allow: [{ permission: vault, when: resource.properties.open }] }
  leveled: { id: leveled, global: true, allow: [{ permission: home, when: subject.properties.level == "high" }] }
  claimed: { id: claimed, global: true, allow: [{ permission: vault, when: context.claims.team == "sales" }] }
  web: { id: web, global: true, allow: [{ permission: desk, when: context.channel == "web" }] }
groups:
  Visitors: { id: visitors, scope: acme, roles: [web] }
users:
  ann: { id: ann, grants: { acme: [reader, payer, leveled, web, claimed] } }
  job: { id: job, grants: { acme: [reader, leveled, claimed] } }
  idle: { id: idle, status: disabled, grants: { acme: [reader] } }
  late: { id: late, until: "2026-01-01T00:00:00.000Z", grants: { acme: [reader] } }
  keeper: { id: keeper, grants: { acme: [opener] } }
  root: { id: root, admin: true }
`;
const [ANN, NORTH, SOUTH, ACME] = ['user:ann', 'location:north', 'location:south', 'tenant:acme'] as const;
const [READ, PAY] = ['invoices:read:invoice', 'invoices:pay:invoice'] as const;
const BOT: Actor = { subject: 'agent:bot', mandate: 'mandate:m' };
const HOUR = 3_600_000;

const world = createMemoryWorld();
let engine: Engine;
let ends = 0;
const observed: Observation[] = [];
const logged: LoggedDecision[] = [];

/** The mandate `m` of the agent for ann, with what a case says. */
const mandate = async (more: Readonly<Record<string, unknown>> = {}, ref = 'mandate:m') => {
  await writeMandate(world, ref, mandateItem(more, ends));
  world.settle();
};
const reasonOf = async (
  actor: Actor,
  permission: string = READ,
  scope: string = NORTH,
  more: CheckOptions = {},
) => (await engine.check(ANN, permission, scope, { ...more, actor })).reason;

beforeAll(async () => {
  await world.apply(MANIFEST);
  for (const id of ['bot', 'free', 'poor', 'off'])
    await writeSubject(world, `agent:${id}`, {
      status: id === 'off' ? 'disabled' : 'active',
      roles: new Set(id === 'poor' ? ['web'] : ['reader', 'payer']),
      ...(id === 'free' && { mandateOptional: true }),
    });
});
beforeEach(async () => {
  ends = world.clock.now() + HOUR;
  engine = world.newEngine({
    observe: (each) => void observed.push(each),
    decisionLog: { log: (line) => void logged.push(line), end: () => {} },
  });
  await mandate();
  await mandate({ actor: 'user:job', subject: ANN }, 'mandate:job');
  world.calls.length = 0;
  observed.length = 0;
  logged.length = 0;
});

test('a mandate is read again when it is too old, though what is kept of both subjects is not', async () => {
  expect(await reasonOf(BOT)).toBe('role');
  await writeMandate(world, 'mandate:m', { status: 'ended' });
  world.clock.advance(40_000);
  for (const subject of [ANN, BOT.subject])
    for (const consistency of ['strong', 'cached'] as const)
      await engine.check(subject, READ, NORTH, { consistency });
  expect(await reasonOf(BOT)).toBe('role');
  world.clock.advance(25_000);
  expect(await reasonOf(BOT)).toBe('mandate_inactive');
});

test.each([
  ['agent:bot', 'actor_inactive'],
  [ANN, 'subject_inactive'],
])('what is kept of both is judged again where %s was read anew: %s', async (changed, reason) => {
  for (let n = 0; n < 3; n++) expect(await reasonOf(BOT)).toBe('role');
  const become = async (status: string) => {
    await writeSubject(world, changed, { status });
    world.settle();
  };
  await become('disabled');
  // Decided for itself and not kept: what was kept before is still there, and its item is not.
  expect(await reasonOf(BOT, READ, NORTH, { consistency: 'strong' })).toBe(reason);
  for (let n = 0; n < 3; n++) expect(await reasonOf(BOT)).toBe(reason);
  await become('active');
});

test.each<[string, string]>([
  ['user:job', 'role'],
  ['user:nobody', 'actor_unknown'],
  ['not a reference', 'actor_unknown'],
  ['user:idle', 'actor_inactive'],
  ['agent:off', 'actor_inactive'],
  ['user:late', 'actor_ended'],
  ['agent:poor', 'mandate_required'],
  ['agent:free', 'role'],
])('%s without a mandate, whatever is asked: %s', (subject, reason) => expectAlone({ subject }, reason));

/** Reasons that there are only where something is asked. */
const OF_QUESTION =
  /^(?:role|permission_unknown|actor_no_grant|actor_denied_by_role)$|^mandate_(?:perm|scope|cond)/;

/** Whether the actor may act at all, without a scope, in one read. */
async function expectAlone(actor: Actor, reason: string): Promise<void> {
  world.calls.length = 0;
  const credential = { ref: 'session:none' };
  const ask = () => ({ subject: ANN, actor, permission: undefined, scope: undefined });
  const expected = OF_QUESTION.test(reason) ? undefined : reason;
  for (const consistency of ['cached', 'cached', 'strong'] as const)
    expect((await engine.checkAsked(ask, { consistency })).decision?.reason).toBe(expected);
  expect((await engine.checkManyAsked([ask])).answers[0]?.decision?.reason).toBe(expected);
  // One for each consistency, of all that is looked at.
  const operations = world.calls.map(({ operation }) => operation);
  expect(operations.filter((name) => name !== 'TransactGetItems').length).toBeLessThanOrEqual(1);
  // The subject's own credential comes first.
  const refused = await engine.checkAsked(() => ({ ...ask(), credential }));
  expect(refused.decision?.reason).toBe('credential_refused');
}

interface Case {
  readonly item?: Readonly<Record<string, unknown>>;
  readonly actor?: Partial<Actor>;
  readonly permission?: string;
  readonly scope?: string;
  readonly given?: CheckOptions;
  readonly is: string;
}
const amount = (value: unknown): CheckOptions => ({ action: { properties: { amount: value } } });
const AT = Date.parse('2026-01-15T12:00:00.000Z');
const WHEN = 'action.properties.amount <= 500';
const MANDATES: Readonly<Record<string, Case>> = {
  'of both, that covers it': { is: 'role' },
  'that is not there': { actor: { mandate: 'mandate:other' }, is: 'mandate_unknown' },
  'that no id spells': { actor: { mandate: 'nothing at all' }, is: 'mandate_unknown' },
  'of another subject': { item: { subject: 'user:job' }, is: 'mandate_unknown' },
  'of another actor': { item: { actor: 'agent:free' }, is: 'mandate_unknown' },
  'that ended': { item: { endsAt: '2026-01-01T00:00:00.000Z' }, is: 'mandate_ended' },
  'of a token that ends at this instant': {
    actor: { until: AT },
    given: { at: AT },
    is: 'credential_refused',
  },
  'of a token that ends later': { actor: { until: 2 * AT }, is: 'role' },
  'that was ended by hand': { item: { status: 'ended' }, is: 'mandate_inactive' },
  'for the permission by name': { item: { permissions: [PAY, READ] }, is: 'role' },
  'for it by a pattern': { item: { permissions: ['invoices:*:invoice'] }, is: 'role' },
  'for another permission': { item: { permissions: [PAY] }, is: 'mandate_permission' },
  'for another one by a pattern': { item: { permissions: ['invoices:pay:*'] }, is: 'mandate_permission' },
  'at the scope': { item: { scopes: [SOUTH, NORTH] }, is: 'role' },
  'at another scope': { item: { scopes: [SOUTH] }, is: 'mandate_scope' },
  'below the scope': { item: { scopes: [NORTH] }, scope: ACME, is: 'mandate_scope' },
  'with a condition that holds': { item: { when: WHEN }, given: amount(500), is: 'role' },
  'with one that does not': { item: { when: WHEN }, given: amount(501), is: 'mandate_condition_failed' },
  'with one that nobody can evaluate': { item: { when: WHEN }, is: 'mandate_condition_failed' },
  'with one that is none': { item: { when: '<=' }, given: amount(1), is: 'mandate_condition_failed' },
  'with a budget': { item: { budget: true }, is: 'budget_uncounted' },
  'with its token': { item: { hash: 'abc' }, actor: { hash: 'abc' }, is: 'role' },
  'whose caller vouches': { item: { hash: 'abc' }, is: 'role' },
  'with another token': { item: { hash: 'abc' }, actor: { hash: 'abd' }, is: 'credential_refused' },
  'without a token, of which one is shown': { actor: { hash: 'abc' }, is: 'credential_refused' },
  'ended, whose token is shown': {
    item: { hash: 'abc', status: 'ended' },
    actor: { hash: 'abc' },
    is: 'credential_refused',
  },
  'of another subject, whose token is shown': {
    item: { hash: 'abc', subject: 'user:job' },
    actor: { hash: 'abc' },
    is: 'credential_refused',
  },
  'of another actor, whose token is shown': {
    item: { hash: 'abc', actor: 'agent:free' },
    actor: { hash: 'abc' },
    is: 'credential_refused',
  },
};
test.each(Object.entries(MANDATES))(
  'a mandate %s',
  async (name, { item, actor, permission, scope, given, is }) => {
    // Each has one of its own: what is written stays.
    const ref = `mandate:c${Object.keys(MANDATES).indexOf(name)}`;
    await mandate(item, ref);
    const acting = { ...BOT, mandate: ref, ...actor };
    await expectAlone(acting, is);
    for (const consistency of ['cached', 'cached', 'strong'] as const)
      expect(await reasonOf(acting, permission, scope, { ...given, consistency })).toBe(is);
    const { explain } = createExplainer({ reader: world.reader, clock: world.clock });
    const explained = await explain(ANN, permission ?? READ, scope ?? NORTH, { ...given, actor: acting });
    expect(explained).toMatchObject({ reason: is, allowed: is === 'role' });
    expect(formatExplanation(explained)).toContain(`(${is})`);
  },
);

test('a mandate that is given counts for those who require none', async () => {
  await mandate({ actor: 'user:job', scopes: [SOUTH] }, 'mandate:narrow');
  expect(await reasonOf({ subject: 'user:job', mandate: 'mandate:narrow' })).toBe('mandate_scope');
  expect(await reasonOf({ subject: 'agent:free', mandate: 'mandate:m' })).toBe('mandate_unknown');
});

test('a mandate ends at its very instant, warm as well, and a session with it', async () => {
  const session = await engine.session(ANN, NORTH, { permissions: [READ, PAY], actor: BOT });
  expect(session.can(READ)).toBe(true);
  expect(session.can(PAY)).toBe(true);
  expect(await reasonOf(BOT)).toBe('role');
  const end = ends;
  expect(
    (await engine.checkMany([{ subject: ANN, permission: READ, scope: NORTH, actor: BOT }])).validUntil,
  ).toBe(end);
  world.clock.advance(end - 1 - world.clock.now());
  expect(await reasonOf(BOT)).toBe('role');
  const late = await engine.session(ANN, NORTH, { permissions: [READ], actor: BOT });
  expect(late.expiresAt).toBe(end);
  world.clock.advance(1);
  expect(late.can(READ)).toBe(false);
  expect(await reasonOf(BOT)).toBe('mandate_ended');
  expect(await reasonOf(BOT, READ, NORTH, { at: end - 1 })).toBe('role');
  expect(await reasonOf({ ...BOT, hash: 'x' })).toBe('credential_refused');
});

test('an answer is valid no longer than who acts and the token that names it', async () => {
  const endsAt = new Date(ends - 2).toISOString();
  const more = { status: 'active', roles: new Set(['reader']), mandateOptional: true, endsAt };
  await writeSubject(world, 'agent:brief', more);
  const validUntil = async (until?: number) => {
    const actor = { subject: 'agent:brief', until };
    return (await engine.checkMany([{ subject: ANN, permission: READ, scope: NORTH, actor }])).validUntil;
  };
  expect([await validUntil(), await validUntil(ends), await validUntil(ends - 3)]).toEqual([
    ends - 2,
    ends - 2,
    ends - 3,
  ]);
});

test('an end by hand counts after the time-to-live, and at once for who asks for it', async () => {
  expect(await reasonOf(BOT)).toBe('role');
  await writeMandate(world, 'mandate:m', { status: 'ended' });
  expect(await reasonOf(BOT, READ, NORTH, { consistency: 'strong' })).toBe('mandate_inactive');
  world.settle();
  expect(await reasonOf(BOT)).toBe('mandate_inactive');
});

test("what is the subject's own is not the actor's: passed properties, claims, groups of its token", async () => {
  const actor = { subject: 'user:job' };
  const subject = { properties: { level: 'high' } };
  expect((await engine.check(ANN, 'home', NORTH, { subject })).reason).toBe('role');
  expect((await engine.check('user:job', 'home', NORTH, { subject })).reason).toBe('role');
  expect(await reasonOf(actor, 'home', NORTH, { subject })).toBe('actor_condition_failed');
  const claims = { context: { claims: { team: 'sales' } } };
  expect((await engine.check('user:job', 'vault', NORTH, claims)).reason).toBe('role');
  for (let n = 0; n < 2; n++)
    expect(await reasonOf(actor, 'vault', NORTH, claims)).toBe('actor_condition_failed');
  await mean(world, ACME, 'https://login.example.com', { staff: ['visitors', ACME] });
  world.settle();
  const groups = { issuer: 'https://login.example.com', ids: ['staff'], until: ends };
  const web = { context: { channel: 'web' } };
  expect((await engine.check('user:job', 'desk', NORTH, { ...web, groups })).reason).toBe('role');
  expect(await reasonOf(actor, 'desk', NORTH, { ...web, groups })).toBe('actor_no_grant');
  // What is asked about, and when and where, is the same for both.
  expect(await reasonOf({ subject: ANN }, 'desk', NORTH, web)).toBe('role');
  expect(await reasonOf({ subject: ANN }, 'desk', NORTH, {})).toBe('condition_failed');
});

test('all of it takes the one read of a check without an actor, and warm none', async () => {
  const given = { actor: BOT, credential: { ref: 'session:s' }, prefetch: [ACME] };
  for (let n = 0; n < 3; n++) await engine.check(ANN, READ, NORTH, given);
  // The subject, the scope and its root, the permission and what the root does to it, what holds everywhere, the
  // credential; the actor and the mandate.
  expect(world.calls.map(({ operation, keys }) => [operation, keys])).toEqual([['BatchGetItem', 9]]);
  await engine.check(ANN, READ, NORTH, { actor: BOT });
  expect(world.calls).toHaveLength(1);
  expect(observed.at(-1)).toMatchObject({ isKept: true, calls: 0 });
});

test('a session, many checks, searches and questions that are built decide with the actor', async () => {
  const request = { subject: ANN, permission: PAY, scope: NORTH };
  const job = { subject: 'user:job' };
  const many = await engine.checkMany(
    [{ ...request, actor: BOT }, request, { ...request, permission: READ }],
    { actor: job },
  );
  expect(many.decisions.map(({ reason }) => reason)).toEqual(['role', 'actor_no_grant', 'role']);
  const ask = () => ({ ...request, actor: job });
  expect((await engine.checkAsked(ask)).decision?.reason).toBe('actor_no_grant');
  expect((await engine.checkManyAsked([ask])).answers[0]?.decision?.reason).toBe('actor_no_grant');
  expect((await engine.decideAsked([ask]))[0]?.decision?.reason).toBe('actor_no_grant');
  const allowed = await engine.checkWithRoles(ANN, READ, NORTH, { actor: job });
  const alone = await engine.checkWithRoles(ANN, READ, NORTH);
  expect([allowed.decision, allowed.roles]).toEqual([alone.decision, alone.roles]);
  const lists = createLists({ reader: world.reader, engine, clock: world.clock });
  expect((await lists.listPermissions(ANN, NORTH, { actor: job })).items).toEqual([READ]);
  expect((await lists.listScopes(ANN, PAY, { actor: job })).items).toEqual([]);
  expect((await lists.listSubjects(READ, NORTH, { actor: BOT })).items).toEqual([ANN]);
});

test('what the conditions of all three look at is said', async () => {
  await mandate({ when: WHEN }, 'mandate:asked');
  const usesOf = async (subject: string, channel: string) => {
    const given = { context: { channel }, action: { properties: { amount: 1 } } };
    const actor = { subject: ANN, mandate: 'mandate:asked' };
    const asked = () => ({ subject, permission: 'desk', scope: NORTH, given, actor });
    return (await engine.decideAsked([asked], { withUses: true }))[0]?.uses;
  };
  expect(await usesOf(ANN, 'web')).toEqual(['context.channel', 'action.properties.amount']);
  // What refuses first, alone decides.
  expect(await usesOf(ANN, 'phone')).toEqual(['context.channel']);
});

test('it is said again where a decision is given again', async () => {
  const asked = () => ({
    subject: 'user:root',
    permission: 'vault',
    scope: NORTH,
    given: { resource: { type: 'location', id: 'north' } },
    actor: { subject: 'user:keeper' },
  });
  for (let n = 0; n < 3; n++)
    expect((await engine.checkManyAsked([asked])).answers[0]?.uses).toEqual(['resource.properties.open']);
});

test('only who counts is allowed by a mandate with a budget, and nothing that a caller gives says so', async () => {
  await mandate({ budget: true }, 'mandate:counted');
  const actor = { ...BOT, mandate: 'mandate:counted' };
  const ask = (isCounted: boolean) => () => ({
    subject: ANN,
    permission: READ,
    scope: NORTH,
    actor,
    isCounted,
  });
  expect((await engine.checkAsked(ask(true))).decision?.reason).toBe('role');
  expect((await engine.checkAsked(ask(false))).decision?.reason).toBe('budget_uncounted');
  const options = { actor, isCounted: true };
  expect((await engine.check(ANN, READ, NORTH, options)).reason).toBe('budget_uncounted');
  const request = { subject: ANN, permission: READ, scope: NORTH, ...options };
  expect((await engine.checkMany([request])).decisions[0]?.reason).toBe('budget_uncounted');
});

test('the log and the observer say who acts, for whom and by which mandate', async () => {
  await reasonOf(BOT);
  await engine.check(ANN, READ, NORTH);
  expect(logged).toMatchObject([
    { subject: ANN, actor: { subject: 'agent:bot', mandate: 'mandate:m' }, allowed: true },
    { subject: ANN, actor: undefined, allowed: true },
  ]);
  expect(observed).toMatchObject([
    { subject: ANN, actor: { subject: 'agent:bot', mandate: 'mandate:m' } },
    { subject: ANN, actor: undefined },
  ]);
});

describe('an actor that is none', () => {
  const FAULTS: readonly (readonly [actor: unknown, field: string])[] = [
    [null, 'actor'],
    ['agent:bot', 'actor'],
    [{}, 'actor.subject'],
    [{ subject: '' }, 'actor.subject'],
    [{ subject: 'agent:bot', mandate: 1 }, 'actor.mandate'],
    [{ subject: 'agent:bot', hash: 'x' }, 'actor.mandate'],
    [{ subject: 'agent:bot', mandate: 'mandate:m', hash: '' }, 'actor.hash'],
    [{ subject: 'user:job', mandat: 'mandate:m' }, 'actor'],
  ];
  test.each(FAULTS)('%j is a fault of %s', async (actor, field) => {
    const given = { actor: actor as Actor };
    await expect(engine.check(ANN, READ, NORTH, given)).rejects.toMatchObject({ code: 'invalid', field });
    await expect(engine.session(ANN, NORTH, { ...given, permissions: [READ] })).rejects.toMatchObject({
      field,
    });
  });

  test('and effective roles have no actor', async () => {
    const given = { actor: BOT } as CheckOptions;
    await expect(engine.effectiveRoles(ANN, NORTH, given)).rejects.toMatchObject({ field: 'actor' });
  });
});

/** What else is damage: table/decode-damage.test.ts. */
test('a damaged mandate is a fault, not a refusal', async () => {
  await writeMandate(world, 'mandate:damaged', { ...mandateItem({}, ends), permissions: ['a:b'] });
  world.settle();
  await expect(reasonOf({ ...BOT, mandate: 'mandate:damaged' })).rejects.toMatchObject({
    code: 'damaged_item',
    field: 'permissions',
  });
});

describe('an explanation', () => {
  const explain = (actor: Actor, permission: string) =>
    createExplainer(world).explain(ANN, permission, NORTH, { actor });

  test('has the steps of the subject and of the actor', async () => {
    const explanation = await explain({ subject: 'user:job' }, PAY);
    expect(explanation).toMatchObject({ allowed: false, reason: 'actor_no_grant', subject: { ref: ANN } });
    expect(explanation.steps.find(({ decides }) => decides)?.name).toBe('combination');
    const { actor, mandate } = explanation.acting as NonNullable<typeof explanation.acting>;
    expect(actor).toMatchObject({ allowed: false, reason: 'no_grant', subject: { ref: 'user:job' } });
    expect(actor.steps.at(-1)?.decides).toBe(true);
    expect(mandate).toBeNull();
    const text = formatExplanation(explanation);
    expect(text).toContain('REFUSED (actor_no_grant)');
    expect(text).toContain('the actor itself: refused (no_grant)');
  });

  test('as text it has the mandate, with what it is bound to', async () => {
    await mandate({ scopes: [SOUTH] }, 'mandate:tour');
    const explained = await explain({ ...BOT, mandate: 'mandate:tour' }, READ);
    // Ann may herself, whoever refuses.
    expect(explained.acting?.subject).toEqual({ allowed: true, reason: 'role' });
    const text = formatExplanation(explained);
    expect(text).toMatch(/^REFUSED \(mandate_scope\)\nsubject {5}.*user:ann.*\nactor {7}.*agent:bot/);
    expect(text).toContain('the actor itself: allowed (role)');
    expect(text).toContain(`mandate:tour: active, until ${new Date(ends).toISOString().slice(0, 14)}`);
    expect(text).toContain('scopes south (location:south)');
  });
});

timelines(`
  two decisions that are kept go together only where all they rest on was true at one instant
    ask 0 → role · later 30_000 · grant 1 now · later 1 · ask 1 → role
    revoke 0 · later 1 · ask 0 → role · ask 0 by 1 → no_grant
`);

test('nor do they go together with a mandate that came after they were read', async () => {
  const school = createSchool();
  const kept = school.newEngine();
  const [subject, actor, other] = [0, 1, 2].map((n) => formatRef(userRef(n))) as [string, string, string];
  const by = { subject: actor, mandate: 'mandate:late' };
  const ask = (who: string, acts?: Actor) => kept.check(who, 'dashboard', formatRef(PLACE), { actor: acts });
  school.putUser(1, GRANTED);
  for (const who of [subject, actor]) expect((await ask(who)).allowed).toBe(true);
  school.clock.advance(30_000);
  school.put(decisionKey({ type: 'mandate', id: 'late' }), {
    subject,
    actor,
    status: 'active',
    permissions: ['dashboard'],
    scopes: [formatRef(PLACE)],
    endsAt: new Date(school.clock.now() + 60_000).toISOString(),
    writtenAt: school.clock.now(),
  });
  school.clock.advance(1);
  expect((await ask(other, by)).allowed).toBe(false);
  school.putUser(0, REVOKED);
  school.clock.advance(1);
  for (const who of [subject, actor]) expect((await ask(who)).allowed).toBe(true);
  expect((await ask(subject, by)).reason).toBe('no_grant');
});

test('a mandate that was not read yet is read, where both decisions are kept', async () => {
  await mandate({});
  const kept = world.newEngine();
  for (const who of [ANN, BOT.subject]) await kept.check(who, READ, SOUTH);
  expect((await kept.check(ANN, READ, SOUTH, { actor: BOT })).reason).toBe('role');
});
