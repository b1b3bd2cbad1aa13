import { expect, test } from 'vitest';
import { DOCUMENTS, textOf } from './documents.ts';

/** Decision records are as CONTRIBUTING.md asks: short, and all of them in the index. */
const INDEX = 'ADR/README.md';
const RECORDS = DOCUMENTS.filter((document) => document.startsWith('ADR/') && document !== INDEX);
const MOST_WORDS = 400;
const MOST_WORDS_TOGETHER = 12_000;

/** Marks of lists and headings are no words. */
const wordsIn = (record: string): number => textOf(record).match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

test('a record has at most 400 words, and all together 12,000', () => {
  const words = RECORDS.map((record) => ({ record, words: wordsIn(record) }));
  expect(words.filter((each) => each.words > MOST_WORDS)).toEqual([]);
  expect(words.reduce((sum, each) => sum + each.words, 0)).toBeLessThanOrEqual(MOST_WORDS_TOGETHER);
});

test('records are numbered without holes', () => {
  const numbers = RECORDS.map((record) => Number(record.slice('ADR/'.length, 'ADR/0000'.length)));
  expect(numbers).toEqual(RECORDS.map((_, position) => position + 1));
});

test('the index lists each record once, in order, by its number and title', () => {
  const listed = textOf(INDEX)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  const expected = RECORDS.map((record) => {
    const [, number, title] = /^# (\d{4}) (.+)/.exec(textOf(record)) ?? [];
    return `- [${number}](${record.slice('ADR/'.length)}) ${title}`;
  });
  expect(listed).toEqual(expected);
});
