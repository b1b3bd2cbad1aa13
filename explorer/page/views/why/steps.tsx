import type { Step } from '../../../../engine/index.ts';
import { Few } from '../../parts/few.tsx';
import { Sentence } from '../../parts/sentence.tsx';

/** What each step of a decision asks. */
const QUESTIONS: Readonly<Record<Step['name'], string>> = {
  subject: 'Does the subject exist, and is it active?',
  scope: 'Are the scope and all above it active?',
  permission: 'Is the permission registered?',
  administrator: 'Is the subject an administrator?',
  entitlement: 'Are subscriptions and licences there?',
  roles: 'Which roles are in force here?',
  effects: 'What do these roles do to the permission?',
  combination: 'How are ALLOW and DENY combined?',
  default: 'Otherwise: refused',
};

type Outcome = 'passed' | 'failed' | 'open' | 'skipped';

const OUTCOMES: Readonly<Record<Outcome, { readonly icon: string; readonly text: string }>> = {
  passed: { icon: '✓', text: 'passed' },
  failed: { icon: '✕', text: 'not passed' },
  open: { icon: '–', text: 'does not apply' },
  skipped: { icon: '·', text: 'not reached' },
};

/** The nine steps of a decision, with what each found and missed. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const deciding = steps.find(({ decides }) => decides)?.step ?? steps.length;
  return (
    <ol class="plain why-steps">
      {steps.map((step) => (
        <StepLine key={step.step} of={step} outcome={outcomeOf(step, deciding)} />
      ))}
    </ol>
  );
}

function outcomeOf({ step, passed }: Step, deciding: number): Outcome {
  if (step > deciding) return 'skipped';
  if (passed === null) return 'open';
  return passed ? 'passed' : 'failed';
}

function StepLine({ of, outcome }: { readonly of: Step; readonly outcome: Outcome }) {
  const { step, name, decides, findings, missing } = of;
  const { icon, text } = OUTCOMES[outcome];
  return (
    <li class={`${outcome}${decides ? ' decides' : ''}`}>
      <span class="mark" aria-hidden="true">
        {icon}
      </span>
      <div>
        <h3>
          {step}. {name} <span class="said">{text}</span> {decides && <span class="decides">decides</span>}
        </h3>
        <p class="asks">{QUESTIONS[name]}</p>
        <Sentences texts={findings} />
        <Sentences texts={missing.map(({ text: lack }) => lack)} className="lack" />
      </div>
    </li>
  );
}

/** Sentences that are shown at once. */
const FEW = 4;

const Sentences = ({
  texts,
  className,
}: {
  readonly texts: readonly string[];
  readonly className?: string;
}) => (
  <Few
    of={texts}
    most={FEW}
    show={(text) => (
      <li key={text} class={className}>
        <Sentence of={text} />
      </li>
    )}
  />
);
