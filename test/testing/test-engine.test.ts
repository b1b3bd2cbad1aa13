import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { formatExplanation } from '../../engine/index.ts';
import { testEngine } from '../../testing/index.ts';

/** The testing kit: a manifest in, decisions out, and nothing but memory in between. */
const MANIFEST = {
  pages: ['grades', 'home'],
  permissions: ['reports:read:report'],
  scopes: {
    school: { type: 'tenant' },
    north: { type: 'location', parent: 'school' },
    teachers: { type: 'location', parent: 'school' },
  },
  roles: {
    teacher: { allow: ['grades'] },
    auditor: { allow: [{ permission: 'reports:read:report', when: 'context.ip.startsWith("10.")' }] },
    caretaker: { allow: [{ permission: 'home', when: 'context.time.getHours("Europe/Berlin") == 9' }] },
  },
  groups: { teachers: { scope: 'north', roles: ['teacher'] } },
  users: {
    ann: { groups: ['teachers'] },
    ben: null,
    cem: { assignments: [{ role: 'teacher', scope: 'north', from: '2026-03-01', until: '2026-03-31' }] },
    dora: { assignments: [{ role: 'auditor', scope: 'school' }] },
    emil: { assignments: [{ role: 'caretaker', scope: 'school' }] },
  },
};
const ALLOWED = { allowed: true, reason: 'role' };
const REFUSED = { allowed: false, reason: 'no_grant' };

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-testing-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'manifest.yaml');
writeFileSync(FILE, JSON.stringify(MANIFEST));

describe('a manifest', () => {
  test.each([
    ['an object', MANIFEST],
    ['JSON', JSON.stringify(MANIFEST)],
    [
      'YAML',
      'pages: [grades]\nscopes: { north: { type: location } }\nroles: { teacher: { allow: [grades] } }\n' +
        'groups: { teachers: { scope: north, roles: [teacher] } }\nusers: { ann: { groups: [teachers] }, ben: }\n',
    ],
    ['the path of a file', FILE],
    ['the URL of a file', pathToFileURL(FILE)],
  ])('can be %s', async (_, manifest) => {
    const authz = await testEngine(manifest);
    expect(await authz.check('ann', 'grades', 'north')).toEqual(ALLOWED);
    expect(await authz.check('ben', 'grades', 'north')).toEqual(REFUSED);
  });

  test('the instant is context.time: the one that is asked for, or else that of the clock', async () => {
    const authz = await testEngine(MANIFEST, { at: '2026-07-01T07:30:00Z' });
    const ask = (options: Parameters<typeof authz.check>[3]) => authz.check('emil', 'home', 'north', options);
    expect(await ask({})).toEqual(ALLOWED);
    expect(await ask({ at: '2026-07-01T08:30:00Z' })).toEqual(REFUSED);
    expect(await ask({ at: '2026-01-07T08:30:00Z' })).toEqual(ALLOWED);
    expect(await ask({ at: '2026-01-07T09:30:00Z', context: { time: '2026-01-07T08:30:00Z' } })).toEqual(
      ALLOWED,
    );
    const explained = await authz.explain('emil', 'home', 'north', { at: '2026-01-07T08:30:00Z' });
    expect(explained).toMatchObject({ allowed: true });
  });

  test('that is wrong is refused with all of its problems, each with its place', async () => {
    const text =
      'pages: [grades]\nroles:\n  teacher: { allow: [grade] }\ngroups:\n  staff: { scope: nort, roles: [teacher] }\n';
    await expect(testEngine(text)).rejects.toThrow(
      [
        'manifest:3:22: roles.teacher.allow[0]: there is no page or permission grade: did you mean grades?',
        'manifest:5:12: groups.staff.scope: there is no scope nort: there is none',
      ].join('\n'),
    );
    await expect(testEngine({ pages: ['grades'], role: {} })).rejects.toThrow(
      'manifest: role: unknown key: did you mean roles?',
    );
  });

  test('that is refused by provisioning is refused with its place', async () => {
    const text = 'users:\n  ann:\n    email: nobody\n';
    await expect(testEngine(text)).rejects.toThrow(/^manifest:3:5: users.ann.email: /);
  });

  test.each([
    ['a file that is not there', join(folder, 'other.yaml'), 'other.yaml: there is no such file'],
    ['nothing', {}, 'manifest: says nothing: give '],
    ['no YAML', 'pages: [grades', 'manifest:1:15: '],
    ['model tests', 'tests: []\nmanifest: {}\n', 'manifest: holds model tests and is no manifest'],
  ])('cannot be %s', async (_, manifest, message) => {
    await expect(testEngine(manifest)).rejects.toThrow(message);
  });
});

describe('a question', () => {
  test.each([
    ['subject', ['anne', 'grades', 'north'], 'there is no subject anne: did you mean ann?'],
    ['permission', ['ann', 'grade', 'north'], 'there is no permission grade: did you mean grades?'],
    ['scope', ['ann', 'grades', 'nort'], 'there is no scope nort: did you mean north?'],
    ['subject', ['user:nobody', 'grades', 'north'], 'there is no subject user:nobody'],
    ['scope', ['ann', 'grades', 'location:nowhere'], 'there is no scope location:nowhere'],
  ] as const)(
    'with an unknown %s is an error and no refusal: %j',
    async (field, [subject, permission, scope], message) => {
      const authz = await testEngine(MANIFEST);
      await expect(authz.check(subject, permission, scope)).rejects.toMatchObject({
        code: 'not_found',
        field,
      });
      await expect(authz.check(subject, permission, scope)).rejects.toThrow(message);
    },
  );

  test('takes references as well as names', async () => {
    const authz = await testEngine(MANIFEST);
    expect(authz.ref('north')).toMatch(/^location:/);
    expect(await authz.check(authz.ref('ann'), 'grades', authz.ref('north'))).toEqual(ALLOWED);
    expect(await authz.engine.check(authz.ref('ann'), 'grades', authz.ref('north'))).toEqual(ALLOWED);
  });

  test('carries what conditions look at', async () => {
    const authz = await testEngine(MANIFEST);
    const from = (ip?: string) => authz.check('dora', 'reports:read:report', 'north', { context: { ip } });
    expect(await from('10.1.2.3')).toEqual(ALLOWED);
    expect(await from('192.0.2.1')).toEqual(REFUSED);
    expect(await from()).toEqual({ allowed: false, reason: 'condition_failed' });
  });

  test('is explained with the names of the manifest', async () => {
    const authz = await testEngine(MANIFEST);
    const text = formatExplanation(await authz.explain('ben', 'grades', 'north'));
    expect(text).toContain('subject     ben');
    expect(text).toContain('teachers at north: carries role teacher');
  });
});

describe('the clock', () => {
  test('decides what is valid, forwards and backwards', async () => {
    const authz = await testEngine(MANIFEST, { at: '2026-02-28T23:59:59.999Z' });
    const cem = () => authz.check('cem', 'grades', 'north');
    expect(await cem()).toEqual(REFUSED);
    authz.clock.advance(1);
    expect(await cem()).toEqual(ALLOWED);
    authz.clock.set('2026-04-01');
    expect(await cem()).toEqual(REFUSED);
    authz.clock.set(new Date('2026-03-31T23:59:59.999Z'));
    expect(await cem()).toEqual(ALLOWED);
    authz.clock.set(0);
    expect(await cem()).toEqual(REFUSED);
    expect(authz.clock.now()).toBe(0);
  });

  test('is overruled by the instant of a question', async () => {
    const authz = await testEngine(MANIFEST, { at: '2026-01-01' });
    expect(await authz.check('cem', 'grades', 'north', { at: '2026-03-05' })).toEqual(ALLOWED);
  });

  test('ends a session of the engine', async () => {
    const authz = await testEngine(MANIFEST, { at: '2026-03-31T23:59:59Z' });
    const open = () =>
      authz.engine.session(authz.ref('cem'), authz.ref('north'), { permissions: ['grades'] });
    const session = await open();
    expect(session.can('grades')).toBe(true);
    authz.clock.advance(1_000);
    expect(session.can('grades')).toBe(false);
    expect((await open()).can('grades')).toBe(false);
  });

  test.each(['tomorrow', '2026-02-30', Number.NaN, new Date('x')])('is not set to %s', async (instant) => {
    const authz = await testEngine(MANIFEST);
    expect(() => authz.clock.set(instant)).toThrow('is neither an instant');
    await expect(testEngine(MANIFEST, { at: instant })).rejects.toThrow('is neither an instant');
    await expect(authz.check('ann', 'grades', 'north', { at: instant })).rejects.toThrow(
      'is neither an instant',
    );
    expect(() => authz.clock.advance(Number.NaN)).toThrow('must be a number');
  });
});

describe('a command', () => {
  const input = (authz: Awaited<ReturnType<typeof testEngine>>) => ({
    user: authz.id('ben'),
    group: authz.id('teachers', 'group'),
  });

  test('is seen by the next check, in the engine too, whatever the clock says', async () => {
    const authz = await testEngine(MANIFEST, { at: '2026-03-01' });
    const ben = () => authz.check('ben', 'grades', 'north');
    const inCode = () => authz.engine.check(authz.ref('ben'), 'grades', authz.ref('north'));
    expect([await ben(), await inCode()]).toEqual([REFUSED, REFUSED]);
    await authz.command('membership.create', input(authz));
    expect([await ben(), await inCode()]).toEqual([ALLOWED, ALLOWED]);
    authz.clock.set('2020-01-01');
    expect([await ben(), await inCode()]).toEqual([ALLOWED, ALLOWED]);
    await authz.command('membership.delete', input(authz));
    expect([await ben(), await inCode()]).toEqual([REFUSED, REFUSED]);
  });

  test('makes what is asked about by its reference', async () => {
    const authz = await testEngine(MANIFEST);
    const { id } = await authz.command('user.create', { displayName: 'Edda', email: 'edda@school.example' });
    expect(await authz.check(`user:${id}`, 'grades', 'north')).toEqual(REFUSED);
  });

  test('that is refused is an error with its code, its field and its name', async () => {
    const authz = await testEngine(MANIFEST);
    const wrong = authz.command('membership.create', { user: authz.id('ben'), group: 'nowhere' });
    await expect(wrong).rejects.toMatchObject({ code: 'not_found', field: 'group' });
    await expect(wrong).rejects.toThrow(/^membership\.create: /);
  });

  test('changes nothing for another test of the same manifest', async () => {
    const [one, other] = [await testEngine(MANIFEST), await testEngine(MANIFEST)];
    await one.command('membership.create', input(one));
    expect(await one.check('ben', 'grades', 'north')).toEqual(ALLOWED);
    expect(await other.check('ben', 'grades', 'north')).toEqual(REFUSED);
    expect(await (await testEngine(MANIFEST)).check('ben', 'grades', 'north')).toEqual(REFUSED);
  });
});

describe('a name', () => {
  test('of several kinds needs its kind', async () => {
    const authz = await testEngine(MANIFEST);
    expect(() => authz.ref('teachers')).toThrow(
      "teachers is a scope and a group: say which one, as ref('teachers', 'scope')",
    );
    expect(authz.ref('teachers', 'group')).toBe(`group:${authz.id('teachers', 'group')}`);
    expect(authz.ref('teachers', 'scope')).toMatch(/^location:/);
  });

  test('that is unknown is an error with suggestions', async () => {
    const authz = await testEngine(MANIFEST);
    expect(() => authz.ref('techer')).toThrow('there is no name techer: did you mean teacher?');
    expect(() => authz.id('techers', 'group')).toThrow('there is no group techers: did you mean teachers?');
  });

  test('has the same reference in every test', async () => {
    const [one, other] = [await testEngine(MANIFEST), await testEngine({ ...MANIFEST, settings: [] })];
    expect(one.ref('ann')).toBe(other.ref('ann'));
  });

  test('of a subject of an added type is known by that type', async () => {
    const authz = await testEngine({
      ...MANIFEST,
      subjectTypes: ['device'],
      subjects: { sensor: { type: 'device', id: 'd1', assignments: [{ role: 'teacher', scope: 'north' }] } },
    });
    expect([authz.ref('sensor'), authz.id('sensor')]).toEqual(['device:d1', 'device:d1']);
    expect(await authz.check('sensor', 'grades', 'north')).toEqual(ALLOWED);
  });
});

describe('who acts for the subject', () => {
  const WORLD = { ...MANIFEST, subjects: { bot: { type: 'agent', grants: { school: ['teacher'] } } } };

  test('is a name of the manifest, with a mandate that a command makes', async () => {
    const authz = await testEngine(WORLD);
    const by = (mandate?: string) => ({
      actor: { subject: 'bot', ...(mandate === undefined ? {} : { mandate }) },
    });
    expect(await authz.check('ann', 'grades', 'north', by())).toEqual({
      allowed: false,
      reason: 'mandate_required',
    });
    const { id } = await authz.command('mandate.create', {
      subject: authz.ref('ann'),
      actor: authz.ref('bot'),
      permissions: ['grades'],
      scopes: [authz.ref('north', 'scope')],
      purpose: 'marks',
    });
    expect(await authz.check('ann', 'grades', 'north', by(`mandate:${id}`))).toEqual(ALLOWED);
    expect(await authz.check('ben', 'grades', 'north', by(`mandate:${id}`))).toEqual(REFUSED);
    const { acting } = await authz.explain('ann', 'grades', 'north', by(`mandate:${id}`));
    expect(acting).toMatchObject({ actor: { subject: { ref: 'bot' } }, mandate: { ref: `mandate:${id}` } });
  });

  test('and a misspelt one is an error', async () => {
    const authz = await testEngine(WORLD);
    await expect(authz.check('ann', 'grades', 'north', { actor: { subject: 'bott' } })).rejects.toMatchObject(
      { code: 'not_found', field: 'actor', message: expect.stringContaining('did you mean bot?') },
    );
  });
});
