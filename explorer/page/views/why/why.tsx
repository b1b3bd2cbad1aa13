import { type Explanation, formatExplanation } from '../../../../engine/index.ts';
import { useAddress } from '../../address.ts';
import { useCall } from '../../calls.ts';
import { askedIn, type Question, questionIn } from '../../parts/asked.ts';
import { DecisionBadge, reasonText } from '../../parts/decision.tsx';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Empty } from '../../parts/empty.tsx';
import { instantText } from '../../parts/instant.ts';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ActingFields, GivenField, QuestionFields } from '../../parts/question.tsx';
import { Conditions } from './conditions.tsx';
import { Examples } from './examples.tsx';
import { OverTime } from './over-time.tsx';
import { Picture } from './picture.tsx';
import { Places } from './places.tsx';
import { Remediation } from './remediation.tsx';
import { Steps } from './steps.tsx';

/** Why somebody may do something somewhere, or not. */
export function WhyView() {
  const { state } = useAddress();
  const question = questionIn(state);
  const { value, error, retry, isLoading } = useCall('explain', askedIn(state));
  const explanation = value && question && (!isLoading || isOf(value, question)) ? value : undefined;
  const { subject, permission, scope } = state;
  return (
    <>
      <div class="question">
        <QuestionFields />
      </div>
      <ActingFields />
      <GivenField />
      {!(subject && permission && scope) && (
        <Empty title="Nothing is asked yet">
          <p>
            Choose a subject, a permission and a scope: the decision appears here, with the path that leads to
            it.
          </p>
          <Examples />
        </Empty>
      )}
      {error && <Problem of={error} retry={retry} />}
      <div class="why-answer" aria-live="polite" aria-busy={isLoading}>
        {explanation ? <Answer of={explanation} /> : isLoading && <p class="loading">Asking…</p>}
      </div>
      {explanation && (
        <section aria-labelledby="why-path">
          <h2 id="why-path">The path{explanation.acting && ` of ${explanation.subject.name}`}</h2>
          <Picture explanation={{ ...explanation, ...explanation.acting?.subject }} />
          <Places {...explanation} />
        </section>
      )}
      {subject && permission && scope && (
        <section class="why-time" aria-label="Time">
          <OverTime question={question} explanation={explanation} />
          <p>
            <Link to="search" ask={{ search: 'who' }}>
              Who could do this then?
            </Link>
          </p>
        </section>
      )}
      {explanation && (
        <>
          <Conditions {...explanation} />
          <Remediation explanation={explanation} />
          <section>
            <h2>The nine steps</h2>
            <Steps steps={explanation.steps} />
          </section>
          {explanation.acting && <ActingPart of={explanation.acting} />}
          {/* What the command line prints. It is made only when it is opened. */}
          <Disclosure class="why-text" summary="As text">
            {() => (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
              <section class="scroll scrolls" aria-label="The explanation as text" tabIndex={0}>
                <pre>{formatExplanation(explanation)}</pre>
              </section>
            )}
          </Disclosure>
        </>
      )}
    </>
  );
}

/** Whether an explanation that stays until the next is there is of the same question, at another instant. */
const isOf = ({ subject, permission, path }: Explanation, question: Question): boolean =>
  subject.ref === question.subject && permission === question.permission && path[0]?.ref === question.scope;

/** The actor's own decision, and its mandate. */
function ActingPart({ of: { actor, mandate } }: { readonly of: NonNullable<Explanation['acting']> }) {
  return (
    <section>
      <h2>Who acts</h2>
      <p>
        <DecisionBadge allowed={actor.allowed} /> <Named of={actor.subject} /> itself:{' '}
        {reasonText(actor.reason)}.
      </p>
      {mandate ? (
        <p>
          <code>{mandate.ref}</code> is {mandate.status}, until{' '}
          <time dateTime={mandate.endsAt}>{instantText(Date.parse(mandate.endsAt))}</time>:{' '}
          <bdi class="name">{mandate.permissions.join(', ')}</bdi> at{' '}
          {mandate.scopes.map((scope) => (
            <Named key={scope.ref} of={scope} />
          ))}
          {mandate.when !== null && <code> if {mandate.when}</code>}
          {mandate.hasBudget && ', with a budget'}.
        </p>
      ) : (
        <p>There is no mandate of this actor for this subject.</p>
      )}
      <Picture explanation={actor} label="The path of who acts as a picture" />
      <Steps steps={actor.steps} />
    </section>
  );
}

function Answer({ of }: { readonly of: Explanation }) {
  const { allowed, reason, subject, permission, path, at, acting } = of;
  return (
    <section class={`why-decision ${allowed ? 'allowed' : 'refused'}`} aria-label="Decision">
      <p class="sentence">
        <DecisionBadge allowed={allowed} />{' '}
        {acting && (
          <>
            <Named of={acting.actor.subject} /> for{' '}
          </>
        )}
        <Named of={subject} /> {allowed ? 'may' : 'may not'} use <bdi class="name">{permission}</bdi> at{' '}
        {path[0] && <Named of={path[0]} />}: {reasonText(reason)}.
      </p>
      <p class="code">
        <code>{reason}</code> <time dateTime={at}>{instantText(Date.parse(at))}</time>
      </p>
    </section>
  );
}
