import type { ModelState, TestOutcome } from '../../playground/model.ts';
import { DecisionBadge, reasonText } from '../parts/decision.tsx';
import { Empty } from '../parts/empty.tsx';
import { Link } from '../parts/link.tsx';
import type { Place } from './code-editor.ts';
import { type Answer, stateOf } from './model-question.ts';

export interface ResultsProps {
  readonly model: ModelState;
  /** Shows a place of the text of the tests. */
  readonly goTo: (place: Place) => void;
}

/** What became of the model tests: those that failed come first. */
export function Results({ model, goTo }: ResultsProps) {
  const { tests, problems } = model;
  const failed = tests.filter(({ passed }) => !passed);
  const passed = tests.filter((each) => each.passed);
  return (
    <section class="results" aria-label="Test results">
      <h2>Model tests</h2>
      {tests.length > 0 && (
        <p role="status" class="counts">
          <span class="passed">✓ {passed.length} passed</span>{' '}
          <span class={failed.length > 0 ? 'failed' : 'none'}>✕ {failed.length} failed</span>
        </p>
      )}
      {problems.some(({ text }) => text === 'tests') && (
        <p class="wrong">tests.yaml has errors: these are the last tests that could be read.</p>
      )}
      {tests.length === 0 && (
        <Empty title="There are no tests">
          Ask a question and choose “Add as test”, or write some in tests.yaml.
        </Empty>
      )}
      <ul class="plain">
        {[...failed, ...passed].map((test) => (
          <Test key={`${test.line} ${test.title}`} test={test} model={model} goTo={goTo} />
        ))}
      </ul>
    </section>
  );
}

/** The explanation of an answer. Where there is room for one column, it is in the picture. */
const toAnswer = (answer: Answer, model: ModelState) => ({
  to: 'why',
  ask: { ...stateOf(answer, model), column: undefined },
});

function Test({ test, model, goTo }: ResultsProps & { readonly test: TestOutcome }) {
  const { title, passed, answers, line } = test;
  const [only] = answers;
  const isOne = answers.length === 1;
  return (
    <li class={passed ? 'passed' : 'failed'}>
      <span class="mark">
        <span aria-hidden="true">{passed ? '✓' : '✕'}</span>
        <span class="visually-hidden">{passed ? 'passed' : 'failed'}</span>
      </span>
      <div>
        {isOne && only ? <Link {...toAnswer(only, model)}>{title}</Link> : <span>{title}</span>}{' '}
        <button type="button" class="line" onClick={() => goTo({ line, column: 1 })}>
          line {line}
        </button>
        {isOne && only && !only.passed && <Failure of={only} />}
        {!isOne && (
          <ul>
            {answers.map((answer) => (
              <li key={`${answer.permission} ${answer.expect}`} class={answer.passed ? 'passed' : 'failed'}>
                <Link {...toAnswer(answer, model)}>
                  {answer.permission}: {answer.expect}
                </Link>
                {!answer.passed && <Failure of={answer} />}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/** What of an explanation is shown here; the rest is a click away. */
const SHOWN = 2;

function Failure({ of: { expect, decision, explanation } }: { readonly of: Answer }) {
  const missing = explanation?.steps.flatMap((step) => step.missing.map(({ text }) => text)) ?? [];
  return (
    <div class="failure">
      <p>
        expected <code>{expect}</code>, got <DecisionBadge allowed={decision.allowed} />{' '}
        <code>{decision.reason}</code>: {reasonText(decision.reason)}
      </p>
      {missing.slice(0, SHOWN).map((text) => (
        <p key={text}>
          <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  );
}
