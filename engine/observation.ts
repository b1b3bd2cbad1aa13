import { GatehouseError } from '../table/errors.ts';
import type { Decision } from './decision.ts';
import type { Freshness } from './freshness.ts';
import type { Clock, Spending } from './store.ts';

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
  readonly freshness: 'cached' | 'strong' | 'atLeast';
  /** Calls to DynamoDB that were made for it; 0: a cache hit, or it waited for what another had asked for. */
  readonly calls: number;
  /** Read units that these calls spent, as DynamoDB states them. */
  readonly units: number;
  /** Milliseconds from the question to the answer. */
  readonly milliseconds: number;
  /** Whether this engine was never asked before: a Lambda's cold start. All that were asked together are first. */
  readonly isFirst: boolean;
  /** Whether it rests on what is older than the time-to-live, because DynamoDB is down. */
  readonly isOutdated: boolean;
}

/**
 * Called after each decision, in the order of the requests for many. Those that are decided together share their
 * calls: the first of them bears the cost, so that sums are right. What it throws is not heard of again: a decision
 * does not fail because nobody could write it down.
 */
export type Observe = (observation: Observation) => void;

interface Asked {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
}

/** What was found out about the questions, in their order: the roots of their scopes, and the decisions. */
interface Outcome {
  readonly tenants: readonly (string | undefined)[];
  readonly decisions: readonly Decision[];
  readonly isOutdated: boolean;
}

const NOTHING: Spending = { calls: 0, units: 0 };

/** Tells what was decided, and what it took. */
export function createWatch(observe: Observe, clock: Clock) {
  let wasAsked = false;

  /** Whether nothing was asked before. */
  function isFirst(): boolean {
    const first = !wasAsked;
    wasAsked = true;
    return first;
  }

  /** Tells of one question after the other. */
  function tell(
    questions: readonly Asked[],
    shared: Pick<Observation, 'freshness' | 'fault' | 'milliseconds' | 'isFirst'>,
    spent: Spending,
    outcome: Outcome | undefined,
  ): void {
    for (const [position, { subject, permission, scope }] of questions.entries()) {
      try {
        observe({
          ...shared,
          ...(position === 0 ? spent : NOTHING),
          subject,
          permission,
          scope,
          tenant: outcome?.tenants[position],
          decision: outcome?.decisions[position],
          isOutdated: outcome?.isOutdated ?? false,
        });
      } catch {}
    }
  }

  return {
    /** Tells of a decision that the cache alone gave. */
    hit: (question: Asked, since: number, tenant: string | undefined, decision: Decision): void => {
      const outcome = { tenants: [tenant], decisions: [decision], isOutdated: false };
      const milliseconds = clock.now() - since;
      tell(
        [question],
        { freshness: 'cached', fault: undefined, milliseconds, isFirst: isFirst() },
        NOTHING,
        outcome,
      );
    },
    /** Tells of decisions that take reads. `work` adds to the spending what they cost. */
    during: async <T extends Outcome>(
      questions: readonly Asked[],
      freshness: Freshness,
      since: number,
      work: (spending: Spending) => Promise<T>,
    ): Promise<T> => {
      const spending = { calls: 0, units: 0 };
      const first = isFirst();
      const shared = (fault: string | undefined) => ({
        freshness: typeof freshness === 'string' ? freshness : ('atLeast' as const),
        fault,
        milliseconds: clock.now() - since,
        isFirst: first,
      });
      let outcome: T;
      try {
        outcome = await work(spending);
      } catch (error) {
        const fault = error instanceof GatehouseError ? error.code : 'internal';
        tell(questions, shared(fault), spending, undefined);
        throw error;
      }
      tell(questions, shared(undefined), spending, outcome);
      return outcome;
    },
  };
}
