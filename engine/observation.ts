import { GatehouseError } from '../table/errors.ts';
import type { Decision } from './decision.ts';
import type { Question } from './decision-input.ts';
import type { Cost } from './item-cache.ts';
import type { Consistency } from './load.ts';

/** One decision, or one that failed, as it is told to whoever watches the engine. */
export interface Observation {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** The root of the scope, the isolation boundary; undefined where the scope is unknown, or the decision failed. */
  readonly tenant: string | undefined;
  /** Undefined when the decision failed: then `fault` says why, and nothing is allowed. */
  readonly decision: Decision | undefined;
  /** A stable code of GatehouseError, or `internal`. */
  readonly fault: string | undefined;
  readonly consistency: 'cached' | 'strong' | 'atLeast';
  /** Calls to DynamoDB that were made for it; 0: a cache hit, or it waited for what another had asked for. */
  readonly calls: number;
  /** Read units that these calls spent, as DynamoDB states them. */
  readonly units: number;
  /** Milliseconds from the question to the answer. */
  readonly milliseconds: number;
  /** Whether this engine was never asked before: a Lambda's cold start. All that were asked together are first. */
  readonly isFirst: boolean;
  /** Whether it rests on what is older than the time-to-live, because DynamoDB is down. */
  readonly isStale: boolean;
}

/**
 * Called after each decision, in the order of the requests for many. Those that are decided together share their
 * calls: the first of them bears the cost, so that sums are right. What it throws is not heard of again: a decision
 * does not fail because nobody could write it down.
 */
export type Observe = (observation: Observation) => void;

/** A decision that was made, with what is told of it. */
interface Observed {
  readonly question: Question;
  readonly tenant: string | undefined;
  readonly decision: Decision | undefined;
  readonly isStale: boolean;
}

/** What work came to. */
interface Worked<R> {
  readonly answer: R;
  readonly observed: readonly Observed[];
}

/** Tells of what was decided, and what it cost. Questions that ask nothing but for a credential are not told of. */
export function createObserver(observe: Observe, now: () => number) {
  let wasAsked = false;

  function tell(observations: readonly Observation[]): void {
    for (const observation of observations) {
      try {
        observe(observation);
      } catch {}
    }
  }

  /** @param work adds to the cost what it reads */
  return async <R>(
    consistency: Consistency,
    questions: readonly Question[],
    work: (cost: Cost) => Promise<Worked<R>>,
  ): Promise<R> => {
    const [begunAt, isFirst, cost] = [now(), !wasAsked, { calls: 0, units: 0 }];
    wasAsked = true;
    const observationOf = (
      { subject, permission = '', scope = '' }: Question,
      position: number,
      rest: Pick<Observation, 'tenant' | 'decision' | 'fault' | 'isStale'>,
    ): Observation => ({
      subject,
      permission,
      scope,
      consistency: typeof consistency === 'string' ? consistency : 'atLeast',
      ...(position === 0 ? cost : NO_COST),
      milliseconds: now() - begunAt,
      isFirst,
      ...rest,
    });
    try {
      const { answer, observed } = await work(cost);
      const told = observed.filter(({ question }) => question.scope !== undefined);
      tell(
        told.map(({ question, ...rest }, at) => observationOf(question, at, { ...rest, fault: undefined })),
      );
      return answer;
    } catch (error) {
      const fault = error instanceof GatehouseError ? error.code : 'internal';
      const failed = { tenant: undefined, decision: undefined, isStale: false, fault };
      tell(questions.map((question, at) => observationOf(question, at, failed)));
      throw error;
    }
  };
}

const NO_COST: Cost = { calls: 0, units: 0 };
