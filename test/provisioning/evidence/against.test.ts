import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { againstLog } from '../../../provisioning/evidence/against.ts';
import type { DecisionRecord } from '../../../provisioning/evidence/log-lines.ts';
import { createLoggedQuestions } from '../../../provisioning/evidence/logged-questions.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
import { copyOf } from '../../support/world.ts';
import { createMemoryWorld, type MemoryWorld } from '../apply/support.ts';

/** What a change would have done to a log: in which order, how much at most, and what counts. */
let world: MemoryWorld;
beforeAll(async () => {
  world = createMemoryWorld();
  await world.apply(`
pages: [roster, grades]
scopes:
  school: { id: school, type: tenant }
  north: { id: north, type: location, parent: school }
  south: { id: south, type: location, parent: school }
  east: { id: east@x.example, type: location, parent: school }
roles: { teacher: { id: teacher, owner: school, allow: [roster, grades] } }
groups: { staff: { id: staff, scope: school, roles: [teacher] } }
users: { ann: { id: ann, groups: [staff] }, ben: { id: ben, groups: [staff] } }
subjects:
  bot: { id: bot, type: agent, grants: { school: [teacher] } }
  robot: { id: "robot@x.example", type: agent, mandateOptional: true, grants: { school: [teacher] } }
properties: [{ of: action, name: amount, type: int, source: passed }]
`);
  const end = (hours: number) => new Date(world.clock.now() + hours * 3_600_000).toISOString();
  const mandate = (id: string, more = {}) =>
    world.run('mandate.create', {
      id,
      subject: 'user:ann',
      actor: 'agent:bot',
      permissions: ['roster'],
      scopes: ['location:north'],
      purpose: 'plans the week',
      endsAt: end(20),
      ...more,
    });
  await mandate('plan');
  await mandate('both', { scopes: ['location:north', 'location:south'] });
  await mandate('counted', { budget: { uses: 3 } });
  await mandate('cheap', { when: 'action.properties.amount < 5' });
  await mandate('ended', { endsAt: end(1) });
  await mandate('stopped');
  await world.run('mandate.end', { id: 'stopped' });
  world.clock.advance(2 * 3_600_000);
  world.settle();
});

const CLOSE = { command: 'group-role.delete', input: { group: 'staff', role: 'teacher' } };

const logged = (id: string) => `sha256:${createHash('sha256').update(id).digest('base64url').slice(0, 22)}`;

type Line = Partial<Omit<DecisionRecord, 'subject' | 'scope'>> & { readonly of: string };
function questionsOf(lines: readonly Line[], most?: number) {
  const collected = createLoggedQuestions(most);
  for (const { of, ...line } of lines) {
    const [subject, permission, scope] = of.split(' ');
    const known = { subject: `user:${subject}`, permission, scope: `location:${scope}` };
    collected.add({ ...known, allowed: true, rate: 1, reason: 'role', askedFor: undefined, ...line });
  }
  return collected.all();
}
const against = (lines: readonly Line[], changes: Parameters<typeof againstLog>[0] = [CLOSE], options = {}) =>
  againstLog(changes, questionsOf(lines), {
    reader: world.reader,
    commands: COMMANDS,
    at: world.clock.now(),
    ...options,
  });
const repeated = (of: string, times: number): readonly Line[] =>
  Array.from({ length: times }, () => ({ of }));

test('who is concerned most comes first, and of one person a permission after the other', async () => {
  const { refused, questions } = await against([
    ...repeated('ann roster north', 2),
    ...repeated('ben roster north', 3),
    ...repeated('ben grades south', 1),
    ...repeated('ben roster south', 4),
  ]);
  expect(questions).toBe(4);
  const rows = refused.rows.map(({ subject, permission, scope, decisions: { lines } }) =>
    [subject, permission, scope, lines].join(' '),
  );
  expect(rows).toEqual([
    'user:ben grades location:south 1',
    'user:ben roster location:south 4',
    'user:ben roster location:north 3',
    'user:ann roster location:north 2',
  ]);
});

test('a credential that was refused asks nothing, and a search neither', () => {
  const { questions, others } = questionsOf([
    { of: 'ann roster north', allowed: false, reason: 'credential_refused' },
    { of: 'ann roster north', permission: undefined, reason: 'found' },
  ]);
  expect([questions, others]).toEqual([[], 2]);
});

describe('somebody who acted for the subject', () => {
  const by = (mandate: string | undefined, of = 'ann roster north', more: Partial<Line> = {}): Line => ({
    of,
    actor: 'agent:bot',
    ...(mandate === undefined ? {} : { mandate: `mandate:${mandate}` }),
    ...more,
  });
  const linesOf = ({ refused, allowed, now, unknown }: Awaited<ReturnType<typeof against>>) => {
    const { decisions: _, ...causes } = unknown;
    const all = { refused: refused.decisions, allowed: allowed.decisions, now: now.refused.decisions };
    const counts = {
      ...all,
      ...Object.fromEntries(Object.entries(causes).map(([name, of]) => [`? ${name}`, of])),
    };
    return Object.fromEntries(
      Object.entries(counts).flatMap(([name, { lines }]) => (lines > 0 ? [[name, lines]] : [])),
    );
  };
  const withoutChange = (lines: readonly Line[]) => against(lines, []);

  test('is decided with its mandate, and named', async () => {
    const found = await against([{ of: 'ann roster north' }, by('plan'), by('plan'), by('both')]);
    expect(linesOf(found)).toEqual({ refused: 4 });
    expect(found.questions).toBe(3);
    expect(found.refused.rows.map(({ actor, decisions }) => [actor, decisions.lines])).toEqual([
      [{ subject: 'agent:bot', mandate: 'mandate:plan' }, 2],
      [undefined, 1],
      [{ subject: 'agent:bot', mandate: 'mandate:both' }, 1],
    ]);
  });

  test('is refused what the actor or the mandate alone is not allowed', async () => {
    const lines = [
      by(undefined, 'ann roster north', { reason: 'mandate_required', allowed: false }),
      by('plan', 'ann grades north', { reason: 'mandate_permission', allowed: false }),
      by('plan', 'ann roster south', { reason: 'mandate_scope', allowed: false }),
    ];
    expect(linesOf(await withoutChange(lines))).toEqual({});
    expect(linesOf(await withoutChange(lines.map((line) => ({ ...line, allowed: true }))))).toEqual({
      now: 3,
    });
    const taken = [{ command: 'grant.delete', input: { user: 'agent:bot', scope: 'tenant:school' } }];
    expect(linesOf(await against([by('plan')], taken))).toEqual({ refused: 1 });
  });

  test('by a mandate that ended or is gone is unknown, each under its cause', async () => {
    const gone = [by('ended'), by('stopped'), by('nothing'), by('counted'), by('cheap')];
    const unknown = { '? mandates': 3, '? budgets': 1, '? properties': 1 };
    expect(linesOf(await withoutChange(gone))).toEqual(unknown);
    // Without the group's role Ann is refused, whatever a mandate says.
    expect(linesOf(await against(gone))).toEqual({ ...unknown, '? refused': 5 });
  });

  test('loses what the change takes from the mandate', async () => {
    // A mandate goes with any of its scopes.
    const changes = [{ command: 'location.delete', input: { id: 'south' } }];
    const found = await against([by('both'), by('plan')], changes);
    expect(linesOf(found)).toEqual({ refused: 1 });
    expect(found.refused.rows[0]?.actor?.mandate).toBe('mandate:both');
  });

  test('has a pseudonym that is opened; that of a mandate is not', async () => {
    const actor = `agent:${logged('robot@x.example')}`;
    const { refused, unknown } = await against([
      { of: 'ann roster north', actor },
      { of: 'ann roster north', actor: 'agent:bot', mandate: logged('mandate:a@b') },
    ]);
    expect(refused.rows).toMatchObject([{ actor: { subject: 'agent:robot@x.example' } }]);
    expect(unknown.pseudonyms.lines).toBe(1);
  });
});

test('pseudonyms are opened: of people, of scopes, and of whom the change makes', async () => {
  const changes = [
    { command: 'user.create', input: { id: 'new@x.example' } },
    { command: 'membership.create', input: { user: 'new@x.example', group: 'staff' } },
  ];
  const lines = [`${logged('new@x.example')} roster ${logged('east@x.example')}`, 'ann roster north'];
  const { allowed, unknown } = await against(
    lines.map((of) => ({ of })),
    changes,
  );
  expect(allowed.rows).toMatchObject([{ subject: 'user:new@x.example', scope: 'location:east@x.example' }]);
  expect(unknown.decisions.lines).toBe(0);
});

test('what began or ended since a line was written is no effect of the change', async () => {
  const since = copyOf(world);
  const assigned = { role: 'teacher', scope: 'tenant:school' };
  await since.run('user.create', { id: 'cyd' });
  await since.run('user.create', { id: 'dan' });
  await since.run('assignment.create', { ...assigned, user: 'cyd', endsAt: '2030-01-01' });
  await since.run('assignment.create', { ...assigned, user: 'dan', startsAt: '2030-01-01' });
  const tidy = { command: 'assignment.delete', input: { user: 'cyd', ...assigned } };
  const lines = [
    { of: 'ann roster north' },
    { of: 'cyd roster north' },
    { of: 'dan roster north', allowed: false, reason: 'no_role' },
  ];
  const later = { reader: since.reader, at: Date.parse('2030-02-01') };
  const { refused, allowed, now } = await against(lines, [CLOSE, tidy], later);
  const whose = [refused, allowed, now.refused, now.allowed].map(({ rows }) =>
    rows.map(({ subject }) => subject),
  );
  expect(whose).toEqual([['user:ann'], [], ['user:cyd'], ['user:dan']]);
});

test('too much is refused, and says what to narrow', async () => {
  expect(() => questionsOf([{ of: 'ann roster north' }, { of: 'ben roster north' }], 1)).toThrow(
    /more than 1 different questions: give fewer days/,
  );
  for (const bounds of [{ items: 3 }, { calls: 2 }])
    await expect(against([{ of: 'ann roster north' }], [CLOSE], { bounds })).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringMatching(/give fewer days/),
    });
});

test('a change that is refused says why, and the table stays as it is', async () => {
  const before = world.items();
  await against([{ of: 'ann roster north' }]);
  expect(world.items()).toEqual(before);
  const gone = { command: 'role.delete', input: { id: 'nothing' } };
  await expect(against([], [gone])).rejects.toMatchObject({ code: 'not_found' });
});
