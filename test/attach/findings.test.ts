import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answersIn, unanswered } from './findings.ts';

/** docs/internals/security-scans.md: `npm run proof -- snippets` lets the scanners run, and reads the answers from it. */
const DOCUMENT = readFileSync(new URL('../../docs/internals/security-scans.md', import.meta.url), 'utf8');

const FINDING = { id: 'CKV_AWS_1', where: 'stack-sam.json:AWS::DynamoDB::Table.Table', text: 'a finding' };

test('each row of the document is an answer', () => {
  const rows = DOCUMENT.split('\n').filter((line) => /^\| `?[A-Z]+\d?_?\w*\d/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  expect(answersIn(DOCUMENT)).toHaveLength(rows.length);
  for (const { answer, where } of answersIn(DOCUMENT)) {
    expect(answer.length).toBeGreaterThan(20);
    expect(where.join()).not.toMatch(/(?:^|,)\*(?:,|$)/);
  }
});

test('a finding without an answer fails, and so does an answer to nothing', () => {
  const answers = answersIn('| `CKV_AWS_1` | `stack-*:*.Table`, `other.json:*` | because it may be |');
  expect(answers).toEqual([
    { ids: ['CKV_AWS_1'], where: ['stack-*:*.Table', 'other.json:*'], answer: 'because it may be' },
  ]);
  expect(answersIn('| `A_1`, `B_2` | `x:*` | because |')[0]?.ids).toEqual(['A_1', 'B_2']);
  const other = { ...FINDING, where: 'other.json:X' };
  expect(unanswered([FINDING, other], answers)).toEqual([]);
  expect(unanswered([other], answers)).toEqual(['an answer to nothing: CKV_AWS_1 stack-*:*.Table']);
  const elsewhere = { ...FINDING, where: 'example.json:X' };
  expect(unanswered([FINDING, other, elsewhere], answers)).toEqual([
    'no answer: CKV_AWS_1 example.json:X: a finding',
  ]);
  expect(unanswered([FINDING, other, { ...other, id: 'CKV_AWS_2' }], answers)).toEqual([
    'no answer: CKV_AWS_2 other.json:X: a finding',
  ]);
});
