import { GatehouseError } from '../table/errors.ts';
import type { Actor } from './actor.ts';
import type { Decision } from './decision.ts';
import type { Question } from './decision-input.ts';
import type { Cost } from './item-cache.ts';
import type { Consistency } from './load.ts';

/** One decision, or one failure to decide. */
export interface Observation {
  readonly subject: string;
  /** Who acted for the subject. */
  readonly actor?: Actor | undefined;
  readonly permission: string;
  readonly scope: string;
  /** The root of the scope; undefined if the scope is unknown or the decision failed. */
  readonly tenant: string | undefined;
  /** Undefined if the decision failed: nothing is allowed then, and `fault` gives the code. */
  readonly decision: Decision | undefined;
  /** A stable code of GatehouseError, or `internal`. */
  readonly fault: string | undefined;
  readonly consistency: 'cached' | 'strong' | 'atLeast';
  /** DynamoDB calls made for it; 0 for a cache hit, or if it shared the read of another decision. */
  readonly calls: number;
  /** Read units consumed by these calls, as reported by DynamoDB. */
  readonly units: number;
  /** Milliseconds from question to answer. */
  readonly milliseconds: number;
  /** Whether it belongs to the engine's first call, as after a Lambda cold start. */
  readonly isFirst: boolean;
  /** Whether an item is older than the time-to-live, because DynamoDB is down. */
  readonly isStale: boolean;
  /** Whether a decision that was kept was given again. */
  readonly isKept: boolean;
}

/**
 * Called after each decision; for many, in the order of the requests. Decisions that are made together share
 * their reads: the first carries the whole cost, so that sums are right. Errors it throws are ignored, so
 * that a failing observer does not fail decisions.
 *
 * @param position of the decision among those that were made together
 */
export type Observe = (observation: Observation, position: number, together: readonly Observation[]) => void;

/** A decision with its question, to be reported. */
export interface Observed {
  readonly question: Question;
  readonly tenant: string | undefined;
  readonly decision: Decision | undefined;
  readonly isStale: boolean;
  readonly isKept: boolean;
}

interface Worked<R> {
  readonly answer: R;
  readonly observed: readonly Observed[];
}

/**
 * Reports decisions and their cost. Questions without a scope, which only check a credential, are not
 * reported.
 */
export function createObserver(observe: Observe, now: () => number) {
  let wasAsked = false;

  function report(observations: readonly Observation[]): void {
    for (let position = 0; position < observations.length; position++) {
      try {
        observe(observations[position] as Observation, position, observations);
      } catch {}
    }
  }

  /** Reports a `cached` decision that was given at once, or took from `begunAt` until now. */
  function given({ question, tenant, decision, isStale, isKept }: Observed, begunAt?: number): void {
    const isFirst = !wasAsked;
    wasAsked = true;
    const { subject, actor, permission = '', scope } = question;
    if (scope === undefined) return;
    report([
      {
        subject,
        actor,
        permission,
        scope,
        tenant,
        decision,
        fault: undefined,
        consistency: 'cached',
        calls: 0,
        units: 0,
        milliseconds: begunAt === undefined ? 0 : now() - begunAt,
        isFirst,
        isStale,
        isKept,
      },
    ]);
  }

  /** @param work does the work and adds the cost of its reads to `cost` */
  const around = async <R>(
    consistency: Consistency,
    questionsOf: () => readonly Question[],
    work: (cost: Cost) => Promise<Worked<R>>,
  ): Promise<R> => {
    const [begunAt, isFirst, cost] = [now(), !wasAsked, { calls: 0, units: 0 }];
    wasAsked = true;
    const questions = questionsOf();
    const observationOf = (
      { subject, actor, permission = '', scope = '' }: Question,
      position: number,
      rest: Pick<Observation, 'tenant' | 'decision' | 'fault' | 'isStale' | 'isKept'>,
    ): Observation => ({
      subject,
      actor,
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
      const reported = observed.filter(({ question }) => question.scope !== undefined);
      report(
        reported.map(({ question, ...rest }, at) =>
          observationOf(question, at, { ...rest, fault: undefined }),
        ),
      );
      return answer;
    } catch (error) {
      const fault = error instanceof GatehouseError ? error.code : 'internal';
      const failed = { tenant: undefined, decision: undefined, isStale: false, isKept: false, fault };
      report(questions.map((question, at) => observationOf(question, at, failed)));
      throw error;
    }
  };

  return { given, around };
}

const NO_COST: Cost = { calls: 0, units: 0 };
