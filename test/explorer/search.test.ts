import { expect, test } from 'vitest';
import { lookUp } from '../../explorer/page/parts/look-up.ts';
import { questionOf, searchOf } from '../../explorer/page/views/search/searches.ts';

const [subject, permission, scope] = ['user:ann', 'grades', 'location:north'];
const actor = { subject: 'agent:bot', mandate: 'mandate:m' };
const ACTING = { actor: actor.subject, mandate: actor.mandate };
const given = { context: { ip: '192.0.2.7' } };

test.each<[string, Readonly<Record<string, string>>, string, object]>([
  ['who', { search: 'who' }, 'subjects', { permission, scope }],
  ['what', { search: 'what' }, 'permissions', { subject, scope }],
  ['where', { search: 'where' }, 'scopes', { subject, permission }],
  ['who of a type', { search: 'who', type: 'user' }, 'subjects', { permission, scope, type: 'user' }],
  ['what of a kind', { search: 'what', type: 'page' }, 'permissions', { subject, scope, kind: 'page' }],
  [
    'who at an instant',
    { search: 'who', at: '2026-03-01T12:00Z' },
    'subjects',
    { permission, scope, at: Date.UTC(2026, 2, 1, 12) },
  ],
  [
    'who with what is given',
    { search: 'who', given: JSON.stringify(given) },
    'subjects',
    { permission, scope, given },
  ],
  ['whom somebody acts for', { search: 'who', ...ACTING }, 'subjects', { permission, scope, actor }],
  ['what who acts may do', { search: 'what', ...ACTING }, 'permissions', { subject, scope, actor }],
  ['where who acts may do it', { search: 'where', ...ACTING }, 'scopes', { subject, permission, actor }],
])('%s is asked with what it needs', (_, state, method, input) => {
  const asked = questionOf({ subject, permission, scope, ...state });
  expect(JSON.parse(asked?.key ?? 'null')).toEqual([method, { ...input, limit: 100 }]);
});

test.each([
  ['a part is missing', { search: 'who', permission }],
  ['another part is', { search: 'what', permission, scope }],
  ['all of it is', { search: 'where' }],
  ['the instant cannot be read', { search: 'who', permission, scope, at: 'tomorrow' }],
  ['what is given cannot be', { search: 'who', permission, scope, given: '{' }],
])('nothing is asked while %s', (_, state) => {
  expect(questionOf(state)).toBeUndefined();
});

test('an unknown search is the first one', () => {
  expect(searchOf('constructor')).toBe('who');
  expect(searchOf(undefined)).toBe('who');
});

/** A service that finds these candidates. */
const finding = (found: object, meant?: string) =>
  (async (_: string, { command }: { command: string }) => ({
    ok: true,
    result: { ok: true, result: command === 'name.find' ? found : { meant } },
  })) as never;

const ANN = { ref: 'user:ann', name: 'Ann', by: 'name' };

test('a name that one has is that one', async () => {
  expect(await lookUp(finding({ candidates: [ANN], more: false, elsewhere: [] }), 'subject', 'Ann')).toEqual({
    ref: 'user:ann',
  });
});

test('a name that several have, or may have, is to be chosen', async () => {
  const other = { ...ANN, ref: 'user:other' };
  expect(
    await lookUp(finding({ candidates: [ANN, other], more: false, elsewhere: [] }), 'subject', 'Ann'),
  ).toEqual({ problem: 'Ann may be 2 of them: choose one', candidates: [ANN, other] });
  expect(
    await lookUp(finding({ candidates: [ANN], more: true, elsewhere: [] }), 'subject', 'Ann'),
  ).toHaveProperty('candidates', [ANN]);
});

test('a path that is elsewhere, and a name that was probably meant, are offered', async () => {
  const there = { ref: 'location:n', name: 'north', by: 'name', path: 'Other/north' };
  expect(
    await lookUp(finding({ candidates: [], more: false, elsewhere: [there] }), 'scope', 'School/north'),
  ).toEqual({ problem: 'there is no scope School/north there', candidates: [there] });
  expect(
    await lookUp(finding({ candidates: [], more: false, elsewhere: [] }, 'north'), 'scope', 'noth'),
  ).toEqual({ problem: 'there is no scope noth', candidates: [], meant: 'north' });
});
