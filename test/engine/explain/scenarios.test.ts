import { beforeEach, describe, expect, test } from 'vitest';
import type { Explanation, Source } from '../../../engine/index.ts';
import { assignmentAttribute } from '../../../table/decision/attributes.ts';
import { entryChanges } from '../../../table/decision/entries.ts';
import { stamped } from '../../../table/decision/writes.ts';
import { decisionKey } from '../../../table/keys.ts';
import { type Asked, createExplainedWorld, type ExplainedWorld } from './support.ts';

/** The explanation names every derivation and every reason for a refusal, and decides as `check` does. */
const world: ExplainedWorld = await createExplainedWorld();
beforeEach(() => void world.calls.splice(0));

const [OPEN, HVAC] = ['doors:open:door', 'hvac:set:climate'];
const ask = (subject: string, scope: string, permission = OPEN): Asked => ({ subject, permission, scope });
const sourceName = (from: Source): string => {
  const where = 'scope' in from ? ` at ${from.scope.name}` : '';
  return from.kind === 'group' ? `${from.group.name}${where}` : `${from.kind}${where}`;
};
const derivationNames = ({ items }: Explanation['allowedBy']) =>
  items.map(({ from, roles, by }) =>
    [sourceName(from), ...roles.map(({ name }) => name), ...(by ? [by.name] : [])].join(' > '),
  );

const missing = (code: string, words = '') => ({ code, text: expect.stringContaining(words) });

/** The explanation, after asserting that it agrees with `check`. */
async function explained(asked: Asked): Promise<Explanation> {
  const explanation = await world.explain(asked);
  const at = asked.at === undefined ? {} : { at: Date.parse(asked.at) };
  const check = await world.newEngine().check(...world.question(asked), { consistency: 'strong', ...at });
  expect({ allowed: explanation.allowed, reason: explanation.reason }).toEqual(check);
  expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  expect(explanation.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(explanation.steps.filter(({ decides }) => decides)).toHaveLength(1);
  expect(JSON.stringify(explanation)).not.toContain('@example.com');
  return explanation;
}

describe('allowed', () => {
  test.each<[string, Asked, readonly string[]]>([
    ['by a group above', ask('gina', 'Lighthouse'), [`porters at Harbour > caretaker > ${OPEN}`]],
    [
      'by what a role inherits',
      ask('hans', 'Lighthouse'),
      [`heads at Lighthouse > head caretaker > caretaker > ${OPEN}`],
    ],
    ['by an assignment above', ask('asta', 'Lighthouse'), [`assignment at Northwind > caretaker > ${OPEN}`]],
    ['by a pattern', ask('paul', 'Lighthouse'), ['assignment at Harbour > doorman > doors:*:*']],
    ['by a role of the tenant', ask('olaf', 'Lighthouse'), [`assignment at Harbour > own porter > ${OPEN}`]],
    ['by a grant', ask('tess', 'Lighthouse'), [`grant at Northwind > caretaker > ${OPEN}`]],
    ['by a global role', ask('glen', 'Lighthouse', 'unused'), ['global_role > everything > *:*:*']],
    [
      'as an administrator, listed first',
      ask('ada', 'Lighthouse'),
      ['administrator', `porters at Harbour > caretaker > ${OPEN}`],
    ],
    ['as an administrator, without a subscription', ask('ada', 'Lighthouse', HVAC), ['administrator']],
    ['with a licence', ask('petra', 'Routes', 'reports'), ['assignment at Bluefin > analyst > reports']],
  ])('%s', async (_, asked, derivations) => {
    const explanation = await explained(asked);
    expect(explanation.allowed).toBe(true);
    expect(derivationNames(explanation.allowedBy)).toEqual(derivations);
    expect(explanation.suggestions).toBeNull();
    expect(explanation.steps.filter(({ passed }) => passed === false)).toEqual([]);
  });

  test('with a DENY that is overridden: the explanation names it', async () => {
    const explanation = await explained(ask('mix', 'Lighthouse'));
    expect(explanation.reason).toBe('role');
    expect(derivationNames(explanation.deniedBy)).toEqual([`barred ones at Harbour > barred > ${OPEN}`]);
  });

  test('an assignment is shown with its period', async () => {
    const { allowedBy } = await explained(ask('asta', 'Harbour'));
    expect(allowedBy.items[0]?.from).toMatchObject({ start: '2025-01-01T00:00:00.000Z' });
    expect(allowedBy.items[0]?.from).not.toHaveProperty('end');
  });

  test('at another instant than now', async () => {
    const then = { ...ask('carl', 'Lighthouse'), at: '2025-06-29T00:00:00.000Z' };
    expect(await explained(then)).toMatchObject({ allowed: true, at: then.at });
  });
});

describe('refused', () => {
  const NOBODY = 'user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
  const NOWHERE = 'building:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

  test.each<[what: string, asked: Asked, reason: string, step: number, words?: string]>([
    ['an unknown subject', ask(NOBODY, 'Harbour'), 'subject_unknown', 1],
    ['a malformed subject', ask('gina@example.org', 'Harbour'), 'subject_unknown', 1, 'not a reference'],
    ['a disabled user', ask('dora', 'Harbour'), 'subject_inactive', 1, 'its status is disabled'],
    ['one that ended', ask('erna', 'Harbour'), 'subject_ended', 1, 'it ended at 2026-01-01T00:00:00.000Z'],
    ['an unknown scope', ask('gina', NOWHERE), 'scope_unknown', 2],
    ['a closed ancestor', ask('gina', 'Mill'), 'scope_inactive', 2, 'on-hold, and closes all below it'],
    ['an unregistered permission', ask('gina', 'Harbour', 'doors:paint:door'), 'permission_unknown', 3],
    ['a pattern', ask('paul', 'Harbour', 'doors:*:*'), 'permission_unknown', 3, 'pattern'],
    ['a sold module', ask('hans', 'Lighthouse', HVAC), 'not_subscribed', 5, 'no subscription to hvac'],
    ['an ended licence', ask('petra', 'Timetables', 'reports'), 'not_licensed', 5, 'no licence for Borealis'],
    ['a licence with another status', ask('petra', 'Sun', 'reports'), 'not_licensed', 5, 'for Corona'],
    ['a role that denies', ask('bart', 'Lighthouse'), 'denied_by_role', 8],
    ['a DENY under deny-overrides', ask('sid', 'Strict'), 'denied_by_role', 8],
  ])('%s', async (_, asked, reason, step, words) => {
    const explanation = await explained(asked);
    expect(explanation.reason).toBe(reason);
    const deciding = explanation.steps.find(({ decides }) => decides);
    expect(deciding).toMatchObject({ step, passed: false });
    expect(deciding?.missing).toContainEqual(missing(reason.replace('denied_by_role', 'denied'), words));
    for (const later of explanation.steps.slice(step))
      expect(later).toMatchObject({ passed: null, findings: [], missing: [] });
  });

  test('subscriptions and licences that are not valid are listed with the reason', async () => {
    const { steps } = await explained(ask('hans', 'Lighthouse', HVAC));
    expect(steps[4]?.findings.slice(1)).toEqual([
      'subscription for hvac at Lighthouse from 2024-01-01T00:00:00.000Z until 2025-12-31T00:00:00.000Z: has ended',
      'subscription for hvac at Northwind from 2024-01-01T00:00:00.000Z: its status is expired',
    ]);
    const licenses = async (scope: string) =>
      (await explained(ask('petra', scope, 'reports'))).steps[4]?.findings.slice(1);
    expect(await licenses('Timetables')).toEqual([
      expect.stringMatching(/^license for Borealis at .* until 2025-01-01T00:00:00.000Z: has ended$/),
    ]);
    expect(await licenses('Sun')).toEqual([
      expect.stringMatching(/^license for Corona .*: its status is expired$/),
    ]);
    expect(await licenses('Routes')).toEqual([expect.stringMatching(/^license for .*: holds$/)]);
  });

  test('deny-overrides: lists what denies and what allows, and suggests nothing', async () => {
    const explanation = await explained(ask('sid', 'Strict'));
    expect(explanation.combination).toBe('deny-overrides');
    expect(derivationNames(explanation.deniedBy)).toEqual([`strict at Strict > barred > ${OPEN}`]);
    expect(derivationNames(explanation.allowedBy)).toEqual([`strict at Strict > caretaker > ${OPEN}`]);
    expect(explanation.suggestions).toBeNull();
  });

  test('with an unknown subject, the path is not read and is marked so', async () => {
    const { path, combination } = await explained(ask(NOBODY, 'Lighthouse'));
    expect(path.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Lighthouse active',
      'Harbour not looked at',
      'Northwind not looked at',
    ]);
    expect(combination).toBeNull();
  });
});

describe('refused without a grant: suggestions', () => {
  const granted = ({ suggestions }: Explanation) =>
    suggestions?.granted.items.map(
      ({ from, roles, relation, period }) =>
        `${sourceName(from)} > ${roles.map(({ name }) => name).join(' > ')}: ${relation}, ${period}`,
    );

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
    const explanation = await explained(asked);
    expect(explanation.reason).toBe('no_grant');
    expect(granted(explanation)).toEqual(expected);
  });

  test('groups here and above; roles with the exact permission before roles with a pattern', async () => {
    const { suggestions } = await explained(ask('nobody', 'Lighthouse'));
    const names = suggestions?.groups.items.map(({ group, scope, role }) =>
      [group.name, scope.name, role.name].join(', '),
    );
    expect(names).toEqual(['heads, Lighthouse, head caretaker', 'porters, Harbour, caretaker']);
    expect(suggestions?.roles.items.map(({ role }) => role.name)).toEqual([
      ...['own porter', 'caretaker', 'head caretaker', 'doorman', 'everything'],
    ]);
  });

  test('a group of the subject without a useful role is read and left out', async () => {
    const explanation = await explained(ask('lazy', 'Lighthouse'));
    expect(granted(explanation)).toEqual([]);
    expect(explanation.steps[5]).toMatchObject({
      passed: true,
      findings: [expect.stringMatching(/^role idle /)],
    });
    expect(explanation.steps[6]).toMatchObject({ passed: false, missing: [{ code: 'no_effect' }] });
  });

  test('a DENY without an ALLOW gets suggestions too, under allow-overrides', async () => {
    const { suggestions } = await explained(ask('bart', 'Lighthouse'));
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
    const explanation = await explained(ask(`user:${victim.id}`, 'Lighthouse'));
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

  test('granted roles that do not count are listed with the reason', async () => {
    const { steps } = await explained(ask('carl', 'Lighthouse'));
    expect(steps[5]?.missing).toMatchObject([
      missing('role_not_in_force', 'does not count: it has ended'),
      missing('role_not_in_force', 'does not count: it has not begun'),
      missing('no_role'),
    ]);
  });
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
    const { validities } = await explained(asked);
    expect(validities.items).toMatchObject(expected);
    expect(validities).toMatchObject({ items: { length: expected.length }, more: 0 });
  });

  test('between two of its instants the decision is the same', async () => {
    const asked = ask('carl', 'Lighthouse');
    const { validities } = await explained(asked);
    const instants = validities.items.flatMap(({ start, end }) => [start ?? [], end ?? []].flat()).sort();
    const allowed = async (at: number) =>
      (await explained({ ...asked, at: new Date(at).toISOString() })).allowed;
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
