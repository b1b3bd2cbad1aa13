import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../provisioning/apply/parse.ts';
import { readDocument } from '../../testing/document.ts';

/** The one reader of YAML: manifests, model tests and OpenAPI documents come through it. */
const read = (text: string) => readDocument('a.yaml', text).data;
const nested = (open: string, close = '', levels = 20_000) => open.repeat(levels) + close.repeat(levels);

describe('is refused before it is parsed, with its place:', () => {
  test.each<[what: string, text: string, problem: string]>([
    ['lists in lists', nested('[', ']'), 'a.yaml:1:101: is nested too deeply'],
    ['mappings in mappings', nested('{a: ', '}'), 'is nested too deeply'],
    ['behind a key', `pages: ${nested('[', ']')}`, 'is nested too deeply'],
    ['brackets that are never closed', nested('['), 'is nested too deeply'],
    ['lists on one line', nested('- '), 'is nested too deeply'],
    ['keys on one line', nested('? '), 'is nested too deeply'],
    [
      'lines that are each deeper',
      Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
      'is nested too deeply',
    ],
    ['YAML 1.1', '%YAML 1.1\n---\npages: [grades]', 'a.yaml:1:1: only the directive %YAML 1.2 is read'],
    ['YAML 1.1 behind a comment', '# a\n\n%YAML 1.1\n---\na: 1', 'a.yaml:3:1: only the directive %YAML 1.2'],
    ['tags of its own', '%TAG ! tag:example.com,2026:\n---\na: 1', 'only the directive %YAML 1.2 is read'],
    ['a directive twice', '%YAML 1.2\n%YAML 1.1\n---\na: 1', 'a.yaml:2:1: only the directive %YAML 1.2'],
  ])('%s', (_, text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });
});

describe('is refused, with its place:', () => {
  test.each<[what: string, text: string, problem: string]>([
    ['a merge', 'a: &a { x: 1 }\nb: { <<: *a }', 'a.yaml:2:6: << merges nothing here: write out the entries'],
    [
      'a second document',
      'a: 1\n---\nb: 2',
      'a second document begins here: put each into a file of its own',
    ],
    [
      'a number beside its text as a key',
      'roles: 1\n1: a\n"1": b',
      'a.yaml:3:1: the same key is above already',
    ],
    ['true beside its text as a key', 'true: a\n"true": b', 'a.yaml:2:1: the same key is above already'],
    ['an alias as a key', 'a: &a roles\n*a : { b: {} }', 'a.yaml:2:1: a key must be a text'],
    ['a list as a key', '? [a]\n: b', 'a.yaml:1:3: a key must be a text'],
    ['a mapping as a key', '{ {a: b}: c }', 'a key must be a text'],
  ])('%s', (_, text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });
});

test('what is meant is read: its own directive, quotes with brackets, aliases, a key << in quotes', () => {
  const lists = nested('[', ']', 30);
  expect(read(`%YAML 1.2 # as ever\n---\na: &a [x]\nb: *a\n"<<": c\nd: ${lists}`)).toMatchObject({
    a: ['x'],
    b: ['x'],
    '<<': 'c',
  });
  expect(read('a: "%YAML 1.1"\nb: |\n  %YAML 1.1\n  don\'t [')).toEqual({
    a: '%YAML 1.1',
    b: "%YAML 1.1\ndon't [\n",
  });
});

test('a manifest of more entries than one file holds is refused before its entries are looked at', () => {
  const pages = Array.from({ length: 51_000 }, (_, n) => `page-${n}`);
  expect(parseManifest({ pages }).problems).toEqual([
    { path: [], message: 'has 51000 entries, and one file holds 20000: divide it' },
  ]);
});
