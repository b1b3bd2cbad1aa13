import { expect as jestExpect } from 'expect';
import { describe, expect, test, vi } from 'vitest';
import { type TestEngine, testEngine } from '../../testing/index.ts';
import '../../testing/vitest.ts';

vi.mock('@jest/globals', () => ({ expect: jestExpect }));
await import('../../testing/jest.ts');

/** The matchers in both runners: Vitest's own `expect`, and Jest's. */
const MANIFEST = `
pages: [grades]
scopes: { school: { type: tenant }, north: { type: location, parent: school } }
roles: { teacher: { allow: [grades] } }
groups: { teachers: { scope: north, roles: [teacher] } }
users:
  ann: { groups: [teachers] }
  ben:
  cem: { assignments: [{ role: teacher, scope: north, from: 2026-03-01, until: 2026-03-31 }] }
`;
const start = () => testEngine<'grades'>(MANIFEST, { at: '2026-01-01' });

const RUNNERS = [
  ['Vitest', (authz: TestEngine<'grades'>) => expect(authz)],
  ['Jest', (authz: TestEngine<'grades'>) => jestExpect(authz)],
] as const;

describe.each(RUNNERS)('in %s', (_, expecting) => {
  test('what is as expected passes', async () => {
    const authz = await start();
    await expecting(authz).toAllow('ann', 'grades', 'north');
    await expecting(authz).toAllow('cem', 'grades', 'north', { at: '2026-03-05' });
    await expecting(authz).toRefuse('ben', 'grades', 'north');
    await expecting(authz).toRefuse('ben', 'grades', 'north', 'no_grant');
    await expecting(authz).toRefuse('cem', 'grades', 'north', { at: '2026-04-01' });
    await expecting(authz).toRefuse('cem', 'grades', 'north', 'no_grant', { at: '2026-04-01' });
    await expecting(authz).not.toAllow('ben', 'grades', 'north');
    await expecting(authz).not.toRefuse('ann', 'grades', 'north');
    await expecting(authz).not.toRefuse('ben', 'grades', 'north', 'denied_by_role');
  });

  test('who acts is asked about, and named', async () => {
    const authz = await start();
    await expecting(authz).toAllow('ann', 'grades', 'north', { actor: { subject: 'cem' }, at: '2026-03-05' });
    await expecting(authz).toRefuse('ann', 'grades', 'north', 'actor_no_grant', {
      actor: { subject: 'ben' },
    });
    await expecting(authz).toRefuse('ann', 'grades', 'north', 'actor_unknown', { actor: { subject: 'eve' } });
    await expect(
      expecting(authz).toAllow('ann', 'grades', 'north', { actor: { subject: 'ben' } }),
    ).rejects.toThrow('asked     ben for ann: grades at north');
  });

  test('an unexpected refusal is explained', async () => {
    const authz = await start();
    await expect(expecting(authz).toAllow('ben', 'grades', 'north')).rejects.toThrow(
      /asked {5}ben: grades at north, 2026-01-01T00:00:00.000Z\nexpected {2}allow\ngot {7}REFUSED \(no_grant\)\n\nsteps\n[\s\S]+\n\nwhat would have helped\n[\s\S]+\n {3}`- teacher: allows grades\n/,
    );
  });

  test('an unexpected allow is explained', async () => {
    const authz = await start();
    const text = 'expected  deny\ngot       ALLOWED (role)\n\nsteps\n|- ok 6 roles\n';
    await expect(expecting(authz).toRefuse('ann', 'grades', 'north')).rejects.toThrow(text);
    await expect(expecting(authz).not.toAllow('ann', 'grades', 'north')).rejects.toThrow(
      text.replace('deny', 'not allow'),
    );
  });

  test('a refusal for another reason is none', async () => {
    const authz = await start();
    await expect(expecting(authz).toRefuse('ben', 'grades', 'north', 'denied_by_role')).rejects.toThrow(
      'expected  denied_by_role\ngot       REFUSED (no_grant)',
    );
    await expect(expecting(authz).not.toRefuse('ben', 'grades', 'north', 'no_grant')).rejects.toThrow(
      'expected  not no_grant\ngot       REFUSED (no_grant)',
    );
  });

  test('an unknown name is an error, unless its reason is expected', async () => {
    const authz = await start();
    const error = 'there is no subject bem: did you mean ben?';
    await expect(expecting(authz).toAllow('bem', 'grades', 'north')).rejects.toThrow(error);
    await expect(expecting(authz).not.toAllow('bem', 'grades', 'north')).rejects.toThrow(error);
    await expect(expecting(authz).toRefuse('bem', 'grades', 'north')).rejects.toThrow(error);
    await expect(expecting(authz).toRefuse('bem', 'grades', 'north', 'no_grant')).rejects.toThrow(error);
    await expect(expecting(authz).toRefuse('bem', 'grades', 'north', 'scope_unknown')).rejects.toThrow(error);
    await expecting(authz).toRefuse('bem', 'grades', 'north', 'subject_unknown');
    await expecting(authz).toRefuse('ben', 'grades', 'nowhere', 'scope_unknown');
    await expect(expecting(authz).not.toRefuse('bem', 'grades', 'north', 'subject_unknown')).rejects.toThrow(
      'expected  not subject_unknown\ngot       REFUSED (subject_unknown)',
    );
  });

  test('a misspelt reason is an error, also of what is not expected', async () => {
    const authz = await start();
    const refuse = (reason: string) =>
      expecting(authz).not.toRefuse('ben', 'grades', 'north', reason as 'no_grant');
    await expect(refuse('no_grnt')).rejects.toThrow('there is no reason no_grnt: did you mean no_grant?');
  });

  test('a promise of an engine, or anything else, is an error', async () => {
    for (const received of [start(), undefined, {}, 1]) {
      const expected = expecting(received as never).not.toAllow('ann', 'grades', 'north');
      await expect(expected).rejects.toThrow('expect() takes what testEngine resolves to');
    }
  });
});

test('the permissions that a test names are checked by the compiler', async () => {
  const authz = await start();
  // @ts-expect-error: no permission of the type that the engine is given
  await expect(expect(authz).toAllow('ann', 'grade', 'north')).rejects.toThrow('did you mean grades?');
  // @ts-expect-error
  await expect(jestExpect(authz).toAllow('ann', 'grade', 'north')).rejects.toThrow('did you mean grades?');
  // @ts-expect-error
  await expect(authz.check('ann', 'grade', 'north')).rejects.toThrow('did you mean grades?');
});
