import { ulid } from 'ulid';
import { createWork } from '../../engine/conditions/work.ts';
import {
  askedBy,
  createEngine,
  createExplainer,
  type Decision,
  type Explanation,
} from '../../engine/index.ts';
import type { Reader } from '../../table/reader.ts';
import { meets } from '../expectation.ts';
import { type ManifestNames, withNames } from '../manifest-names.ts';
import type { ModelTest, Question } from './file.ts';

/** How a question was answered. */
export interface Answered extends Question {
  readonly at: string;
  readonly decision: Decision;
  readonly passed: boolean;
  /** Of an answer that was not expected. */
  readonly explanation: Explanation | undefined;
}

export interface TestResult {
  readonly name: string | undefined;
  readonly passed: boolean;
  readonly answers: readonly Answered[];
}

/** What is asked, and by which references the names in a file are known to it. */
export interface Asked {
  readonly reader: Reader;
  readonly now: () => number;
  readonly subjectOf: (name: string) => string;
  readonly scopeOf: (name: string) => string;
  /** The name by which the file knows a reference. */
  readonly nameOf: (ref: string) => string | undefined;
}

/** A file of tests is no request of somebody else's: however many questions it has, all are answered. */
const UNLIMITED = Number.POSITIVE_INFINITY;

/** What the names in a file mean where its manifest was applied. */
export function askedOf({ of, nameOf }: ManifestNames, reader: Reader, now: () => number): Asked {
  // What the manifest does not name is asked for by an id that nothing has.
  const nobody = ulid();
  return {
    reader,
    now,
    nameOf,
    subjectOf: (name) => of('subject').get(name) ?? `user:${nobody}`,
    scopeOf: (name) => of('scope').get(name) ?? `tenant:${nobody}`,
  };
}

/** Puts all questions of all tests to the engine, and has explained what was not expected. */
export async function runTests(tests: readonly ModelTest[], asked: Asked): Promise<readonly TestResult[]> {
  const clock = { now: asked.now };
  const now = asked.now();
  const requests = tests.flatMap(({ questions }) =>
    questions.map(({ subject, actor, permission, scope, at, given }) => ({
      subject: asked.subjectOf(subject),
      actor: actor && { ...actor, subject: asked.subjectOf(actor.subject) },
      permission,
      scope: asked.scopeOf(scope),
      // For another instant than now it is context.time as well.
      at: at === undefined ? undefined : Date.parse(at),
      given,
    })),
  );
  const { decisions } = await createEngine({ reader: asked.reader, clock }).checkMany(requests, {
    work: createWork(UNLIMITED),
  });
  const explainer = createExplainer({ reader: asked.reader, clock });
  const results: TestResult[] = [];
  let next = 0;
  for (const { name, questions } of tests) {
    const answers: Answered[] = [];
    for (const question of questions) {
      const [request, decision] = [requests[next], decisions[next]];
      next += 1;
      if (!request || !decision) throw new Error('a question was not answered');
      const passed = meets(question.expect, decision);
      const { subject, actor, permission, scope, at, given } = request;
      const explain = () => explainer.explain(subject, permission, scope, { actor, at, ...given });
      const explanation = passed ? undefined : await explain();
      answers.push({
        ...question,
        at: new Date(at ?? now).toISOString(),
        decision,
        passed,
        explanation: explanation && withNames(explanation, asked.nameOf),
      });
    }
    results.push({ name, answers, passed: answers.every(({ passed }) => passed) });
  }
  return results;
}

const asked = (answer: Answered): string => `${askedBy(answer)}: ${answer.permission} at ${answer.scope}`;

/** The name of a test, or what it asks. */
export function titleOf({ name, answers }: TestResult): string {
  if (name !== undefined) return name;
  const [first] = answers;
  if (!first) return '';
  const list = (expect: string) => {
    const permissions = answers
      .filter((answer) => answer.expect === expect)
      .map(({ permission }) => permission);
    return permissions.length > 0 ? [`${expect} ${permissions.join(', ')}`] : [];
  };
  if (answers.length === 1) return `${asked(first)}: ${first.expect}`;
  return `${askedBy(first)} at ${first.scope}: ${[...list('allow'), ...list('deny')].join('; ')}`;
}
