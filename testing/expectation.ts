import {
  type Actor,
  askedBy,
  type Decision,
  type Explanation,
  formatExplanation,
  type Reason,
} from '../engine/index.ts';

/** `deny` is the refusal of something known: unknown names have to be expected by their reason. */
export type Expectation = 'allow' | 'deny' | Reason;

const UNKNOWN: ReadonlySet<Reason> = new Set([
  'subject_unknown',
  'actor_unknown',
  'mandate_unknown',
  'scope_unknown',
  'permission_unknown',
]);

/** Whether it is a refusal because of a name that leads nowhere. */
export const isUnknown = ({ reason }: Decision): boolean => UNKNOWN.has(reason);

/** Whether a decision is as expected. */
export const meets = (expect: Expectation, decision: Decision): boolean => {
  if (expect === 'allow') return decision.allowed;
  return expect === 'deny' ? !decision.allowed && !isUnknown(decision) : decision.reason === expect;
};

/** A decision that a test did not expect. */
export interface Unexpected {
  readonly subject: string;
  /** Who acts for it. */
  readonly actor?: Actor | undefined;
  readonly permission: string;
  readonly scope: string;
  /** The instant that it was decided for, ISO 8601. */
  readonly at: string;
  /** `allow`, `deny` or a reason, perhaps with `not` before it. */
  readonly expect: string;
  readonly decision: Decision;
  readonly explanation: Explanation | undefined;
}

interface Colours {
  readonly colours: boolean;
  readonly paint: (colour: 'green' | 'red', text: string) => string;
}

const PLAIN: Colours = { colours: false, paint: (_, text) => text };

/** What was asked and expected, what came, and why. */
export function formatUnexpected(
  { permission, scope, at, expect, decision, explanation, ...by }: Unexpected,
  { colours, paint }: Colours = PLAIN,
): string {
  const got = decision.allowed ? paint('green', 'ALLOWED') : paint('red', 'REFUSED');
  return [
    `asked     ${askedBy(by)}: ${permission} at ${scope}, ${at}`,
    `expected  ${expect}`,
    `got       ${got} (${decision.reason})`,
    ...(explanation ? [whyOf(explanation, colours)] : []),
  ].join('\n');
}

/** Of an explanation what bears on the answer: no head, and of the steps those that failed or decided. */
function whyOf(explanation: Explanation, colours: boolean): string {
  const steps = explanation.steps.filter(
    ({ decides, passed, name }) => decides || passed === false || name === 'roles',
  );
  const text = formatExplanation({ ...explanation, steps }, { colours });
  return text.slice(text.indexOf('\n\n') + 1);
}
