import type { Decision } from '../../../engine/index.ts';
import type { Model, Question } from '../oracle/model.ts';

/** Something that must not be: an answer that was true at no instant that it may be of, or a table that is not whole. */
export interface Violation {
  /** What kind it is of: `cached`, `strong`, `exactly once`, … */
  readonly kind: string;
  readonly text: string;
}

export const newTally = () => ({
  checks: { cached: 0, strong: 0, atLeast: 0 },
  /** Answers that are not true any more when they come. */
  stale: 0,
  /**
   * Refusals that were true at an instant, for another reason: what is not there cannot say since when, so
   * `subject_unknown`, `scope_unknown` and `permission_unknown` may come with facts from before (ADR 0014).
   */
  misnamed: 0,
  allowed: 0,
  /** Of those to who acts for somebody. */
  acting: 0,
  /** Checks and requests that only the groups of a token let be allowed. */
  byGroups: 0,
  /** Refusals because a condition could not be evaluated. */
  undecided: 0,
  /** Checks that found no coherent state and so failed. */
  contended: 0,
  /** Answers of sessions, the last ones a millisecond before they end. */
  sessions: 0,
  /** Strong lists of what a subject may do. */
  lists: 0,
  /** Pages of what administrators list. */
  pages: 0,
  /** Answers of authorizers: all; those with a policy for the whole API; refused credentials. */
  requests: 0,
  policies: 0,
  unauthorized: 0,
  /** Checks and requests that failed because a read did, and answers older than the time-to-live then. */
  failed: 0,
  bridged: 0,
  /** Writes that were answered; of which after they had been given up and sent again. */
  writes: 0,
  repeated: 0,
  refused: 0,
  /** Writes that were given up by their writer; those that were committed later than that. */
  givenUp: 0,
  late: 0,
  /** Commands that took several transactions; how often somebody else went on with one. */
  stepwise: 0,
  resumed: 0,
  /** Decision items that migrations split or joined. */
  split: 0,
  crashes: 0,
  freezes: 0,
  rotations: 0,
  histories: 0,
});

export type Tally = ReturnType<typeof newTally>;

/** Adds what was counted elsewhere. */
export function addTally(tally: Tally, { checks, ...counts }: Tally): void {
  for (const [name, count] of Object.entries(checks)) tally.checks[name as keyof Tally['checks']] += count;
  for (const [name, count] of Object.entries(counts)) tally[name as keyof typeof counts] += count;
}

/** The model from an instant on, until the next. */
interface State {
  readonly from: number;
  readonly model: Model;
  readonly operation: string;
}

export type Judge = (model: Model, question: Question) => Decision;

/** What would be right if no token named groups. */
export const withoutGroups =
  (judge: Judge): Judge =>
  (model, question) =>
    judge(model, { ...question, groups: undefined });

/** A model that shares no list with another one; what stands in the lists is replaced or changed in one of them only. */
export const copyOf = (model: Model): Model =>
  Object.fromEntries(
    Object.entries(model).map(([name, list]) => [
      name,
      list.map((each: unknown) => (typeof each === 'object' ? { ...each } : each)),
    ]),
  ) as unknown as Model;

/** The states that the table really had, one after the other, and answers compared with them. */
export function createRecord(start: number, furnished: Model, tally: Tally, judge: Judge) {
  let model = copyOf(furnished);
  const states: State[] = [{ from: start, model: copyOf(model), operation: 'what there was at first' }];
  const violations: Violation[] = [];
  const commit = (operation: string, instant: number): number =>
    states.push({ from: instant, model: copyOf(model), operation }) - 1;

  /** Each question is asked of a state often. */
  const decisions = new WeakMap<Model, Map<Question, Decision>>();
  const truth = (of: Model, question: Question): Decision => {
    const known = decisions.get(of) ?? new Map<Question, Decision>();
    decisions.set(of, known);
    const decision = known.get(question) ?? judge(of, question);
    known.set(question, decision);
    return decision;
  };

  const violate = (kind: string, text: string): void => void violations.push({ kind, text });
  const wrong = (
    kind: string,
    about: string,
    answer: string,
    possible: readonly State[],
    truthAt: (then: Model) => string,
  ): void =>
    violate(
      kind,
      [
        `${kind}, ${about}`,
        `answered ${answer}; of the states it may be of:`,
        ...possible.map(({ model: then, operation }) => `  ${truthAt(then).padEnd(20)} after ${operation}`),
      ].join('\n'),
    );

  return {
    violations,
    violate,
    truth,
    model: (): Model => model,
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
    commit: (operation: string, instant: number, apply: (model: Model) => void): number => {
      apply(model);
      return commit(operation, instant);
    },
    /** Notes a step of a change that takes several, with the model of what it has left. */
    commitStep: (operation: string, instant: number, left: Model): number => {
      model = left;
      return commit(operation, instant);
    },
    /** Notes an answer, which comes now; it must be true of some state from `first` on. */
    compare: (
      kind: keyof Tally['checks'],
      how: string,
      question: Question,
      { allowed, reason }: Decision,
      first: number,
    ): void => {
      const possible = states.slice(first);
      const truthAt = (then: Model) => truth(then, question).reason;
      tally.checks[kind] += 1;
      if (allowed) tally.allowed += 1;
      if (allowed && question.actor) tally.acting += 1;
      if (allowed && question.groups && !withoutGroups(judge)(model, question).allowed) tally.byGroups += 1;
      if (reason === 'condition_failed') tally.undecided += 1;
      if (truthAt((possible.at(-1) as State).model) === reason) return;
      tally.stale += 1;
      if (possible.some((state) => truthAt(state.model) === reason)) return;
      const isUnknown = reason.endsWith('_unknown') && kind !== 'strong';
      if (isUnknown && possible.some((state) => isAbsent(state.model, question))) tally.misnamed += 1;
      else wrong(`${kind}${how}`, JSON.stringify(question), reason, possible, truthAt);
    },
    /** What is of one instant is true at one, all of it together. */
    compareTogether: (
      kind: string,
      about: string,
      answer: string,
      first: number,
      truthAt: (then: Model) => string,
    ): boolean => {
      const possible = states.slice(first);
      if (possible.some((state) => truthAt(state.model) === answer)) return true;
      wrong(kind, about, answer, possible, truthAt);
      return false;
    },
  };
}

/** Whether something that the question names is not there: a refusal, whatever the reason. */
export const isAbsent = (
  model: Model,
  { subject, scope, permission, actor }: Pick<Question, 'subject' | 'scope' | 'permission' | 'actor'>,
): boolean =>
  !model.subjects.some(({ ref }) => ref === subject) ||
  !model.scopes.some(({ ref }) => ref === scope) ||
  !model.permissions.some(({ name }) => name === permission) ||
  (actor !== undefined && !model.subjects.some(({ ref }) => ref === actor.subject)) ||
  (actor?.mandate !== undefined && !model.mandates.some(({ id }) => `mandate:${id}` === actor.mandate));
