import { CredentialsError } from '../authorizer/errors.ts';
import { createWork } from '../engine/conditions/work.ts';
import { type LogDecision, restsOf } from '../engine/decision-log.ts';
import type { AskedDecision, Engine, Explainer, Explanation, Question, Reason } from '../engine/index.ts';
import { ForbiddenError } from './errors.ts';
import { askCaller, askCallerAbout, askEvaluation, type Caller, type CallerQuestion } from './questions.ts';
import type { Evaluation } from './requests.ts';
import type { RootsOf } from './roots.ts';

/** A decision as the protocol has it (section 5.5). */
export interface Verdict {
  readonly decision: boolean;
  readonly context: {
    readonly reason: Reason;
    readonly explanation?: ExplanationHere;
  };
}

/** The part of an explanation that is about the resource asked about, and nothing elsewhere. */
export type ExplanationHere = Pick<Explanation, 'path' | 'steps' | 'allowedBy' | 'deniedBy'>;

export interface EvaluateParts {
  readonly engine: Pick<Engine, 'decideAsked'>;
  readonly explainer: Explainer;
  readonly rootsOf: RootsOf;
  /** Takes each decision; undefined if none is logged. */
  readonly logDecision?: LogDecision | undefined;
}

/**
 * Decides evaluations together, in two questions each that share their reads: may the caller evaluate at the
 * root of the resource, and may the subject do what is asked? Where the first answer is no, the second is not
 * used: a resource that does not exist and one that is none of the caller's business get the same verdict.
 *
 * @returns the verdicts in the order of the evaluations
 * @throws CredentialsError, ForbiddenError for a caller that may evaluate nowhere; faults as `checkMany`
 */
export const createEvaluate =
  ({ engine, explainer, rootsOf, logDecision }: EvaluateParts) =>
  async (
    caller: Caller,
    evaluations: readonly Evaluation[],
    isExplained: boolean,
    requestId?: string,
  ): Promise<readonly Verdict[]> => {
    const work = createWork();
    const { distinct, placeOf } = distinctIn(evaluations);
    const callers =
      distinct.length === 0
        ? [askCaller(caller)]
        : distinct.map(({ resource }) => askCallerAbout(caller, resource));
    const all = await engine.decideAsked<Question>(
      [...callers, ...distinct.map((each) => askEvaluation(each, work))],
      { withUses: logDecision !== undefined },
    );
    const may = all.slice(0, callers.length).map(isAllowed);
    if (!may.includes(true)) await refuseNobody(all[0] as AskedDecision<CallerQuestion>, rootsOf);
    const decided = placeOf.map((place) => all[callers.length + place] as AskedDecision<Question>);
    const mayEvaluate = placeOf.map((place) => may[place]);
    const verdicts = decided.map((each, position) =>
      mayEvaluate[position] ? verdictOf(each) : UNKNOWN_RESOURCE,
    );
    if (logDecision)
      for (const [position, { question, tenant, uses = [] }] of decided.entries()) {
        const { decision: allowed, context } = verdicts[position] as Verdict;
        const { subject, actor, permission, scope, groups } = question;
        const rests = restsOf(uses, groups !== undefined);
        const asked = { kind: 'check' as const, requestId, subject, actor, permission, scope, tenant };
        logDecision({ ...asked, allowed, reason: context.reason, rests });
      }
    if (!isExplained) return verdicts;
    return Promise.all(
      verdicts.map(async (verdict, position) => {
        const { question, hasGrant } = decided[position] as AskedDecision<Question>;
        if (!mayEvaluate[position] || !hasGrant) return verdict;
        const { subject, actor, permission = '', scope = '', given } = question;
        const explanation = await explainer.explain(subject, permission, scope, { ...given, actor, work });
        return { ...verdict, context: { ...verdict.context, explanation: hereOf(explanation) } };
      }),
    );
  };

/**
 * Equal evaluations are asked once, and equal parts of others are the same object: conditions over them are evaluated
 * once. What was JSON is equal if it is the same text, but for numbers beyond all (`1e999`), which have none.
 *
 * @returns the distinct evaluations, and of each evaluation its place among them
 */
function distinctIn(evaluations: readonly Evaluation[]) {
  if (evaluations.length <= 1) return { distinct: evaluations, placeOf: evaluations.map(() => 0) };
  const known = new Map<string, unknown>();
  const one = <T>(text: string, value: T): T => {
    if (!known.has(text)) known.set(text, value);
    return known.get(text) as T;
  };
  const distinct: Evaluation[] = [];
  let unlike = 0;
  const textOf = (...part: readonly unknown[]): string => {
    let isExact = true;
    const text = JSON.stringify(part, (_, value) => {
      if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) isExact = false;
      return value;
    });
    return isExact ? text : `${text}${++unlike}`;
  };
  const placeOf = evaluations.map((evaluation) => {
    const parts = Object.entries(evaluation).map(([name, part]) => {
      const text = textOf(name, part);
      return { text, entry: [name, one(text, part)] as const };
    });
    const whole = JSON.stringify(parts.map(({ text }) => text));
    if (!known.has(whole))
      distinct.push(Object.fromEntries(parts.map(({ entry }) => entry)) as typeof evaluation);
    return one(whole, distinct.length - 1);
  });
  return { distinct, placeOf };
}

/**
 * Whether the caller may evaluate.
 *
 * @throws CredentialsError for a credential that is not, or no longer, valid
 */
export function isAllowed({ decision }: Pick<AskedDecision<Question>, 'decision'>): boolean {
  if (decision?.reason === 'credential_refused') throw new CredentialsError('token_refused');
  return decision?.allowed === true;
}

/** @throws ForbiddenError if the caller surely may evaluate at no root at all */
export async function refuseNobody(
  { question }: Pick<AskedDecision<CallerQuestion>, 'question'>,
  rootsOf: RootsOf,
): Promise<void> {
  if (question.caller !== null)
    for (const by of ['itself', 'everyone'] as const) {
      const { within, isCut } = await rootsOf(question.caller, by);
      if (within?.size !== 0 || isCut) return;
    }
  throw new ForbiddenError();
}

const denied = (reason: Reason): Verdict => ({ decision: false, context: { reason } });
const UNKNOWN_RESOURCE = denied('scope_unknown');

/**
 * A subject that has no grant here is a stranger, who may not exist, or may be a subject of another tenant:
 * all get the same answer.
 */
function verdictOf({ decision, hasGrant }: AskedDecision<Question>): Verdict {
  if (decision === undefined) return UNKNOWN_RESOURCE;
  if (decision.allowed) return { decision: true, context: { reason: decision.reason } };
  if (!hasGrant) return denied('no_grant');
  return denied(NOBODY.has(decision.reason) ? 'actor_no_grant' : decision.reason);
}

/** An actor of which this is said may be one of another tenant. */
const NOBODY: ReadonlySet<Reason> = new Set(['actor_unknown', 'actor_inactive', 'actor_ended']);

const hereOf = ({ path, steps, allowedBy, deniedBy }: Explanation): ExplanationHere => ({
  path,
  steps,
  allowedBy,
  deniedBy,
});
