import { formatUnexpected } from '../../testing/expectation.ts';
import { type TestResult, titleOf } from '../../testing/model-tests/run.ts';
import { painter } from '../context.ts';

export interface FileResult {
  readonly file: string;
  readonly results: readonly TestResult[];
  /** Of its manifest: what is allowed there and hardly meant. */
  readonly warning?: string | undefined;
}

export const countsOf = (files: readonly FileResult[]) => {
  const results = files.flatMap(({ results }) => results);
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: results.length - passed };
};

const INDENT = ' '.repeat(10);
const indented = (text: string): string => text.replace(/^(?=.)/gm, INDENT);

/** One line per test; below a failed one what was expected, what came and why. */
export function formatReport(files: readonly FileResult[], colours: boolean): string {
  const paint = painter(colours);
  const lines = files.flatMap(({ file, results, warning }) => [
    file,
    ...(warning === undefined ? [] : [`  warning: ${warning}`]),
    ...results.flatMap((result) => [
      `  ${result.passed ? paint('green', 'ok    ') : paint('red', 'FAILED')}  ${titleOf(result)}`,
      ...result.answers
        .filter(({ passed }) => !passed)
        .map((answer) => indented(formatUnexpected(answer, { colours, paint }))),
    ]),
    '',
  ]);
  const { passed, failed } = countsOf(files);
  const summary = `${passed} passed, ${failed} failed`;
  return `${[...lines, failed > 0 ? paint('red', summary) : paint('green', summary)].join('\n')}\n`;
}

/** The same as data. */
export const reportData = (files: readonly FileResult[]) => ({
  ...countsOf(files),
  files: files.map(({ file, results, warning }) => ({
    file,
    warning,
    tests: results.map(({ name, passed, answers }) => ({
      name,
      passed,
      answers: answers.map(({ decision, explanation, ...answer }) => ({
        ...answer,
        ...decision,
        explanation,
      })),
    })),
  })),
});
