import type { Decision, Reason } from '../decision.ts';
import type { Step, StepName } from './explanation.ts';
import { STEP_RESULTS, type StepInput, type StepResult } from './findings.ts';
import type { Names } from './names.ts';

const NAMES: readonly StepName[] = [
  ...(['subject', 'scope', 'permission', 'administrator', 'entitlement'] as const),
  ...(['roles', 'effects', 'combination', 'default'] as const),
];

/** The number of the step that decides, by reason. */
const DECIDING: Readonly<Record<Reason, number>> = {
  credential_refused: 1,
  subject_unknown: 1,
  subject_inactive: 1,
  subject_ended: 1,
  scope_unknown: 2,
  scope_inactive: 2,
  permission_unknown: 3,
  admin: 4,
  not_subscribed: 5,
  not_licensed: 5,
  role: 8,
  denied_by_role: 8,
  no_grant: 9,
};

const NOTHING: StepResult = { passed: null, findings: [], missing: [] };

/**
 * The nine steps of SPEC section 2 as the decision went through them. Steps after the deciding one are empty.
 */
export function stepsOf(input: StepInput, names: Names): readonly Step[] {
  const last = DECIDING[input.decision.reason];
  return NAMES.map((name, position): Step => {
    const step = position + 1;
    const { passed, findings, missing } = step > last ? NOTHING : STEP_RESULTS[name](input, names);
    const outcome = passed === undefined ? missing.length === 0 : passed;
    return { step, name, passed: outcome, decides: step === last, findings, missing };
  });
}

/** Whether the decision evaluated roles, that is, no earlier step decided. */
export const asksRoles = ({ reason }: Decision): boolean => DECIDING[reason] > 5;
