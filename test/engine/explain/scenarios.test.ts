import { beforeAll, describe, expect, test } from 'vitest';
import type { Explanation } from '../../../engine/index.ts';
import { assignmentAttribute } from '../../../table/decision/attributes.ts';
import { entryChanges } from '../../../table/decision/entries.ts';
import { stamped } from '../../../table/decision/writes.ts';
import { decisionKey } from '../../../table/keys.ts';
import { bringInto, FORMS, type Form } from '../../support/forms.ts';
import { type Asked, createRuleWorld, createRuleWorlds, derivationNames, sourceName } from '../rule/world.ts';

/** What an explanation says beside the rows of the rule: what denies, what is missing, what would help, and until when. */
const newWorld = await createRuleWorlds();
const world = await createRuleWorld();

const [OPEN, HVAC] = ['doors:open:door', 'hvac:set:climate'];
const ask = (subject: string, scope: string, permission = OPEN): Asked => ({ subject, permission, scope });
const missing = (code: string, words = '') => ({ code, text: expect.stringContaining(words) });

test('an assignment is shown with its period', async () => {
  const { allowedBy } = await world.explain(ask('asta', 'Harbour'));
  expect(allowedBy.items[0]?.from).toMatchObject({ start: '2025-01-01T00:00:00.000Z' });
  expect(allowedBy.items[0]?.from).not.toHaveProperty('end');
});

describe('refused', () => {
  test('subscriptions and licences that are not valid are listed with the reason', async () => {
    const { steps } = await world.explain(ask('hans', 'Lighthouse', HVAC));
    expect(steps[4]?.findings.slice(1)).toEqual([
      'subscription for hvac at Lighthouse from 2024-01-01T00:00:00.000Z until 2025-12-31T00:00:00.000Z: has ended',
      'subscription for hvac at Northwind from 2024-01-01T00:00:00.000Z: its status is expired',
    ]);
    const licenses = async (scope: string) =>
      (await world.explain(ask('petra', scope, 'reports'))).steps[4]?.findings.slice(1);
    expect(await licenses('Timetables')).toEqual([
      expect.stringMatching(/^license for Borealis at .* until 2025-01-01T00:00:00.000Z: has ended$/),
    ]);
    expect(await licenses('Sun')).toEqual([
      expect.stringMatching(/^license for Corona .*: its status is expired$/),
    ]);
    expect(await licenses('Routes')).toEqual([expect.stringMatching(/^license for .*: holds$/)]);
  });

  test('deny-overrides: lists what denies and what allows, and suggests nothing', async () => {
    const explanation = await world.explain(ask('sid', 'Strict'));
    expect(explanation.combination).toBe('deny-overrides');
    expect(derivationNames(explanation.deniedBy)).toEqual([`strict at Strict > barred > ${OPEN}`]);
    expect(derivationNames(explanation.allowedBy)).toEqual([`strict at Strict > caretaker > ${OPEN}`]);
    expect(explanation.suggestions).toBeNull();
  });

  test('with an unknown subject, the path is not read and is marked so', async () => {
    const { path, combination } = await world.explain(ask('user:nemo', 'Lighthouse'));
    expect(path.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Lighthouse active',
      'Harbour not looked at',
      'Northwind not looked at',
    ]);
    expect(combination).toBeNull();
  });
});

const granted = ({ suggestions }: Explanation) =>
  suggestions?.granted.items.map(
    ({ from, roles, relation, period }) =>
      `${sourceName(from)} > ${roles.map(({ name }) => name).join(' > ')}: ${relation}, ${period}`,
  );

describe.each(Object.keys(FORMS) as Form[])('refused without a grant: suggestions, %s', (form) => {
  const world = newWorld();
  beforeAll(() => bringInto(world, form));

  test.each<[string, Asked, readonly string[]]>([
    ['nothing', ask('nobody', 'Lighthouse'), []],
    [
      'a group at a sibling scope',
      ask('boris', 'Lighthouse'),
      ['boatmen at Boathouse > caretaker: beside, holds'],
    ],
    ['an assignment below', ask('deep', 'Harbour'), ['assignment at Lighthouse > caretaker: below, holds']],
    [
      'one that has ended, one that has not begun',
      ask('carl', 'Lighthouse'),
      [
        'assignment at Lighthouse > caretaker: here, ended',
        'assignment at Harbour > caretaker: above, not_begun',
      ],
    ],
    [
      'roles of another tenant, by group, assignment and grant',
      ask('fred', 'Lighthouse'),
      [
        'strangers at Other > other porter: other_tenant, holds',
        'assignment at Other > other porter: other_tenant, holds',
        'grant at Other > other porter: other_tenant, holds',
      ],
    ],
  ])('%s', async (_, asked, expected) => {
    const explanation = await world.explain(asked);
    expect(explanation.reason).toBe('no_grant');
    expect(granted(explanation)).toEqual(expected);
  });

  test('a group of the subject without a useful role is read and left out', async () => {
    const explanation = await world.explain(ask('lazy', 'Lighthouse'));
    expect(granted(explanation)).toEqual([]);
    expect(explanation.steps[5]).toMatchObject({
      passed: true,
      findings: [expect.stringMatching(/^role idle /)],
    });
    expect(explanation.steps[6]).toMatchObject({ passed: false, missing: [{ code: 'no_effect' }] });
  });

  test('granted roles that do not count are listed with the reason', async () => {
    const { steps } = await world.explain(ask('carl', 'Lighthouse'));
    expect(steps[5]?.missing).toMatchObject([
      missing('role_not_in_force', 'does not count: it has ended'),
      missing('role_not_in_force', 'does not count: it has not begun'),
      missing('no_role'),
    ]);
  });
});

// Groups that stand apart of their scope are not among those that would help.
test('groups here and above; roles with the exact permission before roles with a pattern', async () => {
  const { suggestions } = await world.explain(ask('nobody', 'Lighthouse'));
  const names = suggestions?.groups.items.map(({ group, scope, role }) =>
    [group.name, scope.name, role.name].join(', '),
  );
  expect(names).toEqual(['heads, Lighthouse, head caretaker', 'porters, Harbour, caretaker']);
  expect(suggestions?.roles.items.map(({ role }) => role.name)).toEqual([
    ...['own porter', 'caretaker', 'head caretaker', 'doorman', 'everything'],
  ]);
});

test('a DENY without an ALLOW gets suggestions too, under allow-overrides', async () => {
  const { steps, suggestions } = await world.explain(ask('bart', 'Lighthouse'));
  expect(steps[6]?.missing).toMatchObject([{ code: 'no_allow' }]);
  expect(suggestions?.groups.items.map(({ group }) => group.name)).toContain('porters');
});

test('a role of another tenant and a deleted role do not count, even if damage put them into the item', async () => {
  const { run, writer, ref, id } = world;
  const gone = (await run('role.create', { name: 'gone', scope: 'tenant' })).id;
  await run('role.delete', { id: gone });
  const victim = { type: 'user', id: (await run('user.create', {})).id };
  for (const role of [String(id('other porter')), gone]) {
    const attribute = assignmentAttribute(String(ref.Harbour), role);
    const changes = entryChanges([], [{ at: decisionKey(victim), attribute, value: '/' }]);
    await writer.send(stamped(changes, { writtenAt: world.clock.now(), writeId: 'astray' }));
  }
  const explanation = await world.explain(ask(`user:${victim.id}`, 'Lighthouse'));
  expect(explanation.reason).toBe('no_grant');
  expect(granted(explanation)).toEqual([]);
  expect(explanation.steps[5]?.missing).toEqual(
    expect.arrayContaining([
      missing('role_not_in_force', 'does not count: it belongs to Other'),
      missing(
        'role_not_in_force',
        `role role:${gone} assigned at Harbour does not count: it no longer exists`,
      ),
    ]),
  );
});

describe('what holds for a time only', () => {
  const ended = { start: '2024-01-01T00:00:00.000Z', end: '2025-01-01T00:00:00.000Z' };
  test.each<[string, Asked, readonly object[]]>([
    [
      'the life of the subject',
      ask('erna', 'Lighthouse'),
      [{ kind: 'subject', end: '2026-01-01T00:00:00.000Z' }],
    ],
    [
      'assignments here and above, in force or not',
      ask('carl', 'Lighthouse'),
      [
        { kind: 'assignment', scope: { name: 'Lighthouse' }, end: '2025-06-30T00:00:00.000Z' },
        { kind: 'assignment', scope: { name: 'Harbour' }, start: '2027-01-01T00:00:00.000Z' },
      ],
    ],
    ['a licence', ask('petra', 'Timetables', 'reports'), [{ kind: 'license', ...ended }]],
    [
      'a subscription whose status counts',
      ask('hans', 'Lighthouse', HVAC),
      [{ kind: 'subscription', module: 'hvac', end: '2025-12-31T00:00:00.000Z' }],
    ],
    ['not an assignment without an end', ask('deep', 'Lighthouse'), []],
    ['not the assignment of a role without an effect on it', ask('asta', 'Northwind', 'home'), []],
    ['nothing of a subject that does not exist', ask('user:NOBODY', 'Lighthouse'), []],
  ])('%s', async (_, asked, expected) => {
    const { validities } = await world.explain(asked);
    expect(validities.items).toMatchObject(expected);
    expect(validities).toMatchObject({ items: { length: expected.length }, more: 0 });
  });

  test('between two of its instants the decision is the same', async () => {
    const asked = ask('carl', 'Lighthouse');
    const { validities } = await world.explain(asked);
    const instants = validities.items.flatMap(({ start, end }) => [start ?? [], end ?? []].flat()).sort();
    const allowed = async (at: number) =>
      (await world.explain({ ...asked, at: new Date(at).toISOString() })).allowed;
    const decisions = instants.map(async (instant) => {
      const at = Date.parse(instant);
      return [await allowed(at - 1), await allowed(at)];
    });
    expect(await Promise.all(decisions)).toEqual([
      [true, false],
      [false, true],
    ]);
  });
});

test('an invalid instant is refused', async () => {
  const { explainer, question } = world;
  const bad = explainer.explain(...question(ask('gina', 'Harbour')), { at: Number.NaN });
  await expect(bad).rejects.toMatchObject({ code: 'invalid', field: 'at' });
});
