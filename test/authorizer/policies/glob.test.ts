import { describe, expect, test } from 'vitest';
import { intersects, type PathPart, patternOf } from '../../../authorizer/policies/glob.ts';

/** Patterns as IAM reads them (`*` crosses segments, `?` is one character) against the paths that a route stands for. */
const ANY: PathPart = { any: 'segment' };
const REST: PathPart = { any: 'rest' };
const partsOf = (path: string): readonly PathPart[] =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => ({ '{}': ANY, '{+}': REST })[part] ?? { text: part });

test.each([
  ['', 'GET/'],
  ['a/b', 'GET/a/b'],
  ['a/{}', 'GET/a/?*'],
  ['{}/b/{+}', 'GET/?*/b/?*'],
])('the pattern for /%s is %s', (path, pattern) => {
  expect(patternOf('GET', partsOf(path))).toBe(pattern);
});

describe('a pattern has a path in common with a route', () => {
  test.each([
    ['GET/', ''],
    ['GET/*', ''],
    ['GET/a', 'a'],
    ['GET/a/b', 'a/b'],
    ['GET/*', 'a/b'],
    ['*', 'a'],
    ['GET/?*', 'a/b'],
    ['GET/a?c', 'abc'],
    ['GET/a*c', 'abbc'],
    ['GET/a*c', 'ac'],
    ['GET/a*z', 'a/{}/z'],
    ['GET/v', '{}'],
    ['GET/v.w', '{}'],
    ['GET/?', '{}'],
    ['GET/?*/?*', '{}/{}'],
    ['GET/v/w', '{+}'],
    ['GET/a/v', 'a/{+}'],
    ['GET/?*/b', '{+}'],
  ])('%s and /%s', (pattern, path) => {
    expect(intersects(pattern, 'GET', partsOf(path))).toBe(true);
  });
});

describe('a pattern has no path in common with a route', () => {
  test.each([
    ['POST/a', 'a'],
    ['ET/a', 'a'],
    ['GGET/a', 'a'],
    ['GET/', 'a'],
    ['GET/?*', ''],
    ['GET/a', ''],
    ['GET/a', 'ab'],
    ['GET/ab', 'a'],
    ['GET/b', 'a'],
    ['GET/a?c', 'ac'],
    ['GET/a*c', 'abd'],
    ['GET/?*/?*', '{}'],
    ['GET/v/w', '{}'],
    ['GET/a', 'a/{+}'],
    // No segment is empty, begins with a dot, or holds what a backend may read in two ways.
    ['GET/', '{}'],
    ['GET/.v', '{}'],
    ['GET/v/', '{+}'],
    ['GET/v//w', '{+}'],
    ['GET/v/.w', '{+}'],
    ['GET/%', '{}'],
    ['GET/v%2F', '{}'],
    ['GET/v;w', '{}'],
    ['GET/v\\w', '{}'],
  ])('%s and /%s', (pattern, path) => {
    expect(intersects(pattern, 'GET', partsOf(path))).toBe(false);
  });
});
