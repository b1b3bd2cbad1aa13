import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** What the documents show is true. */
afterAll(removeFiles);

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const blocks = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  );
const DOCUMENT = read('docs/testing.md');

test('the first example gives the report that is shown', async () => {
  const [example = ''] = blocks(DOCUMENT, 'yaml');
  const [report = '', failure = ''] = blocks(DOCUMENT, '');
  const file = fileOf(example);
  const { code, out } = await gatehouse(['test', file]);
  expect({ code, out: out.replace(file, 'permissions.test.yaml') }).toEqual({ code: 0, out: report });

  const wrong = fileOf(`at: 2026-03-02T09:00:00Z\n${example.replace('expect: deny', 'expect: allow')}`);
  const failed = await gatehouse(['test', wrong]);
  expect(failed.code).toBe(1);
  expect(failed.out).toContain(failure);
});

test('the documented mistakes give the documented messages', async () => {
  const [example = ''] = blocks(DOCUMENT, 'yaml');
  const mistakes = blocks(DOCUMENT, '')[2];
  const file = fileOf(
    example.replace('roles: [teacher]', 'roles: [techer]').replace('subject: ann', 'subject: anne'),
  );
  const { error } = await gatehouse(['test', file]);
  expect(error.replaceAll(file, 'permissions.test.yaml')).toBe(mistakes);
});
