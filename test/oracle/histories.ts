import {
  createEngine,
  createLists,
  DEFAULT_TTL_MS,
  type Decision,
  type Engine,
  type Freshness,
  type Session,
} from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { Reader } from '../../table/read/reader.ts';
import { findingsOn } from '../provisioning/findings.ts';
import { ask, changeInOneWrite, changeOfGrants, furnishSmall } from './generate.ts';
import { emptyModel, type Model, type Question } from './model.ts';
import type { Operation } from './operations.ts';
import { judge } from './oracle.ts';
import { createRandom, type Random } from './random.ts';
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
  /** Answers of sessions, the last ones a millisecond before they end. */
  sessions: number;
  /** Strong lists of what a subject may do. */
  lists: number;
  /** Checks that failed because DynamoDB was down, and answers that were older than the time-to-live then. */
  failed: number;
  bridged: number;
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
  sessions: 0,
  lists: 0,
  failed: 0,
  bridged: 0,
  violations: [],
});

export interface HistoryOptions {
  /** What the engines take for their margin; theirs when left out. */
  readonly coherenceMarginMs?: number;
  /** Whether things come and go as well, not only what is granted to them. */
  readonly withNodes?: boolean;
  /** Whether DynamoDB is down for the engines now and then, and they may answer from longer ago meanwhile. */
  readonly withOutages?: boolean;
  /** By how many milliseconds the clocks of the engines and of the writers are ahead, instead of by chance. */
  readonly ahead?: { readonly engines: number; readonly writers: number };
  readonly steps?: number;
  /** What is done, in this order, and what is asked, instead of what chance draws. */
  readonly story?: Story;
  /** What goes on, step by step, so many times. */
  readonly scene?: {
    readonly operations: readonly Operation[];
    readonly play: Scene;
    readonly times: number;
  };
}

/** A story: how things stand at first, what happens one after the other, and what is asked all the while. */
export interface Story {
  readonly operations: readonly Operation[];
  readonly changes: readonly Operation[];
  readonly questions: readonly Question[];
}

/** How a read goes: at once, answered only when `answerReads` says so, or by then answered one half. */
export type Pace = 'at once' | 'late' | 'in two attempts';

export interface Hands {
  readonly random: Random;
  /** Begins a check by one of the engines; `atLeast` means the latest write. */
  readonly ask: (engine: number, kind: Kind, question: Question, pace?: Pace) => Promise<void>;
  /** Begins a write: it is stamped and sent. */
  readonly send: (operation: Operation) => Promise<void>;
  /** The write that was sent first arrives and is answered. */
  readonly arrive: () => Promise<void>;
  readonly answerReads: () => Promise<void>;
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Whether the engines reach DynamoDB from now on. */
  readonly setDown: (isDown: boolean) => void;
}

/** A history that is told what to do: for what chance seldom brings together. */
export type Scene = (hands: Hands) => Promise<void>;

const ENGINES = 3;
const WRITERS = 3;
/** By how much any two clocks may differ. */
export const SKEW_MS = 1_000;
/** How long a write may take from its stamp to its arrival. */
export const ARRIVAL_MS = 5_000;
const MAX_WAITING = 10;
const KINDS = ['cached', 'cached', 'cached', 'strong', 'atLeast'] as const;
type Kind = (typeof KINDS)[number];
/** What the engines take for their second bound, in histories with outages. */
export const OUTAGE_TTL_MS = 300_000;
/** So long after a failure an engine may still answer as if DynamoDB were down. */
const RETRY_AFTER_MS = 1_000;
/** For so long at least an engine answers from what it has read. */
const KEPT_MS = 0.9 * DEFAULT_TTL_MS;

/** Something on its way: a read, its answer, or a write that must arrive by `due`; or a look that is due then. */
interface Held {
  readonly what: 'read' | 'write' | 'look';
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
  options: HistoryOptions = {},
): Promise<void> {
  const { withNodes = false, withOutages = false, steps = 500, story, scene, ahead: aheads } = options;
  const { coherenceMarginMs } = options;
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
  // While DynamoDB is down only what was asked before is answered.
  const often = Array.from({ length: withOutages ? 6 : 0 }, () => ask(random, names));
  const nextQuestion = (): Question => {
    if (story) return random.pick(story.questions);
    return often.length > 0 && !random.oneIn(6) ? random.pick(often) : ask(random, names);
  };
  const model = emptyModel();
  for (const each of (story ?? scene)?.operations ?? operations) {
    const outcome = await open.carryOut(each.command, each.input);
    if (!outcome.ok) throw new Error(`${each.command}: ${outcome.message}`);
    each.apply(model);
  }

  let time = open.clock.now() + 3_600_000;
  const states: State[] = [{ from: time, model: structuredClone(model), operation: 'furnished' }];
  // In one of three histories the clocks are put right now and then; what was read may then live so much longer.
  const doClocksJump = !scene && random.oneIn(3);
  const slackMs = doClocksJump ? SKEW_MS : 0;
  const clockOf = (fixed: number | undefined) => {
    let ahead = fixed ?? random.below(SKEW_MS + 1);
    return {
      now: () => time + ahead,
      jump: () => {
        ahead = random.below(SKEW_MS + 1);
      },
    };
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
  const hold = (what: Held['what'], due = Number.POSITIVE_INFINITY): Promise<void> =>
    new Promise((resolve) => {
      const one = {
        what,
        due,
        release: () => {
          held.delete(one);
          resolve();
        },
      };
      held.add(one);
    });
  const heldAs = (...kinds: readonly Held['what'][]) => [...held].filter(({ what }) => kinds.includes(what));
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

  let isDown = false;
  /** What a scene says of the reads that begin now. */
  let pace: Pace | undefined = scene && 'at once';
  const mayBeHeld = (of: Pace | undefined): Promise<void> | undefined =>
    of === undefined && !random.oneIn(3) ? hold('read') : undefined;
  const newEngine = (number: number) => {
    const clock = clockOf(aheads?.engines);
    const one = { number, clock, failedAt: Number.NEGATIVE_INFINITY };
    const reach = async <T>(work: () => Promise<T>): Promise<T> => {
      if (!isDown) return really(work);
      one.failedAt = time;
      throw new GatehouseError(random.oneIn(2) ? 'transient' : 'throttled', 'DynamoDB is down');
    };
    /** Reads as a slow network would: on the way there, on the way back, and sometimes in two attempts. */
    const reader: Pick<Reader, 'getMany' | 'getSnapshot'> = {
      getMany: async (keys, notes) => {
        const its = pace;
        await mayBeHeld(its);
        const isApart = its ? its === 'in two attempts' : random.oneIn(4);
        const isFirst = keys.map(() => !isApart || random.oneIn(2));
        const items: (Item | undefined)[] = keys.map(() => undefined);
        const attempt = async (isNow: boolean): Promise<void> => {
          const wanted = [...keys.keys()].filter((n) => isFirst[n] === isNow);
          if (wanted.length === 0) return;
          const found = await reach(() => open.reader.getMany(wanted.map((n) => keys[n] as Key)));
          for (const [n, position] of wanted.entries()) items[position] = found[n];
        };
        await attempt(true);
        if (isFirst.includes(false)) {
          if (notes) notes.isApart = true;
          await (its ? hold('read') : mayBeHeld(its));
          await attempt(false);
        }
        await (its === 'late' ? hold('read') : mayBeHeld(its));
        return items;
      },
      getSnapshot: async (keys) => {
        const its = pace;
        await mayBeHeld(its);
        const items = await reach(() => open.reader.getSnapshot(keys));
        await (its === 'late' ? hold('read') : mayBeHeld(its));
        return items;
      },
    };
    const engine: Engine = createEngine({
      reader,
      clock,
      random: () => random.below(100) / 100,
      ...(coherenceMarginMs === undefined ? {} : { coherenceMarginMs }),
      outageTtlMs: withOutages ? OUTAGE_TTL_MS : 0,
    });
    return Object.assign(one, { engine });
  };
  const engines = Array.from({ length: ENGINES }, (_, number) => newEngine(number));

  const reader: Reader = Object.fromEntries(
    Object.entries(open.reader).map(([name, read]) => [
      name,
      async (...input: unknown[]) => {
        // Planning takes its time as well.
        if (!scene && random.oneIn(6)) await hold('read');
        return really(() => (read as (...all: unknown[]) => Promise<unknown>)(...input));
      },
    ]),
  ) as unknown as Reader;
  const writers = Array.from({ length: WRITERS }, () => clockOf(aheads?.writers));
  /** Tokens of the writes that were answered, with the first state that holds them. */
  const tokens: { readonly token: string; readonly state: number }[] = [];

  async function write(operation: Operation): Promise<void> {
    const clock = random.pick(writers);
    let state: number | undefined;
    const send: typeof open.writer.send = async (actions) => {
      // A scene sees to it by itself.
      await hold('write', scene ? undefined : time + random.below(ARRIVAL_MS + 1));
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

  /** Notes an answer; it must be true of some state from `first` on. */
  function compare(
    kind: Kind,
    how: string,
    question: Question,
    { allowed, reason }: Decision,
    first: number,
  ) {
    const since = states.slice(first);
    const truthAt = (state: State) => judge(state.model, question).reason;
    tally.checks[kind] += 1;
    if (allowed) tally.allowed += 1;
    if (truthAt(since.at(-1) as State) === reason) return;
    tally.stale += 1;
    if (since.some((state) => truthAt(state) === reason)) return;
    if (
      kind !== 'strong' &&
      reason.endsWith('_unknown') &&
      since.some((state) => isAbsent(state, question))
    ) {
      tally.misnamed += 1;
      return;
    }
    tally.violations.push({
      seed,
      freshness: `${kind}${how}`,
      question,
      answer: reason,
      truths: since.map(truthAt),
      since: since.map(({ operation }) => operation),
    });
  }

  /** What is read at one instant is true at one, all of it together. */
  function compareTogether(
    since: number,
    question: Question,
    answer: string,
    truthAt: (then: Model) => string,
  ) {
    const possible = states.slice(since);
    const truths = possible.map(({ model: then }) => truthAt(then));
    if (truths.includes(answer)) return;
    const told = possible.map(({ operation }) => operation);
    tally.violations.push({ seed, freshness: 'strong, together', question, answer, truths, since: told });
  }

  /**
   * What a strong answer has read stays: for as long as it is cached, no read that began earlier takes its place,
   * so the same engine answers the same question from no earlier state than when the strong one was asked.
   */
  const floors = new Map<string, { readonly state: number; readonly until: number }>();
  const floorOf = (engine: number, question: Question) => JSON.stringify([engine, question]);
  /** What a strong answer was about last. */
  let settled: { readonly engine: number; readonly question: Question } | undefined;

  async function check(
    wish: { readonly engine?: number; readonly kind?: Kind; readonly question?: Question } = {},
  ): Promise<void> {
    const kind = wish.kind ?? (story && !random.oneIn(6) ? 'cached' : random.pick(KINDS));
    const same = kind === 'cached' && !wish.question && random.oneIn(4) ? settled : undefined;
    const one = engines[wish.engine ?? same?.engine ?? random.below(ENGINES)] as (typeof engines)[number];
    const { engine, clock } = one;
    const questions = [wish.question ?? same?.question ?? nextQuestion()] as [Question, ...Question[]];
    const [first] = questions;
    const isSession = !scene && random.oneIn(8);
    if (!scene && random.oneIn(6)) {
      const other = nextQuestion();
      questions.push(
        isSession ? { ...other, subject: first.subject, scope: first.scope, at: first.at } : other,
      );
    }
    const known = wish.kind || random.oneIn(2) ? tokens.at(-1) : tokens.at(-1 - random.below(5));
    if (kind === 'atLeast' && !known) return;
    const freshness: Freshness = kind === 'atLeast' ? { atLeast: known?.token ?? '' } : kind;
    const askedAt = time;
    const asked = states.length - 1;
    const keys = questions.map((question) => floorOf(one.number, question));
    const floor = keys.map((key) => {
      const { state, until } = floors.get(key) ?? { state: 0, until: 0 };
      return kind === 'cached' && askedAt < until ? state : 0;
    });
    /** Whether an answer of this engine may be of longer ago: a read of its has failed since, or just before. */
    const isOutage = () => withOutages && one.failedAt >= askedAt - RETRY_AFTER_MS - slackMs;
    /** The first state that an answer given at `instant` may be of. */
    const firstOf = (instant: number, bound: number, position: number): number => {
      const oldest = stateAt(instant - bound - slackMs);
      return Math.max(oldest, floor[position] ?? 0, kind === 'atLeast' ? (known?.state ?? 0) : 0);
    };
    /** Compares the answers, given now, to questions that were asked then. */
    const compareAll = (answers: readonly Decision[]): void => {
      const bridges = kind === 'cached' && isOutage();
      const bound = bridges ? OUTAGE_TTL_MS : DEFAULT_TTL_MS;
      for (const [position, question] of questions.entries()) {
        const answer = answers[position] as Decision;
        const since = kind === 'strong' ? asked : firstOf(askedAt, bound, position);
        if (bridges) {
          const lately = states.slice(stateAt(askedAt - DEFAULT_TTL_MS));
          if (lately.every(({ model: then }) => judge(then, question).reason !== answer.reason)) {
            tally.bridged += 1;
          }
        }
        compare(kind, bridges ? ' while DynamoDB is down' : '', question, answer, since);
      }
      if (kind !== 'strong') return;
      compareTogether(asked, first, answers.map(({ reason }) => reason).join(), (then) =>
        questions.map((question) => judge(then, question).reason).join(),
      );
    };
    try {
      if (!scene && kind === 'strong' && random.oneIn(4)) {
        // All that the subject may do there: few enough permissions to be decided at one instant.
        const { subject, scope, at } = first;
        const lists = createLists({ reader, engine, clock, budgetMs: Number.MAX_SAFE_INTEGER });
        const { items } = await lists.listPermissions(subject, scope, { at, freshness });
        tally.lists += 1;
        // One that was registered meanwhile may be missing.
        const registered = states
          .slice(asked)
          .map(({ model: then }) => then.permissions.map(({ name }) => name))
          .reduce((all, some) => all.filter((name) => some.includes(name)));
        const names = [...new Set([...registered, ...items])].sort();
        compareTogether(asked, first, names.filter((name) => items.includes(name)).join(), (then) =>
          names.filter((permission) => judge(then, { ...first, permission }).allowed).join(),
        );
        return;
      }
      if (isSession) {
        const session = await engine.session(first.subject, first.scope, {
          permissions: questions.map(({ permission }) => permission),
          at: first.at,
          freshness,
        });
        const decisions = questions.map(({ permission }) => session.decide(permission));
        compareAll(decisions);
        const bound = kind === 'cached' && isOutage() ? OUTAGE_TTL_MS : DEFAULT_TTL_MS;
        looks.add(lookLater(session, bound).catch((error: unknown) => void failures.push(error)));
      } else if (questions.length > 1) compareAll(await engine.checkMany(questions, { freshness }));
      else {
        const { subject, permission, scope, at } = first;
        compareAll([await engine.check(subject, permission, scope, { at, freshness })]);
      }
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'stale') tally.gaveUp += 1;
      else if ((code === 'transient' || code === 'throttled') && one.failedAt >= askedAt) tally.failed += 1;
      else throw error;
      return;
    }
    if (kind !== 'strong') return;
    settled = { engine: one.number, question: first };
    for (const key of keys) floors.set(key, { state: asked, until: askedAt + KEPT_MS - slackMs });

    /** A session answers to its last millisecond, within the bound that counts from then, and not after. */
    async function lookLater(session: Session, bound: number): Promise<void> {
      const left = () => session.expiresAt - clock.now();
      await hold('look', time + left() - 1);
      for (const [position, question] of questions.entries()) {
        if (left() <= 0) continue;
        tally.sessions += 1;
        const since = firstOf(time, bound, position);
        compare(kind, ' in a session', question, session.decide(question.permission), since);
      }
      await hold('look', time + left());
      if (left() > 0) return;
      for (const { permission } of questions) {
        if (session.can(permission)) throw new Error(`seed ${seed}: a session allows beyond its end`);
      }
    }
  }

  const running = new Set<Promise<void>>();
  const looks = new Set<Promise<void>>();
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
  const hands: Hands = {
    random,
    pass,
    setDown: (to) => {
      isDown = to;
    },
    ask: async (engine, kind, question, its = 'at once') => {
      pace = its;
      await start(() => check({ engine, kind, question }));
      pace = 'at once';
    },
    send: (operation) => start(() => write(operation)),
    arrive: async () => {
      const [first] = heldAs('write');
      if (first) await release(first);
    },
    answerReads: async () => {
      for (const one of heldAs('read')) await release(one);
    },
  };
  /** One step that chance has drawn. */
  async function step(): Promise<void> {
    if (withOutages && random.oneIn(40)) isDown = !isDown;
    if (doClocksJump && random.oneIn(20))
      random.pick([...engines.map(({ clock }) => clock), ...writers]).jump();
    const what = random.below(13);
    const onTheWay = heldAs('read', 'write');
    if (what < 5 && running.size < MAX_WAITING) await start(check);
    else if (what < 7 && running.size < MAX_WAITING) await start(writeNext);
    else if (what < 10 && onTheWay.length > 0) {
      const written = tokens.length;
      await release(random.pick(onTheWay));
      // Whoever has written looks at once whether it shows.
      if (tokens.length > written && random.oneIn(2)) await start(() => check({ kind: 'atLeast' }));
    } else if (what < 12) await pass(random.below(2_000));
    else await pass(random.oneIn(4) ? random.between(10_000, 70_000) : random.between(2_000, 8_000));
  }
  try {
    for (let n = 0; n < (scene?.times ?? steps) && failures.length === 0; n++) {
      await (scene ? scene.play(hands) : step());
    }
    isDown = false;
    while (running.size > 0) {
      for (const one of heldAs('read', 'write')) await release(one);
      await quiet();
    }
    await pass(2 * OUTAGE_TTL_MS);
    await Promise.all(looks);
    if (failures.length > 0) throw failures[0];
    // Whatever came late or in another order: what is repeated in the table agrees.
    const findings = await findingsOn({ reader: open.reader, clock: { now: () => time } });
    if (findings.length > 0) throw new Error(`seed ${seed}: ${findings.join('\n')}`);
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
