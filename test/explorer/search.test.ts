import { expect, test } from 'vitest';
import { lookUp } from '../../explorer/page/parts/look-up.ts';
import { questionOf, searchOf } from '../../explorer/page/views/search/searches.ts';

const ALL = { subject: 'user:ann', permission: 'grades', scope: 'location:north' };
const inputOf = (state: Readonly<Record<string, string>>): unknown =>
  JSON.parse(questionOf(state)?.key ?? 'null');

test('each search asks two of who, what and where', () => {
  const limit = 100;
  expect(inputOf({ ...ALL, search: 'who' })).toEqual([
    'subjects',
    { permission: 'grades', scope: 'location:north', limit },
  ]);
  expect(inputOf({ ...ALL, search: 'what' })).toEqual([
    'permissions',
    { subject: 'user:ann', scope: 'location:north', limit },
  ]);
  expect(inputOf({ ...ALL, search: 'where' })).toEqual([
    'scopes',
    { subject: 'user:ann', permission: 'grades', limit },
  ]);
});

test('nothing is asked while a part of the question is missing', () => {
  expect(questionOf({ search: 'who', permission: 'grades' })).toBeUndefined();
  expect(questionOf({ search: 'what', permission: 'grades', scope: 'location:north' })).toBeUndefined();
  expect(questionOf({ search: 'where' })).toBeUndefined();
});

test('type, kind and instant are asked for', () => {
  const asked = inputOf({ ...ALL, search: 'who', type: 'user', at: '2026-03-01T12:00Z' });
  expect(asked).toEqual([
    'subjects',
    expect.objectContaining({ type: 'user', at: Date.UTC(2026, 2, 1, 12) }),
  ]);
  expect(inputOf({ ...ALL, search: 'what', type: 'page' })).toEqual([
    'permissions',
    expect.objectContaining({ kind: 'page' }),
  ]);
});

test('nothing is asked for now where the address names another instant that cannot be read', () => {
  expect(questionOf({ ...ALL, search: 'who', at: 'tomorrow' })).toBeUndefined();
  expect(questionOf({ ...ALL, search: 'who', given: '{' })).toBeUndefined();
});

test('what is given goes along', () => {
  const given = { context: { ip: '192.0.2.7' } };
  expect(inputOf({ ...ALL, search: 'who', given: JSON.stringify(given) })).toEqual([
    'subjects',
    expect.objectContaining({ given }),
  ]);
});

test('who acts goes along', () => {
  for (const [search, method] of [
    ['who', 'subjects'],
    ['what', 'permissions'],
    ['where', 'scopes'],
  ] as const)
    expect(inputOf({ ...ALL, search, actor: 'agent:bot', mandate: 'mandate:m' })).toEqual([
      method,
      expect.objectContaining({ actor: { subject: 'agent:bot', mandate: 'mandate:m' } }),
    ]);
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
