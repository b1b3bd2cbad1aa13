import { isMap, isSeq, parseDocument, stringify } from 'yaml';

/**
 * Appends a test to the text of model tests, and leaves all else as it is.
 *
 * @param test a question by names of the manifest, with the decision that is expected of it, as a model test has them
 * @returns the text; undefined where it has errors, or its `tests` are no list
 */
export function addTest(text: string, test: object): string | undefined {
  const document = parseDocument(text, { version: '1.2' });
  const { contents, errors } = document;
  const item = oneLine(test);
  if (errors.length > 0 || (contents !== null && !isMap(contents))) return undefined;
  const tests: unknown = document.get('tests');
  if (!document.has('tests')) return `${ended(text)}${text.trim() === '' ? '' : '\n'}tests:\n  - ${item}\n`;
  if (!isSeq(tests)) {
    const { key } = contents?.items.find((pair) => String(pair.key) === 'tests') ?? {};
    const end = (key as { range?: readonly number[] } | undefined)?.range?.[1];
    // `tests:` with nothing after it.
    if ((tests ?? null) !== null || end === undefined) return undefined;
    const rest = /^:[^\S\n]*(?:null|~)?/.exec(text.slice(end))?.[0].length;
    if (rest === undefined) return undefined;
    return `${text.slice(0, end)}:\n  - ${item}\n${text.slice(end + rest).replace(/^[^\S\n]*\n/, '')}`;
  }
  const [start = 0, end = 0] = tests.range ?? [];
  if (tests.flow) {
    const close = text.lastIndexOf(']', end);
    const before = text.slice(0, close).trimEnd();
    const separator = tests.items.length === 0 || before.endsWith(',') ? ' ' : ', ';
    return `${before}${separator}${item} ${text.slice(close)}`;
  }
  const indent = ' '.repeat(start - text.lastIndexOf('\n', start - 1) - 1);
  const last = tests.items.at(-1) as { range?: readonly number[] } | null | undefined;
  const after = last?.range?.[2] ?? end;
  const before = ended(text.slice(0, after)).replace(/\n\s*$/, '\n');
  return `${before}${indent}- ${item}\n${text.slice(after)}`;
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** A mapping in one line, as people write it. */
const oneLine = (test: object): string =>
  stringify(test, { collectionStyle: 'flow', lineWidth: 0, version: '1.2' }).trim();
