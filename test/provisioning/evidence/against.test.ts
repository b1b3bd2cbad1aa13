import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { againstLog } from '../../../provisioning/evidence/against.ts';
import type { DecisionRecord } from '../../../provisioning/evidence/log-lines.ts';
import { createLoggedQuestions } from '../../../provisioning/evidence/logged-questions.ts';
import { COMMANDS } from '../../../provisioning/index.ts';
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
`);
  world.settle();
});

const CLOSE = { command: 'group-role.delete', input: { group: 'staff', role: 'teacher' } };

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
const against = (lines: readonly Line[], options = {}) =>
  againstLog([CLOSE], questionsOf(lines), {
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
  expect(
    refused.rows.map(({ subject, permission, scope, decisions }) => [
      subject,
      permission,
      scope,
      decisions.lines,
    ]),
  ).toEqual([
    ['user:ben', 'grades', 'location:south', 1],
    ['user:ben', 'roster', 'location:south', 4],
    ['user:ben', 'roster', 'location:north', 3],
    ['user:ann', 'roster', 'location:north', 2],
  ]);
});

test('a credential that was refused asks nothing, and a search neither', () => {
  const { questions, others } = questionsOf([
    { of: 'ann roster north', allowed: false, reason: 'credential_refused' },
    { of: 'ann roster north', permission: undefined, reason: 'found' },
  ]);
  expect([questions, others]).toEqual([[], 2]);
});

test('what an actor was allowed or refused is unknown', async () => {
  const lines = [{ of: 'ann roster north' }, { of: 'ann roster north', actor: 'agent:bot' }];
  const { refused, unknown, decisions } = await against(lines);
  expect([refused.decisions.lines, unknown.actors.lines, unknown.decisions.lines, decisions.lines]).toEqual([
    1, 1, 1, 2,
  ]);
});

test('each answer of a sample counts by its own share', () => {
  const { questions } = questionsOf([
    { of: 'ann roster north', rate: 0.05 },
    { of: 'ann roster north', rate: 0.5 },
    { of: 'ann roster north', allowed: false },
  ]);
  expect(questions).toMatchObject([
    { allowed: { lines: 2, estimated: 22 }, refused: { lines: 1, estimated: 1 } },
  ]);
});

test('pseudonyms are opened: of people, of scopes, and of whom the change makes', async () => {
  const logged = (id: string) => `sha256:${createHash('sha256').update(id).digest('base64url').slice(0, 22)}`;
  const changes = [
    { command: 'user.create', input: { id: 'new@x.example' } },
    { command: 'membership.create', input: { user: 'new@x.example', group: 'staff' } },
  ];
  const lines = [`${logged('new@x.example')} roster ${logged('east@x.example')}`, 'ann roster north'];
  const { allowed, unknown } = await againstLog(changes, questionsOf(lines.map((of) => ({ of }))), {
    reader: world.reader,
    commands: COMMANDS,
    at: world.clock.now(),
  });
  expect(allowed.rows).toMatchObject([{ subject: 'user:new@x.example', scope: 'location:east@x.example' }]);
  expect(unknown.decisions.lines).toBe(0);
});

test('too much is refused, and says what to narrow', async () => {
  expect(() => questionsOf([{ of: 'ann roster north' }, { of: 'ben roster north' }], 1)).toThrow(
    /more than 1 different questions: give fewer days/,
  );
  for (const bounds of [{ items: 3 }, { calls: 2 }])
    await expect(against([{ of: 'ann roster north' }], { bounds })).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringMatching(/give fewer days/),
    });
});

test('a change that is refused says why, and the table stays as it is', async () => {
  const before = world.items();
  await against([{ of: 'ann roster north' }]);
  expect(world.items()).toEqual(before);
  const gone = { command: 'role.delete', input: { id: 'nothing' } };
  await expect(
    againstLog([gone], questionsOf([]), { reader: world.reader, commands: COMMANDS, at: world.clock.now() }),
  ).rejects.toMatchObject({ code: 'not_found' });
});
