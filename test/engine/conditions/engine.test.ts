import { describe, expect, test } from 'vitest';
import { conditionAttribute, propertyAttribute, roleAttribute } from '../../../table/decision/attributes.ts';
import { decisionKey, globalKey } from '../../../table/keys.ts';
import { createSchool, GRANTED, PAGE, PLACE, userRef } from '../fake-table.ts';

/** Conditions through the engine's functions: what a caller gives beside the question, and what it costs. */
const ANN = 'user:01J8Z0E2Z8D2A3J7A7Y2HA0000';
const WHERE = `location:${PLACE.id}`;

/** Where the role of teachers has an effect on the page where a condition holds; guests may see it. User 4 is both. */
function createConditionalSchool(when: string, effect = 'ALLOW') {
  const school = createSchool();
  school.putUser(4, { ...GRANTED, roles: new Set(['guest']) });
  school.put(decisionKey(PAGE), {
    registered: true,
    allow: new Set(['guest']),
    [conditionAttribute('teacher')]: { effect, when },
  });
  school.put(globalKey(), {
    [roleAttribute('teacher')]: '',
    [roleAttribute('guest')]: '',
    [propertyAttribute('subject:user', 'department')]: 'string stored',
    [propertyAttribute('subject:user', 'device')]: 'string passed',
    [propertyAttribute('resource:location', 'floor')]: 'int passed',
    [propertyAttribute('resource:location', 'status')]: 'string stored',
    [propertyAttribute('action', 'soft')]: 'bool passed',
  });
  return { ...school, engine: school.newEngine() };
}

const GIVEN = {
  subject: { properties: { device: 'd1' } },
  resource: { properties: { floor: 3 } },
  action: { name: 'view', properties: { soft: true } },
  context: { ip: '10.0.0.1' },
};
const ALL = `subject.properties.device == 'd1' && resource.properties.floor == 3
  && action.name == 'view' && action.properties.soft && context.ip == '10.0.0.1'`;

describe('the instant that is asked for', () => {
  const NINE = Date.parse('2026-07-01T07:30:00Z');
  const TEN = NINE + 3_600_000;
  const OPEN = { allowed: true, reason: 'role' };
  const { engine } = createConditionalSchool('context.time.getHours("Europe/Berlin") == 9');
  const request = { subject: ANN, permission: 'dashboard', scope: WHERE };

  test('is context.time, for one and for many, unless the caller says another', async () => {
    const check = (options: object) => engine.check(ANN, 'dashboard', WHERE, options);
    expect(await check({ at: NINE })).toEqual(OPEN);
    expect(await check({ at: TEN })).toMatchObject({ reason: 'no_grant' });
    expect(await check({ at: TEN, context: { time: new Date(NINE) } })).toEqual(OPEN);
    // Of now, the enforcement point says the time.
    expect(await check({})).toMatchObject({ reason: 'condition_failed' });
    const { decisions } = await engine.checkMany([request, { ...request, at: TEN }], { at: NINE });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false]);
  });
});

describe('what a caller gives beside the question', () => {
  const decided = { allowed: true, reason: 'role' };

  test('to a check', async () => {
    const { engine } = createConditionalSchool(ALL);
    expect(await engine.check(ANN, 'dashboard', WHERE, GIVEN)).toEqual(decided);
    expect((await engine.checkWithRoles(ANN, 'dashboard', WHERE, GIVEN)).decision).toEqual(decided);
    for (const name of Object.keys(GIVEN)) {
      const without = { ...GIVEN, [name]: undefined };
      expect(await engine.check(ANN, 'dashboard', WHERE, without), `without ${name}`).toEqual({
        allowed: false,
        reason: name === 'action' ? 'no_grant' : 'condition_failed',
      });
    }
  });

  test('to many checks: for all of them, or instead for one', async () => {
    const { engine } = createConditionalSchool("context.ip == '10.0.0.1'");
    const request = { subject: ANN, permission: 'dashboard', scope: WHERE };
    const elsewhere = { ...request, given: { context: { ip: '10.0.0.2' } } };
    const { decisions } = await engine.checkMany([request, elsewhere, { ...request, given: {} }], GIVEN);
    expect(decisions.map(({ reason }) => reason)).toEqual(['role', 'no_grant', 'condition_failed']);
  });

  test('to a session, once', async () => {
    const { engine } = createConditionalSchool(ALL);
    const session = await engine.session(ANN, WHERE, { permissions: ['dashboard'], ...GIVEN });
    expect(session.can('dashboard')).toBe(true);
    const without = await engine.session(ANN, WHERE, { permissions: ['dashboard'] });
    expect(without.can('dashboard')).toBe(false);
  });
});

test('stored properties are those of each subject', async () => {
  const { engine, put } = createConditionalSchool("subject.properties.department == 'sales'");
  put(decisionKey(userRef(0)), { ...GRANTED, properties: { department: 'sales' } });
  put(decisionKey(userRef(1)), { ...GRANTED, properties: { department: 'law' } });
  put(decisionKey(userRef(2)), GRANTED);
  // Of another type than is declared now.
  put(decisionKey(userRef(3)), { ...GRANTED, properties: { department: 7 } });
  const asked = [0, 1, 2, 3].map((n) => ({
    subject: `user:${userRef(n).id}`,
    permission: 'dashboard',
    scope: WHERE,
  }));
  const { decisions } = await engine.checkMany(asked, { subject: { properties: { department: 'sales' } } });
  expect(decisions.map(({ reason }) => reason)).toEqual([
    ...['role', 'no_grant', 'condition_failed', 'condition_failed'],
  ]);
});

test.each([
  ['an ALLOW that cannot be parsed does not count', 'ALLOW', 'context.ip ==', 'condition_failed'],
  ['a DENY that cannot be parsed counts', 'DENY', 'context.ip ==', 'denied_by_role'],
  ['what of the context is not declared is missing', 'ALLOW', "context.reason == 'fire'", 'condition_failed'],
])('%s', async (_, effect, when, reason) => {
  const { engine } = createConditionalSchool(when, effect);
  const given = { context: { reason: 'fire' } };
  expect((await engine.check(ANN, 'dashboard', WHERE, given)).reason).toBe(reason);
});

describe('what of the request a decision rests on', () => {
  const IP = "context.ip == '10.0.0.1'";
  test.each<[string, readonly string[], object?, number?]>([
    ["resource.properties.status == 'active' && subject.id == resource.id", []],
    ["subject.properties.department == 'sales'", []],
    ["subject.properties.undeclared == 'x'", []],
    ["subject.properties.device == 'd1'", ['subject.properties.device']],
    ['action.properties.soft', ['action.properties.soft']],
    [`${IP} || context.time == context.time`, ['context.ip', 'context.time']],
    ["resource.id == 'row-7'", ['resource.id'], { resource: { id: 'row-7' } }],
    // The role is not held, or another one is enough.
    [IP, [], {}, 1],
    [IP, [], {}, 4],
  ])('%s: %j', async (when, uses, given = {}, user = 0) => {
    const { engine } = createConditionalSchool(when);
    const subject = `user:${userRef(user).id}`;
    const ask = () => ({ subject, permission: 'dashboard', scope: WHERE, given });
    const [decided] = await engine.decideAsked([ask], { withUses: true });
    expect([...(decided?.uses ?? [])].sort()).toEqual(uses);
  });
});

test('a condition takes no further read and no further item', async () => {
  const plain = createSchool();
  await plain.ask(plain.newEngine());
  const conditional = createConditionalSchool("context.ip == '10.0.0.1'");
  await conditional.engine.check(ANN, 'dashboard', WHERE, GIVEN);
  expect(conditional.reads.map(({ keys }) => keys)).toEqual(plain.reads.map(({ keys }) => keys));
  await conditional.engine.check(ANN, 'dashboard', WHERE, GIVEN);
  expect(conditional.reads).toHaveLength(plain.reads.length);
});

describe('what is given must have its form', () => {
  test.each<[object, string]>([
    [{ subject: 'user:ann' }, 'subject'],
    [{ subject: { properties: 'x' } }, 'subject.properties'],
    [{ resource: 1 }, 'resource'],
    [{ resource: { type: '', id: 'x' } }, 'resource.type'],
    [{ resource: { type: 'x', id: 'y'.repeat(1_025) } }, 'resource.id'],
    [{ action: { name: 7 } }, 'action.name'],
    [{ action: { properties: null } }, 'action.properties'],
    [{ context: 'x' }, 'context'],
  ])('%j: %s', async (given, field) => {
    const { engine } = createConditionalSchool('true');
    const refused = { code: 'invalid', field };
    await expect(engine.check(ANN, 'dashboard', WHERE, given)).rejects.toMatchObject(refused);
    const request = { subject: ANN, permission: 'dashboard', scope: WHERE, given };
    const inList = { code: 'invalid', field: `requests.0.given.${field}` };
    await expect(engine.checkMany([request])).rejects.toMatchObject(inList);
  });
});

test('properties with any values are no fault: those that do not fit count as missing', async () => {
  const { engine } = createConditionalSchool("context.ip == '10.0.0.1'");
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  for (const ip of [7, null, {}, [], cyclic, Symbol('x'), () => '10.0.0.1', 'x'.repeat(1_000_000)])
    expect(await engine.check(ANN, 'dashboard', WHERE, { context: { ip, claims: cyclic } })).toMatchObject({
      allowed: false,
    });
});
