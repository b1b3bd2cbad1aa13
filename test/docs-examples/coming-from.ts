import { readFileSync } from 'node:fs';
import type { Question } from '../../testing/model-tests/file.ts';
import { openModelTest } from '../support/model-test.ts';

/** The models of docs/coming-from, and the questions that they and ours are asked alike. */
const FOLDER = new URL('../../docs/examples/coming-from/', import.meta.url);

export const exampleText = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** The questions of a model test, each with our engine's answer. */
export async function answersOf(
  name: string,
): Promise<readonly (readonly [question: Question, allowed: boolean])[]> {
  const { run } = await openModelTest(name, exampleText(`${name}.test.yaml`));
  return (await run()).flatMap(({ answers }) =>
    answers.map(({ decision, ...question }) => [question, decision.allowed] as const),
  );
}

/** `ann articles:read:article blog`, and what is passed. */
export const textOf = ({ subject, permission, scope, given }: Question): string =>
  [subject, permission, scope, given.resource && JSON.stringify(given.resource)].filter(Boolean).join(' ');
