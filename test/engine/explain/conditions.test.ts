import { describe, expect, test } from 'vitest';
import { createExplainer, formatExplanation } from '../../../engine/index.ts';
import { conditionAttribute, propertyAttribute, roleAttribute } from '../../../table/decision/attributes.ts';
import { decisionKey, globalKey } from '../../../table/keys.ts';
import { createSchool, GRANTED, PAGE, PLACE, userRef } from '../fake-table.ts';

/** What an explanation says of conditions. */
const ANN = `user:${userRef(0).id}`;
const WHERE = `location:${PLACE.id}`;

function explainIn(
  effects: Readonly<Record<string, readonly ['ALLOW' | 'DENY', string]>>,
  combination = 'allow-overrides',
) {
  const { put, getMany, clock } = createSchool();
  put(decisionKey(PLACE), {
    status: 'active',
    combination,
    'group|teachers': new Set(Object.keys(effects)),
    properties: { status: 'archived' },
  });
  put(decisionKey(userRef(0)), { ...GRANTED, properties: { department: 'law', doorToken: 'x7' } });
  put(decisionKey(PAGE), {
    registered: true,
    ...Object.fromEntries(
      Object.entries(effects).map(([role, [effect, when]]) => [conditionAttribute(role), { effect, when }]),
    ),
  });
  put(globalKey(), {
    ...Object.fromEntries(Object.keys(effects).map((role) => [roleAttribute(role), ''])),
    [propertyAttribute('subject:user', 'department')]: 'string stored',
    [propertyAttribute('subject:user', 'doorToken')]: 'string stored',
    [propertyAttribute('resource:location', 'status')]: 'string stored',
  });
  const list = async () => ({ items: [] });
  const { explain } = createExplainer({
    reader: { getMany, getSnapshot: getMany, list },
    clock,
    wait: clock.wait,
  });
  return (given = {}) => explain(ANN, 'dashboard', WHERE, given);
}

describe('a condition that does not hold', () => {
  const explain = explainIn({
    teacher: ['ALLOW', "subject.properties.department == 'law' && resource.properties.status != 'archived'"],
  });

  test('is shown with the part that is false and the values that it looked at', async () => {
    const explanation = await explain();
    expect(explanation).toMatchObject({ allowed: false, reason: 'no_grant', allowedBy: { items: [] } });
    expect(explanation.notCounting.items).toMatchObject([
      {
        effect: 'ALLOW',
        condition: {
          outcome: 'does_not_hold',
          message: null,
          fails: ["resource.properties.status != 'archived'"],
          values: [
            { name: 'resource.properties.status', value: '"archived"', isGiven: false },
            { name: 'subject.properties.department', value: '"law"', isGiven: false },
          ],
        },
      },
    ]);
  });

  test('in words', async () => {
    const text = formatExplanation(await explain());
    expect(text).toContain('not counting, because of their condition');
    expect(text).toContain("fails: resource.properties.status != 'archived'");
    expect(text).toContain('resource.properties.status = "archived"');
  });
});

test('a condition that holds is shown with the derivation that it lets count', async () => {
  const explanation = await explainIn({ teacher: ['ALLOW', "context.ip == '10.0.0.1'"] })({
    context: { ip: '10.0.0.1' },
  });
  expect(explanation).toMatchObject({ allowed: true, reason: 'role', notCounting: { items: [] } });
  expect(explanation.allowedBy.items[0]?.condition).toMatchObject({
    outcome: 'holds',
    fails: [],
    values: [{ name: 'context.ip', value: '"10.0.0.1"', isGiven: true }],
  });
});

test('a condition that cannot be evaluated gives its message, and decides at the step of effects', async () => {
  const explanation = await explainIn({ teacher: ['ALLOW', "context.ip == '10.0.0.1'"] })();
  expect(explanation.reason).toBe('condition_failed');
  expect(explanation.steps.find(({ decides }) => decides)).toMatchObject({
    name: 'effects',
    missing: [{ code: 'condition_failed', text: expect.stringContaining('ip') }],
  });
  expect(explanation.notCounting.items[0]?.condition).toMatchObject({
    outcome: 'not_evaluated',
    message: expect.stringContaining('ip'),
    values: [{ name: 'context.ip', value: 'missing', isGiven: true }],
  });
});

test('a DENY that cannot be evaluated counts, and says why', async () => {
  const explanation = await explainIn(
    { teacher: ['DENY', "context.ip == '10.0.0.1'"], guest: ['ALLOW', "resource.type == 'location'"] },
    'deny-overrides',
  )();
  expect(explanation.reason).toBe('condition_failed');
  expect(explanation.deniedBy.items[0]?.condition).toMatchObject({ outcome: 'not_evaluated' });
});

test('secrets are masked, by the name of the property and within maps', async () => {
  const when = "subject.properties.doorToken == 'x8' && context.claims.nested == context.claims.nested";
  const explanation = await explainIn({ teacher: ['ALLOW', when] })({
    context: { claims: { password: 'hunter2', nested: { secret: 'hunter3' } } },
  });
  const text = JSON.stringify(explanation);
  for (const secret of ['x7', 'hunter2', 'hunter3']) expect(text).not.toContain(secret);
  expect(text).toContain('(masked)');
});
