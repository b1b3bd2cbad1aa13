import { useState } from 'preact/hooks';
import type { ModelState } from '../../playground/model.ts';
import type { Inputs, Results } from '../../service/index.ts';
import { useAddress } from '../address.ts';
import { useCall } from '../calls.ts';
import { askedIn } from '../parts/asked.ts';
import { DecisionBadge, reasonText } from '../parts/decision.tsx';
import { Wrong } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { Problem } from '../parts/problem.tsx';
import { QuestionFields } from '../parts/question.tsx';
import { addTest } from './add-test.ts';

export interface QuestionProps {
  /** The text of the model tests. */
  readonly tests: string;
  readonly model: ModelState;
  /** Gets the text with one more test. */
  readonly onAdd: (tests: string) => void;
}

/** Views that have these fields themselves. */
const ASKING = ['why', 'search'];

/** The question of the address with its decision, which can become a test. */
export function Question({ tests, model, onAdd }: QuestionProps) {
  const { view, state } = useAddress();
  const [problem, setProblem] = useState<string>();
  const question = askedIn(state);
  const { value, error, retry } = useCall('check', question);

  const add = (asked: Inputs['check'], decision: Results['check']): void => {
    const added = addTest(tests, testOf(asked, decision, model.names));
    setProblem(added === undefined ? 'tests.yaml has errors: correct them first' : undefined);
    if (added !== undefined) onAdd(added);
  };

  return (
    <section class="asked" aria-label="Question">
      <h2>Question</h2>
      {!ASKING.includes(view) && <QuestionFields />}
      <div aria-live="polite">
        {error && <Problem of={error} retry={retry} />}
        {!question && <p class="muted">Choose a subject, a permission and a scope.</p>}
        {question && value && (
          <p>
            <DecisionBadge allowed={value.allowed} /> <code>{value.reason}</code>: {reasonText(value.reason)}
          </p>
        )}
      </div>
      {question && value && (
        <div class="buttons">
          {view !== 'why' && (
            <Link to="why" ask={{ column: undefined }}>
              Why?
            </Link>
          )}
          <button type="button" onClick={() => add(question, value)}>
            Add as test
          </button>
        </div>
      )}
      <Wrong text={problem} role="alert" />
    </section>
  );
}

/** A question with its decision, by the names of the manifest. */
function testOf(
  { subject, actor, permission, scope, at, given }: Inputs['check'],
  { allowed, reason }: Results['check'],
  names: ModelState['names'],
) {
  const nameOf = (kind: 'subject' | 'scope', ref: string) =>
    Object.entries(names[kind]).find(([, each]) => each === ref)?.[0] ?? ref;
  const { subject: who, resource, action, context } = given ?? {};
  const { type, id } = resource ?? {};
  const properties = {
    subject: who?.properties,
    resource: resource?.properties,
    action: action?.properties,
  };
  return {
    subject: nameOf('subject', subject),
    actor: actor && nameOf('subject', actor.subject),
    mandate: actor?.mandate,
    permission,
    scope: nameOf('scope', scope),
    at: at === undefined ? undefined : new Date(at).toISOString(),
    resource: type && id && `${type}:${id}`,
    properties: Object.values(properties).some(Boolean) ? properties : undefined,
    context,
    expect: allowed ? 'allow' : reason,
  };
}
