import { expect, test } from 'vitest';
import { createModel, type ModelState, type Texts } from '../../explorer/playground/model.ts';

/** The playground's model: texts become a table, problems in their places, and results of tests. */
const NOW = Date.parse('2026-03-02T09:00:00Z');

const SCHOOL = `pages: [grades]
scopes:
  school: { type: tenant }
  north: { type: location, parent: school }
roles:
  teacher: { owner: school, allow: [grades] }
users:
  ann: { assignments: [{ role: teacher, scope: north }] }
  ben: {}
`;
const TESTS = `tests:
  - { subject: ann, permission: grades, scope: north, expect: allow }
  - name: Ben is no teacher
    subject: ben
    scope: north
    deny: [grades]
`;

const open = (pause?: () => Promise<void>) => {
  const model = createModel({ now: () => NOW, ...(pause ? { pause } : {}) });
  const update = (manifest: string, tests = ''): Promise<ModelState> => model.update({ manifest, tests });
  const decide = async ({ names }: ModelState, subject: string): Promise<unknown> => {
    const question = { subject: names.subject[subject], permission: 'grades', scope: names.scope.north };
    const reply = await model.service('check', question);
    return reply.ok ? reply.result : reply.error;
  };
  return { model, update, decide };
};

const passed = ({ tests }: ModelState) => tests.map(({ title, passed, line }) => [line, title, passed]);

test('a manifest is applied, its tests run, and the service decides on its table', async () => {
  const { update, decide } = open();
  const state = await update(SCHOOL, TESTS);
  expect(state).toMatchObject({
    problems: [],
    isCurrent: true,
    permissions: ['grades'],
    counts: { pages: 1, scopes: 2, roles: 1, users: 2 },
    difference: { create: 8, change: 0, remove: 0 },
  });
  expect(Object.keys(state.names.subject)).toEqual(['ann', 'ben']);
  expect(passed(state)).toEqual([
    [2, 'ann: grades at north: allow', true],
    [3, 'Ben is no teacher', true],
  ]);
  expect(await decide(state, 'ann')).toEqual({ allowed: true, reason: 'role' });
  expect(await decide(state, 'ben')).toEqual({ allowed: false, reason: 'no_grant' });
});

test('a test that fails is explained, with the names of the manifest', async () => {
  const { tests } = await open().update(SCHOOL.replace('allow: [grades]', 'deny: [grades]'), TESTS);
  expect(tests.map(({ passed }) => passed)).toEqual([false, true]);
  const [answer] = tests[0]?.answers ?? [];
  expect(answer).toMatchObject({ expect: 'allow', decision: { reason: 'denied_by_role' } });
  expect(JSON.stringify(answer?.explanation)).toContain('teacher');
});

test('an edit is compared with the text before it: what it creates, changes and removes', async () => {
  const { update } = open();
  await update(SCHOOL);
  const { difference } = await update(
    SCHOOL.replace('  ben: {}\n', '')
      .replace('pages: [grades]', 'pages: [grades, menu]')
      .replace('ann: {', 'ann: { displayName: Ann,'),
  );
  expect(difference).toEqual({
    create: 1,
    change: 1,
    remove: 1,
    edits: [
      { verb: 'create', kind: 'page', label: 'menu' },
      { verb: 'change', kind: 'user', label: 'ann' },
      { verb: 'remove', kind: 'user', label: 'ben' },
    ],
  });
});

test('a comment changes nothing, and what was changed by commands stays', async () => {
  const { model, update, decide } = open();
  const state = await update(SCHOOL);
  const [, id] = (state.names.subject.ann ?? '').split(':');
  const reply = await model.service('command', { command: 'user.update', input: { id, status: 'disabled' } });
  expect(reply).toMatchObject({ ok: true, result: { ok: true } });
  expect(await decide(await update(`# A school\n${SCHOOL}`), 'ann')).toMatchObject({
    reason: 'subject_inactive',
  });
  expect(await decide(await update(SCHOOL.replace('ben', 'cem')), 'ann')).toMatchObject({ reason: 'role' });
});

test.each<[string, Texts, object]>([
  [
    'a name that leads nowhere',
    { manifest: SCHOOL.replace('role: teacher', 'role: techer'), tests: '' },
    { text: 'manifest', line: 8, column: 26, endLine: 8, endColumn: 30 },
  ],
  [
    'a key that is unknown',
    { manifest: SCHOOL.replace('parent:', 'parnt:'), tests: '' },
    { text: 'manifest', line: 4, message: expect.stringContaining('did you mean parent?') },
  ],
  ['YAML that is none', { manifest: `${SCHOOL}  - x`, tests: '' }, { text: 'manifest', line: 10 }],
  ['nothing', { manifest: '', tests: '' }, { text: 'manifest', line: 1, column: 1 }],
  ['a list', { manifest: '- a', tests: '' }, { text: 'manifest', line: 1, column: 1 }],
  [
    'more than one call takes',
    { manifest: `pages: [${'a'.repeat(1_000_001)}]`, tests: '' },
    { text: 'manifest', message: expect.stringContaining('divide it') },
  ],
  [
    'a subject of a test',
    { manifest: SCHOOL, tests: TESTS.replace('subject: ann', 'subject: anne') },
    { text: 'tests', line: 2, column: 7, endColumn: 14 },
  ],
  ['a test of no form', { manifest: SCHOOL, tests: 'tests: [{ subject: ann }]' }, { text: 'tests', line: 1 }],
  ['tests without tests', { manifest: SCHOOL, tests: 'at: 2026-01-01' }, { text: 'tests', line: 1 }],
  [
    'a manifest within the tests',
    { manifest: SCHOOL, tests: `manifest: { pages: [a] }\n${TESTS}` },
    { text: 'tests', line: 1, message: expect.stringContaining('is the other text') },
  ],
])('a problem is in its place: %s', async (_, { manifest, tests }, problem) => {
  const { problems } = await open().update(manifest, tests);
  expect(problems[0]).toMatchObject(problem);
});

test('with problems the last good table stays, with the last good tests', async () => {
  const { update, decide } = open();
  await update(SCHOOL, TESTS);
  const state = await update(SCHOOL.replace('type: tenant', 'type: tenat'), 'tests: [');
  expect(new Set(state.problems.map(({ text }) => text))).toEqual(new Set(['manifest', 'tests']));
  expect(state).toMatchObject({ isCurrent: false, counts: { users: 2 } });
  expect(await decide(state, 'ann')).toEqual({ allowed: true, reason: 'role' });
  expect(passed(state).map(([, , each]) => each)).toEqual([true, true]);
  expect(await update(SCHOOL, TESTS)).toMatchObject({ problems: [], isCurrent: true });
});

test('before the first good manifest there is an empty table', async () => {
  const { model, update } = open();
  expect(await update('roles: 1', TESTS)).toMatchObject({ isCurrent: false, counts: {}, tests: [] });
  expect(await model.service('command', { command: 'page.list', input: {} })).toMatchObject({
    result: { result: { items: [] } },
  });
});

test('tests may name the file of a manifest: it is the other text', async () => {
  const state = await open().update(SCHOOL, `manifest: school.manifest.yaml\n${TESTS}`);
  expect(state.problems).toEqual([]);
  expect(state.tests).toHaveLength(2);
});

test('the latest call wins: those that it overtakes resolve with what became of it', async () => {
  const { update } = open();
  const all = [SCHOOL, SCHOOL.replace('ben', 'cem'), SCHOOL.replace('ben', 'dan')].map((text) =>
    update(text),
  );
  for (const { names } of await Promise.all(all)) expect(Object.keys(names.subject)).toEqual(['ann', 'dan']);
});

test('an apply is given up in the middle for newer texts', async () => {
  let time = NOW;
  let pauses = 0;
  let overtake = (): void => {};
  const model = createModel({
    // Each look at the clock takes a while: there is a pause at every step.
    now: () => (time += 50),
    pause: async () => {
      pauses += 1;
      if (pauses === 4) overtake();
    },
  });
  const users = Array.from({ length: 300 }, (_, number) => `  u${number}: {}`).join('\n');
  let last: Promise<ModelState> | undefined;
  overtake = () => {
    last = model.update({ manifest: 'pages: [menu]', tests: '' });
  };
  const first = await model.update({ manifest: `${SCHOOL}${users}\n`, tests: '' });
  expect(first.permissions).toEqual(['menu']);
  expect(await last).toBe(first);
  // Of the first manifest nothing was taken.
  expect(first.difference).toMatchObject({ create: 1, change: 0, remove: 0 });
});

test('names are text, whatever they hold', async () => {
  const hostile = ['<img src=x onerror=alert(1)>', 'مرحبا.exe', 'é'.repeat(64), 'constructor', "'; --"];
  const users = hostile.map((name) => `  ${JSON.stringify(name)}: {}`).join('\n');
  const state = await open().update(`users:\n${users}\n`);
  expect(state.problems).toEqual([]);
  expect(Object.keys(state.names.subject)).toEqual(hostile);
});
