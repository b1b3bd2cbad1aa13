import { expect, test } from 'vitest';
import {
  chainOf,
  createBenchWorld,
  drawQuestions,
  inFreshStrings,
  isAllowed,
} from '../../bench/model/world.ts';

const world = createBenchWorld();
const questions = drawQuestions(world, 400);

test('the model has its documented size', () => {
  const { users, groups, places, roles, pages } = world;
  expect([users, groups, places, roles, pages].map(({ length }) => length)).toEqual([
    1_000, 200, 20, 30, 200,
  ]);
  expect(createBenchWorld()).toEqual(world);
});

test('half of the questions are allowed, each at a place with two ancestors', () => {
  expect(questions.filter(({ allowed }) => allowed)).toHaveLength(200);
  expect(new Set(questions.map(({ scope }) => chainOf(world.places, scope).length))).toEqual(new Set([3]));
  expect(drawQuestions(world, 400)).toEqual(questions);
});

test('permissions are inherited down the tree, and by no other user', () => {
  const tiny = {
    places: [{ ref: 'client:a' }, { ref: 'project:b', parent: 'client:a' }, { ref: 'client:c' }],
    pages: ['home', 'rest'],
    roles: [{ id: 'reader', pages: ['home'] }],
    groups: [{ id: 'all', place: 'client:a', roles: ['reader'] }],
    users: [
      { ref: 'user:in', groups: ['all'] },
      { ref: 'user:out', groups: [] },
    ],
  };
  expect(isAllowed(tiny, 'user:in', 'home', 'client:a')).toBe(true);
  expect(isAllowed(tiny, 'user:in', 'home', 'project:b')).toBe(true);
  expect(isAllowed(tiny, 'user:in', 'home', 'client:c')).toBe(false);
  expect(isAllowed(tiny, 'user:in', 'rest', 'project:b')).toBe(false);
  expect(isAllowed(tiny, 'user:out', 'home', 'project:b')).toBe(false);
});

test('fresh strings are equal', () => expect(questions.map(inFreshStrings)).toEqual(questions));
