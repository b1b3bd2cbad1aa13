import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXAMPLES, splitModelTest } from '../../explorer/playground/examples.ts';
import { createModel } from '../../explorer/playground/model.ts';

/** The examples of the playground are those of the documents, and they hold. */
const DOCS = new URL('../../docs/', import.meta.url);

test('all models of the documents are there, each with a name of its own', () => {
  const files = ['examples', 'examples/guides', 'examples/recipes', 'examples/coming-from'].flatMap(
    (folder) => readdirSync(new URL(folder, DOCS)).filter((name) => /\.test\.yaml$/.test(name)),
  );
  // One sample has no tests.
  expect(EXAMPLES).toHaveLength(files.length + 1);
  expect(new Set(EXAMPLES.map(({ name }) => name)).size).toBe(EXAMPLES.length);
  for (const { name } of EXAMPLES) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
});

describe.each(EXAMPLES)('$name', ({ name, group, manifest, tests }) => {
  test('has no problem, its tests pass, and a guide shows an allow and a refusal', async () => {
    const state = await createModel({ now: Date.now }).update({ manifest, tests });
    expect(state.problems).toEqual([]);
    expect(state.tests.filter(({ passed }) => !passed)).toEqual([]);
    expect(state.tests.length > 0).toBe(name !== 'acme');
    if (!['Guides', 'Coming from'].includes(group)) return;
    const decisions = state.tests.flatMap(({ answers }) => answers.map(({ decision }) => decision.allowed));
    expect(new Set(decisions)).toEqual(new Set([true, false]));
  });
});

describe('model tests in two texts', () => {
  const TEXT = `# yaml-language-server: $schema=x
# What it is about.
at: 2026-01-01

manifest: # of the place
  # Pages
  pages: [a]
# not indented
  roles:
    r:
      allow:
        - permission: a
          when: >-
            1 ==

            1

# The tests
tests: # of it
  - { subject: x, scope: y, expect: allow } # one
`;

  test('keep their comments, and mean what they meant', () => {
    const { manifest, tests } = splitModelTest(TEXT);
    expect(manifest).toBe(`# Pages
pages: [a]
# not indented
roles:
  r:
    allow:
      - permission: a
        when: >-
          1 ==

          1
`);
    expect(tests).toBe(`# What it is about.
at: 2026-01-01

# The tests
tests: # of it
  - { subject: x, scope: y, expect: allow } # one
`);
    const { manifest: inside, ...rest } = parse(TEXT);
    expect(parse(manifest)).toEqual(inside);
    expect(parse(tests)).toEqual(rest);
  });

  test.each(['tests: []\n', 'manifest: a.yaml\ntests: []\n', ''])('%j holds no manifest', (text) => {
    expect(splitModelTest(text)).toEqual({ manifest: '', tests: text });
  });

  test('a manifest may be the last', () => {
    const text = 'tests: []\nmanifest:\n  pages: [a]\n';
    expect(splitModelTest(text)).toEqual({ manifest: 'pages: [a]\n', tests: 'tests: []\n' });
  });
});
