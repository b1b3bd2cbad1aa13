import type { Decision } from '../../engine/index.ts';
import type { Model, Question } from './model.ts';
import type { Operation } from './operations.ts';

/** An answer that was true at none of the instants that it may be of. */
export interface Violation {
  readonly seed: number;
  readonly consistency: string;
  readonly question: Question;
  readonly answer: string;
  /** What would have been true at the instants that the answer may be of. */
  readonly truths: readonly string[];
  /** The write with which each of them began. */
  readonly since: readonly string[];
}

export interface HistoryTally {
  readonly checks: Record<'cached' | 'strong' | 'atLeast', number>;
  /** Answers that are not true any more when they come. */
  stale: number;
  /**
   * Refusals that were true at an instant, for another reason: what is not there cannot say since when, so
   * `subject_unknown`, `scope_unknown` and `permission_unknown` may come with facts from before (ADR 0020).
   */
  misnamed: number;
  allowed: number;
  /** Refusals because a condition could not be evaluated. */
  undecided: number;
  /** Writes that were answered; of which after they had been given up and sent again. */
  writes: number;
  repeated: number;
  refused: number;
  /** Writes that were given up by their writer; those that were committed later than that. */
  givenUp: number;
  late: number;
  /** Checks that found no coherent state and so failed. */
  contended: number;
  /** Answers of sessions, the last ones a millisecond before they end. */
  sessions: number;
  /** Strong lists of what a subject may do. */
  lists: number;
  /** Checks that failed because DynamoDB was down, and answers that were older than the time-to-live then. */
  failed: number;
  bridged: number;
  /** Decision items that migrations split or joined. */
  split: number;
  readonly violations: Violation[];
}

export const newHistoryTally = (): HistoryTally => ({
  checks: { cached: 0, strong: 0, atLeast: 0 },
  stale: 0,
  misnamed: 0,
  allowed: 0,
  undecided: 0,
  writes: 0,
  repeated: 0,
  refused: 0,
  givenUp: 0,
  late: 0,
  contended: 0,
  sessions: 0,
  lists: 0,
  failed: 0,
  bridged: 0,
  split: 0,
  violations: [],
});

/** The model from an instant on, until the next. */
interface State {
  readonly from: number;
  readonly model: Model;
  readonly operation: string;
}

/** The states that the table really had, one after the other, and answers compared with them. */
export function createRecord(
  seed: number,
  start: number,
  furnished: Model,
  tally: HistoryTally,
  judge: (model: Model, question: Question) => Decision,
) {
  const model = structuredClone(furnished);
  const states: State[] = [{ from: start, model: structuredClone(model), operation: 'furnished' }];

  const violation = (
    consistency: string,
    question: Question,
    answer: string,
    possible: readonly State[],
    truthAt: (state: State) => string,
  ): void => {
    tally.violations.push({
      seed,
      consistency,
      question,
      answer,
      truths: possible.map(truthAt),
      since: possible.map(({ operation }) => operation),
    });
  };

  return {
    /** The number of the state that is. */
    latest: (): number => states.length - 1,
    /** The number of the state that was just after an instant. */
    after: (instant: number): number =>
      Math.max(
        0,
        states.findLastIndex(({ from }) => from <= instant),
      ),
    modelsSince: (first: number): readonly Model[] => states.slice(first).map((state) => state.model),
    /** Notes a write at the instant at which it is committed; answers the number of its state. */
    commit: ({ command, input, apply }: Operation, instant: number): number => {
      apply(model);
      const operation = `${command} ${JSON.stringify(input)}`;
      return states.push({ from: instant, model: structuredClone(model), operation }) - 1;
    },
    /** Notes an answer, which comes now; it must be true of some state from `first` on. */
    compare: (
      kind: keyof HistoryTally['checks'],
      how: string,
      question: Question,
      { allowed, reason }: Decision,
      first: number,
    ): void => {
      const possible = states.slice(first);
      const truthAt = (state: State) => judge(state.model, question).reason;
      tally.checks[kind] += 1;
      if (allowed) tally.allowed += 1;
      if (reason === 'condition_failed') tally.undecided += 1;
      if (truthAt(possible.at(-1) as State) === reason) return;
      tally.stale += 1;
      if (possible.some((state) => truthAt(state) === reason)) return;
      const isUnknown = reason.endsWith('_unknown') && kind !== 'strong';
      if (isUnknown && possible.some((state) => isAbsent(state, question))) tally.misnamed += 1;
      else violation(`${kind}${how}`, question, reason, possible, truthAt);
    },
    /** What is of one instant is true at one, all of it together. */
    compareTogether: (
      how: string,
      question: Question,
      answer: string,
      first: number,
      truthAt: (then: Model) => string,
    ): void => {
      const possible = states.slice(first);
      if (possible.every((state) => truthAt(state.model) !== answer))
        violation(`${how}, together`, question, answer, possible, ({ model: then }) => truthAt(then));
    },
    /** Notes a fault that the table gave no reason for. */
    fault: (kind: string, question: Question, code: string, first: number): void =>
      violation(
        kind,
        question,
        `fault ${code}`,
        states.slice(first),
        (state) => judge(state.model, question).reason,
      ),
  };
}

/** Whether something that the question names is not there: a refusal, whatever the reason. */
const isAbsent = ({ model }: State, { subject, scope, permission }: Question): boolean =>
  !model.subjects.some(({ ref }) => ref === subject) ||
  !model.scopes.some(({ ref }) => ref === scope) ||
  !model.permissions.some(({ name }) => name === permission);

/** A violation as it can be told. */
export const describeViolation = ({
  seed,
  consistency,
  question,
  answer,
  truths,
  since,
}: Violation): string =>
  [
    `seed ${seed}, ${consistency}: ${JSON.stringify(question)}`,
    `answered ${answer}; of the states it may be of:`,
    ...truths.map((truth, position) => `  ${truth.padEnd(20)} after ${since[position]}`),
  ].join('\n');
