import { createEngine, DEFAULT_TTL_MS, type Engine, type Freshness } from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import type { Reader } from '../../table/read/reader.ts';
import { ask, changeInOneWrite, changeOfGrants, furnishSmall } from './generate.ts';
import { emptyModel, type Model, type Question } from './model.ts';
import type { Operation } from './operations.ts';
import { judge } from './oracle.ts';
import { createRandom } from './random.ts';
import { isRefusal, type Stage } from './stage.ts';

/**
 * Histories: writes interleaved with checks. Several writers whose clocks differ and whose writes arrive late,
 * several engines with caches and clocks of their own, reads that are answered late and in any order. The
 * model is kept as it stood after every write, so that for each answer an instant can be looked for at which
 * it was true.
 */
export interface Violation {
  readonly seed: number;
  readonly freshness: string;
  readonly question: Question;
  readonly answer: string;
  /** What would have been true at the instants that the answer may be of. */
  readonly truths: readonly string[];
  /** Operations since the first of these instants. */
  readonly since: readonly string[];
}

export interface HistoryTally {
  readonly checks: Record<'cached' | 'strong' | 'atLeast', number>;
  /** Answers that are not true any more when they come. */
  stale: number;
  /**
   * Refusals that were true at an instant, for another reason: what is not there cannot say since when, so
   * `subject_unknown`, `scope_unknown` and `permission_unknown` may come with facts from before (ADR 0008).
   */
  misnamed: number;
  allowed: number;
  writes: number;
  refused: number;
  /** Checks that found no coherent state and so failed. */
  gaveUp: number;
  readonly violations: Violation[];
}

export const newHistoryTally = (): HistoryTally => ({
  checks: { cached: 0, strong: 0, atLeast: 0 },
  stale: 0,
  misnamed: 0,
  allowed: 0,
  writes: 0,
  refused: 0,
  gaveUp: 0,
  violations: [],
});

export interface HistoryOptions {
  /** What the engines take for their margin; theirs when left out. */
  readonly coherenceMarginMs?: number;
  /** Whether things come and go as well, not only what is granted to them. */
  readonly withNodes?: boolean;
  readonly steps?: number;
  /** What is done, in this order, and what is asked, instead of what chance draws. */
  readonly story?: Story;
}

/** A story: how things stand at first, what happens one after the other, and what is asked all the while. */
export interface Story {
  readonly operations: readonly Operation[];
  readonly changes: readonly Operation[];
  readonly questions: readonly Question[];
}

const ENGINES = 3;
const WRITERS = 3;
/** By how much any two clocks may differ. */
const SKEW_MS = 1_000;
/** How long a write may take from its stamp to its arrival. */
const ARRIVAL_MS = 5_000;
const MAX_WAITING = 10;
const KINDS = ['cached', 'cached', 'cached', 'strong', 'atLeast'] as const;

/** Something on its way: a read, its answer, or a write that must arrive by `due`. */
interface Held {
  readonly due: number;
  readonly release: () => void;
}

/** The model from an instant on, until the next. */
interface State {
  readonly from: number;
  readonly model: Model;
  readonly operation: string;
}

export async function playHistory(
  stage: Stage,
  seed: number,
  tally: HistoryTally,
  { withNodes = false, steps = 500, story, ...engineOptions }: HistoryOptions = {},
): Promise<void> {
  const random = createRandom(seed);
  const open = await stage.open();
  const { names, operations } = furnishSmall(random);
  const changes = [...(story?.changes ?? [])];
  const draw = withNodes ? changeInOneWrite : changeOfGrants;
  /** A story's next change, once the one before is done. */
  const nextChange = (): Operation | undefined => {
    if (!story) return draw(random, names);
    return writing > 0 ? undefined : changes.shift();
  };
  const nextQuestion = (): Question => (story ? random.pick(story.questions) : ask(random, names));
  const model = emptyModel();
  for (const each of story?.operations ?? operations) {
    const outcome = await open.carryOut(each.command, each.input);
    if (!outcome.ok) throw new Error(`${each.command}: ${outcome.message}`);
    each.apply(model);
  }

  let time = open.clock.now() + 3_600_000;
  const states: State[] = [{ from: time, model: structuredClone(model), operation: 'furnished' }];
  const clockOf = () => {
    const ahead = random.below(SKEW_MS + 1);
    return { now: () => time + ahead };
  };

  // What is under way in this process, and what is held.
  let busy = 0;
  let whenIdle: (() => void) | undefined;
  const really = async <T>(work: () => Promise<T>): Promise<T> => {
    busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
      if (busy === 0) whenIdle?.();
    }
  };
  const held = new Set<Held>();
  const hold = (due = Number.POSITIVE_INFINITY): Promise<void> =>
    new Promise((resolve) => {
      const one = {
        due,
        release: () => {
          held.delete(one);
          resolve();
        },
      };
      held.add(one);
    });
  /** Until nothing goes on any more without a release. */
  const quiet = async (): Promise<void> => {
    for (let calm = 0; calm < 2; calm++) {
      if (busy > 0) {
        calm = -1;
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      }
      await new Promise(setImmediate);
    }
  };
  const release = async (one: Held): Promise<void> => {
    one.release();
    await quiet();
  };
  const pass = async (milliseconds: number): Promise<void> => {
    const until = time + milliseconds;
    for (;;) {
      const next = [...held].reduce<Held | undefined>((a, b) => (a && a.due <= b.due ? a : b), undefined);
      if (!next || next.due > until) break;
      time = Math.max(time, next.due);
      await release(next);
    }
    time = until;
  };

  const mayBeHeld = (): Promise<void> | undefined => (random.oneIn(3) ? undefined : hold());
  /** Reads as a slow network would: on the way there, on the way back, and sometimes in two attempts. */
  const slow = (reader: Reader): Pick<Reader, 'getMany' | 'getSnapshot'> => ({
    getMany: async (keys, notes) => {
      await mayBeHeld();
      const parts = random.oneIn(4) ? random.between(0, keys.length) : keys.length;
      const items = [...(await really(() => reader.getMany(keys.slice(0, parts))))];
      if (parts < keys.length) {
        if (notes) notes.isApart = true;
        await mayBeHeld();
        items.push(...(await really(() => reader.getMany(keys.slice(parts)))));
      }
      await mayBeHeld();
      return items;
    },
    getSnapshot: async (keys) => {
      await mayBeHeld();
      const items = await really(() => reader.getSnapshot(keys));
      await mayBeHeld();
      return items;
    },
  });
  const engines: readonly Engine[] = Array.from({ length: ENGINES }, () =>
    createEngine({
      reader: slow(open.reader),
      clock: clockOf(),
      random: () => random.below(100) / 100,
      ...engineOptions,
    }),
  );

  const reader: Reader = Object.fromEntries(
    Object.entries(open.reader).map(([name, read]) => [
      name,
      async (...input: unknown[]) => {
        // Planning takes its time as well.
        if (random.oneIn(6)) await hold();
        return really(() => (read as (...all: unknown[]) => Promise<unknown>)(...input));
      },
    ]),
  ) as unknown as Reader;
  const writers = Array.from({ length: WRITERS }, clockOf);
  /** Tokens of the writes that were answered, with the first state that holds them. */
  const tokens: { readonly token: string; readonly state: number }[] = [];

  async function write(operation: Operation): Promise<void> {
    const clock = random.pick(writers);
    let state: number | undefined;
    const send: typeof open.writer.send = async (actions) => {
      await hold(time + random.below(ARRIVAL_MS + 1));
      await really(() => open.writer.send(actions));
      if (state !== undefined) throw new Error(`${operation.command} took several writes`);
      operation.apply(model);
      const told = `${operation.command} ${JSON.stringify(operation.input)}`;
      state = states.push({ from: time, model: structuredClone(model), operation: told }) - 1;
    };
    const provision = createProvisioning({ ...open, reader, writer: { send }, clock });
    const answer = await provision({ command: operation.command, input: operation.input });
    if (answer.ok && state !== undefined) {
      tally.writes += 1;
      tokens.push({ token: answer.token, state });
    } else if (!answer.ok && isRefusal(answer.error.code)) tally.refused += 1;
    // Planned anew too often: others were faster each time. Nothing was written.
    else if (!answer.ok && answer.error.code === 'stale' && state === undefined) tally.refused += 1;
    else throw new Error(`${operation.command}: ${JSON.stringify(answer)}`);
  }

  let writing = 0;
  const writeNext = async (): Promise<void> => {
    const operation = nextChange();
    if (!operation) return;
    writing += 1;
    await write(operation);
    writing -= 1;
  };

  /** The state at an instant. */
  const stateAt = (instant: number): number =>
    Math.max(
      0,
      states.findLastIndex(({ from }) => from <= instant),
    );

  async function check(): Promise<void> {
    const engine = random.pick(engines);
    const questions = random.oneIn(6) ? [nextQuestion(), nextQuestion()] : [nextQuestion()];
    const known = random.oneIn(2) ? tokens.at(-1) : tokens.at(-1 - random.below(5));
    const kind = story && !random.oneIn(6) ? 'cached' : random.pick(KINDS);
    if (kind === 'atLeast' && !known) return;
    const freshness: Freshness = kind === 'atLeast' ? { atLeast: known?.token ?? '' } : kind;
    const bound = stateAt(time - DEFAULT_TTL_MS);
    const asked = states.length - 1;
    const first = { cached: bound, strong: asked, atLeast: Math.max(bound, known?.state ?? 0) }[kind];
    let answers: readonly { readonly allowed: boolean; readonly reason: string }[];
    try {
      const [one] = questions as [Question];
      answers =
        questions.length > 1
          ? await engine.checkMany(questions, { freshness })
          : [await engine.check(one.subject, one.permission, one.scope, { at: one.at, freshness })];
    } catch (error) {
      if ((error as { code?: string }).code !== 'stale') throw error;
      tally.gaveUp += 1;
      return;
    }
    for (const [position, question] of questions.entries()) {
      const { allowed, reason } = answers[position] as (typeof answers)[number];
      const since = states.slice(first);
      const truthAt = (state: State) => judge(state.model, question).reason;
      tally.checks[kind] += 1;
      if (allowed) tally.allowed += 1;
      if (truthAt(since.at(-1) as State) === reason) continue;
      tally.stale += 1;
      if (since.some((state) => truthAt(state) === reason)) continue;
      if (
        kind !== 'strong' &&
        reason.endsWith('_unknown') &&
        since.some((state) => isAbsent(state, question))
      ) {
        tally.misnamed += 1;
        continue;
      }
      tally.violations.push({
        seed,
        freshness: kind,
        question,
        answer: reason,
        truths: since.map(truthAt),
        since: since.map(({ operation }) => operation),
      });
    }
  }

  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const start = async (work: () => Promise<void>): Promise<void> => {
    const one: Promise<void> = work()
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => running.delete(one));
    running.add(one);
    await quiet();
  };
  try {
    for (let step = 0; step < steps && failures.length === 0; step++) {
      const what = random.below(13);
      if (what < 5 && running.size < MAX_WAITING) await start(check);
      else if (what < 7 && running.size < MAX_WAITING) await start(writeNext);
      else if (what < 10 && held.size > 0) await release(random.pick([...held]));
      else if (what < 12) await pass(random.below(2_000));
      else await pass(random.oneIn(4) ? random.between(10_000, 70_000) : random.between(2_000, 8_000));
    }
    while (running.size > 0) {
      for (const one of [...held]) await release(one);
      await quiet();
    }
    if (failures.length > 0) throw failures[0];
  } finally {
    await open.close();
  }
}

/** Whether something that the question names is not there: a refusal, whatever the reason. */
const isAbsent = ({ model }: State, { subject, scope, permission }: Question): boolean =>
  !model.subjects.some(({ ref }) => ref === subject) ||
  !model.scopes.some(({ ref }) => ref === scope) ||
  !model.permissions.some(({ name }) => name === permission);

/** A violation as it can be told. */
export const describeViolation = ({ seed, freshness, question, answer, truths, since }: Violation): string =>
  [
    `seed ${seed}, ${freshness}: ${JSON.stringify(question)}`,
    `answered ${answer}; of the states it may be of:`,
    ...truths.map((truth, position) => `  ${truth.padEnd(20)} after ${since[position]}`),
  ].join('\n');
