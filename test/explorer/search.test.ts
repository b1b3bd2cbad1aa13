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

const ANN = { ref: 'user:ann', name: 'Ann', by: 'name' };
const OTHER = { ...ANN, ref: 'user:other' };
const THERE = { ref: 'location:n', name: 'north', by: 'name', path: 'Other/north' };

test.each([
  ['that one has is that one', { candidates: [ANN] }, 'subject Ann', { ref: 'user:ann' }],
  [
    'that several have is to be chosen',
    { candidates: [ANN, OTHER] },
    'subject Ann',
    { problem: 'Ann may be 2 of them: choose one', candidates: [ANN, OTHER] },
  ],
  ['that more may have, too', { candidates: [ANN], more: true }, 'subject Ann', { candidates: [ANN] }],
  [
    'whose path is elsewhere is offered',
    { elsewhere: [THERE] },
    'scope School/north',
    { problem: 'there is no scope School/north there', candidates: [THERE] },
  ],
  [
    'that was probably meant is offered',
    { meant: 'north' },
    'scope noth',
    { problem: 'there is no scope noth', candidates: [], meant: 'north' },
  ],
])('a name %s', async (_, found, asked, expected) => {
  const answer = { candidates: [], more: false, elsewhere: [], ...found };
  const service = async () => ({ ok: true, result: { ok: true, result: answer } });
  const [kind = '', name = ''] = asked.split(' ');
  expect(await lookUp(service as never, kind as 'scope', name)).toMatchObject(expected);
});
