import { expect, test } from 'vitest';
import { formatExplanation } from '../../../engine/index.ts';
import { type Asked, createRuleWorlds } from '../rule/world.ts';

/** What an explanation says of conditions. */
const world = (await createRuleWorlds())();
const ask = (subject: string, permission: string, scope: string): Asked => ({ subject, permission, scope });

test('a condition that does not hold is shown with the part that is false and the values that it looked at', async () => {
  const explanation = await world.explain(ask('edi', 'books:lend:book', 'Old'));
  expect(explanation).toMatchObject({ allowed: false, reason: 'no_grant', allowedBy: { items: [] } });
  const fails = 'resource.properties.status != "archived"';
  expect(explanation.notCounting.items).toMatchObject([
    {
      effect: 'ALLOW',
      condition: {
        outcome: 'does_not_hold',
        message: null,
        fails: [fails],
        values: [
          { name: 'resource.properties.status', value: '"archived"', isGiven: false },
          { name: 'subject.type', value: '"user"', isGiven: false },
        ],
      },
    },
  ]);
  const text = formatExplanation(explanation);
  expect(text).toContain('not counting, because of their condition');
  expect(text).toContain(`fails: ${fails}`);
  expect(text).toContain('resource.properties.status = "archived"');
});

test('a condition that holds is shown with the derivation that it lets count', async () => {
  const explanation = await world.explain(ask('lois', 'from-ip', 'Open'), { context: { ip: '10.0.0.1' } });
  expect(explanation).toMatchObject({ allowed: true, reason: 'role', notCounting: { items: [] } });
  expect(explanation.allowedBy.items[0]?.condition).toMatchObject({
    outcome: 'holds',
    fails: [],
    values: [{ name: 'context.ip', value: '"10.0.0.1"', isGiven: true }],
  });
});

test('a condition that cannot be evaluated gives its message, and decides at the step of effects', async () => {
  const explanation = await world.explain(ask('lois', 'from-ip', 'Open'));
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
  const { deniedBy } = await world.explain(ask('cleo', 'books:lend:book', 'VaultBlank'));
  expect(deniedBy.items[0]?.condition).toMatchObject({ outcome: 'not_evaluated' });
});

test('a whole number is shown; secrets are masked, by the name of the property and within maps', async () => {
  const claims = { password: 'hunter2', nested: { secret: 'hunter3' } };
  const explanation = await world.explain(ask('lois', 'masked', 'Open'), { context: { claims } });
  const text = JSON.stringify(explanation);
  for (const secret of ['x7', 'hunter2', 'hunter3']) expect(text).not.toContain(secret);
  expect(text).toContain('(masked)');
  expect(explanation.notCounting.items[0]?.condition?.values).toContainEqual(
    expect.objectContaining({ name: 'subject.properties.age', value: '3' }),
  );
});
