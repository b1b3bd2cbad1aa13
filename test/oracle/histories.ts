import {
  type Consistency,
  createEngine,
  createLists,
  DEFAULT_TTL_MS,
  type Decision,
  type Engine,
  type Session,
} from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createSplitter, SPLITTINGS } from '../../provisioning/verify/split.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable, type Faults } from '../../table/memory/index.ts';
import type { Reader } from '../../table/reader.ts';
import { CLOCK_SKEW_MS, LATE_ARRIVAL_MS, READ_DEADLINE_MS, WRITE_DEADLINE_MS } from '../../table/timing.ts';
import type { Action } from '../../table/write/action.ts';
import { findingsIn } from '../provisioning/findings.ts';
import { ask, changeInOneWrite, changeOfGrants, furnishSmall, opposedChanges, START } from './generate.ts';
import { createRecord, type HistoryTally } from './history-record.ts';
import { emptyModel, type Model, type Question } from './model.ts';
import { type Operation, together } from './operations.ts';
import { rolesAt } from './oracle.ts';
import { createJudgeByEngine } from './outcomes.ts';
import { createRandom, type Random } from './random.ts';
import { createSimulation } from './simulation.ts';
import { isRefusal } from './stage.ts';

/**
 * Histories: writes interleaved with checks, on a table in memory and in simulated time. Several writers whose clocks
 * differ and whose writes are committed late, also after they gave up; several engines with caches and clocks of their own;
 * batches of which each item is read at an instant of its own. The model is kept as it stood after every commit, so that
 * for each answer an instant can be looked for at which it was true. The same seed makes the same history.
 */
export interface HistoryOptions {
  /** What the engines take for their margin; theirs when left out. */
  readonly coherenceMarginMs?: number;
  /** Whether things come and go as well, not only what is granted to them. */
  readonly withNodes?: boolean;
  /** Whether effects carry conditions, which change as the properties do that they look at. */
  readonly withConditions?: boolean;
  /** Whether DynamoDB is down for the engines now and then, and they may answer from longer ago meanwhile. */
  readonly withOutages?: boolean;
  /** Whether migrations go on meanwhile, which let parts of decision items stand apart and bring them back. */
  readonly withSplits?: boolean;
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

/** How a read goes: at once; read at once, or not even that, when it is asked, and answered by `answerReads`; or read one half. */
export type Pace = 'at once' | 'late' | 'delayed' | 'torn';

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
/** How long a write may take from its stamp to its commit. */
export const ARRIVAL_MS = WRITE_DEADLINE_MS + LATE_ARRIVAL_MS;
const MAX_RUNNING = 10;
const KINDS = ['cached', 'cached', 'cached', 'strong', 'atLeast'] as const;
type Kind = (typeof KINDS)[number];
/** What the engines take for their second bound, in histories with outages. */
export const OUTAGE_TTL_MS = 300_000;
/** So long after a failure an engine may still answer as if DynamoDB were down. */
const RETRY_AFTER_MS = 1_000;
/** For so long at least an engine answers from what it has read. */
const KEPT_MS = 0.9 * DEFAULT_TTL_MS;
/** What a small cache holds: a few items, fewer than some questions need. */
const SMALL_CACHE_BYTES = 6_000;
/** By how much a clock may go back before it is noticed. */
const CLOCK_TOLERANCE_MS = 21;

/** What a DynamoDB is like, from a seed. Attempts take up to so long; where they take longest, reads often overlap writes. */
/** What a session answers; undefined once it is over. */
function decisionIn(session: Session, permission: string): Decision | undefined {
  try {
    return session.decide(permission);
  } catch (error) {
    if ((error as { code?: string }).code === 'stale') return undefined;
    throw error;
  }
}

const faultsOf = (random: Random): Faults => ({
  random: random.next,
  delayMs: random.pick([2, 20, 200, 1_000]),
  conflictRate: 0.03,
  throttleRate: 0.02,
  unprocessedRate: 0.05,
  lateRate: 0.15,
  giveUpMs: WRITE_DEADLINE_MS,
  lateMs: LATE_ARRIVAL_MS,
});

/** A write on its way, and the number of the state that it made once it is committed. */
interface Sent {
  readonly operation: Operation;
  state?: number;
  isGivenUp?: boolean;
}

/**
 * What a change of declarations leaves behind: conditions and values that were right when they were
 * written.
 */
const OF_DECLARATIONS = /^(?:condition_invalid|property_misfit) /;

export async function playHistory(
  seed: number,
  tally: HistoryTally,
  options: HistoryOptions = {},
): Promise<void> {
  const { withNodes = false, withOutages = false, withConditions = false, steps = 500 } = options;
  const { withSplits = false } = options;
  const { coherenceMarginMs, story, scene, ahead: aheads } = options;
  const random = createRandom(seed);
  const { names, operations } = furnishSmall(random, withConditions);
  let ids = 0;
  const newId = () => `01J8Z0E2Z8D2A3J7A7Y3${String(++ids).padStart(6, '0')}`;
  const newSecret = () => 'secret';
  const { items, model } = await furnish((story ?? scene)?.operations ?? operations, newId, newSecret);

  const simulation = createSimulation(START + 3_600_000);
  const { now, pass, settle, wait } = simulation;
  const judge = createJudgeByEngine();
  const record = createRecord(seed, now(), model, tally, judge);
  const sentAs = new Map<readonly Action[], Sent>();
  const faults = scene ? undefined : faultsOf(createRandom(seed + 1));
  const table = createMemoryTable({
    items,
    ...(faults && { faults }),
    schedule: simulation.schedule,
    onCommit: (actions) => {
      const sent = sentAs.get(actions);
      // What a migration writes says the same as before.
      if (!sent) return;
      if (sent.state !== undefined) throw new Error(`${sent.operation.command} took several writes`);
      sent.state = record.commit(sent.operation, now());
      if (sent.isGivenUp) tally.late += 1;
    },
  });

  // In one of three histories the clocks are put right now and then.
  const doClocksJump = !scene && random.oneIn(3);
  const clockOf = (fixed: number | undefined) => {
    const draw = () => random.below(CLOCK_SKEW_MS);
    let ahead = fixed ?? draw();
    return {
      now: () => Math.floor(now() + ahead),
      monotonic: now,
      jump: () => {
        ahead = draw();
      },
    };
  };

  /** What a scene holds back until it says so. */
  const pending = new Set<{ readonly what: 'read' | 'write'; readonly release: () => void }>();
  const hold = (what: 'read' | 'write'): Promise<void> =>
    new Promise((resolve) => {
      const one = {
        what,
        release: () => {
          pending.delete(one);
          resolve();
        },
      };
      pending.add(one);
    });
  const pendingAs = (wanted: 'read' | 'write') => [...pending].filter(({ what }) => what === wanted);

  let isDown = false;
  /** What a scene says of the reads that begin now. */
  let pace: Pace = 'at once';
  const newEngine = (number: number) => {
    const clock = clockOf(aheads?.engines);
    const isSmall = !scene && number === 0;
    const one = { number, clock, isSmall, failedAt: Number.NEGATIVE_INFINITY };
    const connected = async <T>(read: () => Promise<T>): Promise<T> => {
      const its = pace;
      try {
        if (isDown) throw new GatehouseError(random.oneIn(2) ? 'transient' : 'throttled', 'DynamoDB is down');
        if (its === 'delayed') await hold('read');
        const found = await read();
        if (its === 'late') await hold('read');
        // A process may be paused between a read and its answer.
        if (!scene && random.oneIn(80)) await wait(random.below(2 * DEFAULT_TTL_MS));
        return found;
      } catch (error) {
        one.failedAt = now();
        throw error;
      }
    };
    const reader: Pick<Reader, 'getMany' | 'getSnapshot'> = {
      getMany: async (keys, notes) => {
        if (pace !== 'torn') return connected(() => table.reader.getMany(keys, notes));
        const isFirst = keys.map(() => random.oneIn(2));
        const found: (Item | undefined)[] = [];
        const readHalf = async (half: boolean) => {
          for (const [position, key] of keys.entries())
            if (isFirst[position] === half) found[position] = await table.reader.get(key);
        };
        return connected(async () => {
          await readHalf(true);
          await hold('read');
          await readHalf(false);
          return found;
        });
      },
      getSnapshot: (keys, notes) => connected(() => table.reader.getSnapshot(keys, notes)),
    };
    const engine: Engine = createEngine({
      reader,
      clock,
      random: () => random.below(100) / 100,
      wait,
      ...(coherenceMarginMs === undefined ? {} : { coherenceMarginMs }),
      ...(isSmall ? { maxBytes: SMALL_CACHE_BYTES } : {}),
      outageTtlMs: withOutages ? OUTAGE_TTL_MS : 0,
    });
    return Object.assign(one, { engine });
  };
  const engines = Array.from({ length: ENGINES }, (_, number) => newEngine(number));

  const writers = Array.from({ length: WRITERS }, () => clockOf(aheads?.writers));
  /** Tokens of the writes that were answered, with the first state that holds them. */
  const tokens: { readonly token: string; readonly state: number }[] = [];

  /** One operation. One that is given up is mostly repeated: until it is known what became of it, in a story. */
  async function write(operation: Operation): Promise<void> {
    const clock = random.pick(writers);
    const operationId = story || random.oneIn(2) ? newId() : undefined;
    const sent: Sent = { operation };
    for (let attempt = 1; ; attempt++) {
      const answer = await simulation.run((awaiting) => {
        const reader = Object.fromEntries(
          Object.entries(table.reader).map(([name, read]) => [
            name,
            (...input: unknown[]) =>
              awaiting(() => (read as (...all: unknown[]) => Promise<unknown>)(...input)),
          ]),
        ) as unknown as Reader;
        const send = (actions: readonly Action[]) =>
          awaiting(async () => {
            sentAs.set(actions, sent);
            if (scene) await hold('write');
            await table.writer.send(actions);
          });
        const provision = createProvisioning({ reader, writer: { send }, clock, newId, newSecret });
        const { command, input } = operation;
        return provision({ command, input, ...(operationId && { operationId }) });
      });
      const { state } = sent;
      if (answer.ok && state !== undefined) {
        tally.writes += 1;
        if (attempt > 1) tally.repeated += 1;
        tokens.push({ token: String(answer.token), state });
        return;
      }
      const code = answer.ok ? 'no commit' : answer.error.code;
      // `stale`: planned anew too often, for others were faster each time. Nothing was written.
      if (isRefusal(code) || code === 'stale') {
        tally.refused += 1;
        return;
      }
      if (code !== 'transient' && code !== 'throttled' && code !== 'contended')
        throw new Error(`${operation.command}: ${JSON.stringify(answer)}`);
      tally.givenUp += 1;
      sent.isGivenUp = true;
      if (operationId === undefined || (!story && random.oneIn(3))) return;
      await wait(random.below(ARRIVAL_MS));
    }
  }

  const changes = [...(story?.changes ?? [])];
  let writing = 0;
  /** A story's next change, once the one before is done; otherwise what chance draws, often two that belong together. */
  const nextChange = (): Operation | undefined => {
    if (story) return writing > 0 ? undefined : changes.shift();
    const begun = changes.shift();
    if (begun) return begun;
    const [current] = record.modelsSince(record.latest());
    const pair = current && random.oneIn(2) ? opposedChanges(random, names, current) : undefined;
    if (pair && random.oneIn(2)) return together(...pair);
    if (pair) changes.push(pair[1]);
    if (pair) return pair[0];
    return (withNodes ? changeInOneWrite : changeOfGrants)(random, names);
  };
  const writeNext = async (): Promise<void> => {
    const operation = nextChange();
    if (!operation) return;
    writing += 1;
    await write(operation);
    writing -= 1;
  };

  /** What a migration does to one decision item that can be split or joined; it is given up where DynamoDB fails. */
  async function migrateOne(): Promise<void> {
    const thresholds = { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 };
    const { reader, writer } = table;
    const [clock, joins] = [random.pick(writers), random.oneIn(3)];
    const wanted = SPLITTINGS.flatMap(({ isDue, isSplit }) =>
      table.items().filter((item) => (joins ? isSplit(item) : !isSplit(item) && isDue(item, thresholds))),
    );
    if (wanted.length === 0) return;
    const splitter = createSplitter({ reader, writer, clock, newId, thresholds, joins });
    await splitter.look(random.pick(wanted)).catch(() => {});
    tally.split += splitter.counts.split;
  }

  // Little shows where everybody asks something else; and while DynamoDB is down only what was asked before is answered.
  const often = Array.from({ length: 6 }, () => ask(random, names));
  const nextQuestion = (): Question => {
    if (story) return random.pick(story.questions);
    return !random.oneIn(withOutages ? 6 : 3) ? random.pick(often) : ask(random, names);
  };

  /**
   * What a strong answer has read stays: for as long as it is cached, no read that began earlier takes its place, so the
   * same engine answers the same question from no earlier state than when the strong one was asked.
   */
  const floors = new Map<Engine, Map<string, { readonly state: number; readonly until: number }>>();
  const floorOf = (engine: Engine, question: Question): number => {
    const floor = floors.get(engine)?.get(JSON.stringify(question));
    return floor && now() < floor.until ? floor.state : 0;
  };

  async function check(
    wish: { readonly engine?: number; readonly kind?: Kind; readonly question?: Question } = {},
  ): Promise<void> {
    const kind = wish.kind ?? (story && !random.oneIn(6) ? 'cached' : random.pick(KINDS));
    const one = engines[wish.engine ?? random.below(ENGINES)] as (typeof engines)[number];
    const { engine, clock } = one;
    const questions = [wish.question ?? nextQuestion()] as [Question, ...Question[]];
    const [first] = questions;
    const isSession = !scene && random.oneIn(8);
    if (!scene && random.oneIn(6)) {
      const other = nextQuestion();
      questions.push(isSession ? { ...first, permission: other.permission } : other);
    }
    const known = wish.kind || random.oneIn(2) ? tokens.at(-1) : tokens.at(-1 - random.below(5));
    if (kind === 'atLeast' && !known) return;
    const consistency: Consistency = kind === 'atLeast' ? { atLeast: known?.token ?? '' } : kind;
    const askedAt = now();
    const asked = record.latest();
    const isKept = !one.isSmall && !doClocksJump;
    const floor = questions.map((question) => (kind === 'cached' && isKept ? floorOf(engine, question) : 0));
    /** Whether an answer of this engine may be of longer ago: a read of its has failed since, or just before. */
    const isOutage = () => withOutages && one.failedAt >= askedAt - RETRY_AFTER_MS - CLOCK_SKEW_MS;
    const boundNow = () =>
      kind === 'cached' && isOutage() ? OUTAGE_TTL_MS : Math.max(DEFAULT_TTL_MS, READ_DEADLINE_MS);
    /** The first state that an answer that comes now may be of. */
    const firstOf = (bound: number, slackMs: number): number =>
      Math.max(
        record.after(now() - bound - (doClocksJump ? slackMs : 0)),
        kind === 'atLeast' ? (known?.state ?? 0) : 0,
      );
    /** Compares answers as they come. */
    const compareAll = (answers: readonly Decision[]): void => {
      const bound = boundNow();
      const isOutage = bound === OUTAGE_TTL_MS;
      const since = kind === 'strong' ? asked : firstOf(bound, CLOCK_TOLERANCE_MS);
      for (const [position, question] of questions.entries()) {
        const answer = answers[position] as Decision;
        const lately = isOutage ? record.modelsSince(firstOf(DEFAULT_TTL_MS, CLOCK_TOLERANCE_MS)) : [];
        if (isOutage && lately.every((then) => judge(then, question).reason !== answer.reason))
          tally.bridged += 1;
        record.compare(
          kind,
          isOutage ? ' while DynamoDB is down' : '',
          question,
          answer,
          Math.max(since, floor[position] ?? 0),
        );
      }
      if (kind === 'strong') {
        const reasons = answers.map(({ reason }) => reason).join();
        record.compareTogether(kind, first, reasons, asked, (then) =>
          questions.map((question) => judge(then, question).reason).join(),
        );
        const its = floors.get(engine) ?? new Map();
        floors.set(engine, its);
        for (const question of questions)
          its.set(JSON.stringify(question), { state: asked, until: askedAt + KEPT_MS });
      }
    };
    const { subject, scope, permission, at, given } = first;
    try {
      if (!scene && kind === 'strong' && random.oneIn(4)) {
        // All that the subject may do there: few enough permissions to be decided at one instant.
        const lists = createLists({ reader: table.reader, engine, clock, budgetMs: Number.MAX_SAFE_INTEGER });
        const { items: shown } = await lists.listPermissions(subject, scope, { at, consistency, ...given });
        tally.lists += 1;
        // One that was registered meanwhile may be missing.
        const registered = record
          .modelsSince(asked)
          .map((then) => then.permissions.map(({ name }) => name))
          .reduce((all, some) => all.filter((name) => some.includes(name)));
        const all = [...new Set([...registered, ...shown])].sort();
        const reported = all.filter((name) => shown.includes(name)).join();
        record.compareTogether('strong list', first, reported, asked, (then) =>
          all.filter((name) => judge(then, { ...first, permission: name }).allowed).join(),
        );
      } else if (isSession) {
        const permissions = questions.map((question) => question.permission);
        const session = await engine.session(subject, scope, { permissions, at, consistency, ...given });
        compareAll(permissions.map((name) => session.decide(name)));
        looks.add(lookLater(session, boundNow()).catch((error: unknown) => void failures.push(error)));
      } else if (questions.length > 1) {
        compareAll((await engine.checkMany(questions, { consistency })).decisions);
      } else if (random.oneIn(4)) {
        const { decision, roles } = await engine.checkWithRoles(subject, permission, scope, {
          at,
          consistency,
          ...given,
        });
        compareAll([decision]);
        const since = kind === 'strong' ? asked : firstOf(boundNow(), CLOCK_TOLERANCE_MS);
        const rolesText = (tenant?: string, roles: readonly string[] = []) =>
          `${tenant} ${[...roles].sort()}`;
        if (decision.allowed)
          record.compareTogether(
            `${kind} roles`,
            first,
            rolesText(roles?.tenant, roles?.roles),
            since,
            (then) => {
              const right = judge(then, first).allowed ? rolesAt(then, first) : undefined;
              return rolesText(right?.tenant, right?.roles);
            },
          );
      } else compareAll([await engine.check(subject, permission, scope, { at, consistency, ...given })]);
    } catch (error) {
      const { code } = error as { code?: string };
      // `stale`: a process stood still so long that the session was over before it was there.
      if (code === 'contended' || code === 'stale') tally.contended += 1;
      else if (code === 'throttled' || (code === 'transient' && one.failedAt >= askedAt)) tally.failed += 1;
      else if (code === 'damaged_item')
        record.fault(kind, first, code, firstOf(boundNow(), CLOCK_TOLERANCE_MS));
      else throw error;
    }

    /** A session answers to its last millisecond, within the bound that counts from then, and not after. */
    async function lookLater(session: Session, bound: number): Promise<void> {
      const left = () => session.expiresAt - clock.now();
      await wait(left() - 1);
      for (const question of questions) {
        if (left() <= 0) continue;
        tally.sessions += 1;
        const since = firstOf(bound, CLOCK_SKEW_MS);
        const decision = decisionIn(session, question.permission);
        // A clock that was set back has ended it.
        if (decision === undefined) return;
        record.compare(kind, ' in a session', question, decision, since);
      }
      await wait(left());
      if (left() > 0) return;
      for (const question of questions)
        if (session.can(question.permission)) throw new Error('a session allows beyond its end');
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
    await settle();
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
      pendingAs('write')[0]?.release();
      await settle();
    },
    answerReads: async () => {
      for (const one of pendingAs('read')) one.release();
      await settle();
    },
  };
  /** One step that chance has drawn. */
  async function step(): Promise<void> {
    if (withOutages && random.oneIn(40)) isDown = !isDown;
    if (doClocksJump && random.oneIn(20))
      random.pick([...engines.map(({ clock }) => clock), ...writers]).jump();
    if (random.oneIn(60)) {
      const number = random.below(ENGINES);
      engines[number] = newEngine(number);
    }
    if (withSplits && random.oneIn(6)) await start(migrateOne);
    const written = tokens.length;
    const what = random.below(13);
    if (what < 5 && running.size < MAX_RUNNING) await start(check);
    else if (what < 7 && running.size < MAX_RUNNING) await start(writeNext);
    else if (what < 10) await pass((faults?.delayMs ?? 1) * random.next());
    else if (what < 12) await pass(random.below(2_000));
    else await pass(random.oneIn(4) ? random.between(10_000, 70_000) : random.between(2_000, 8_000));
    // Whoever has written looks at once whether it shows.
    if (tokens.length > written && random.oneIn(2)) await start(() => check({ kind: 'atLeast' }));
  }
  try {
    for (let n = 0; n < (scene?.times ?? steps) && failures.length === 0; n++)
      await (scene ? scene.play(hands) : step());
    isDown = false;
    while (running.size > 0 && failures.length === 0) {
      for (const one of pending) one.release();
      await pass(1_000);
    }
    await pass(2 * OUTAGE_TTL_MS);
    await Promise.all(looks);
    if (failures.length > 0) throw failures[0];
    // Whatever came late or in another order: what is repeated in the table agrees.
    const found = await findingsIn(table.items(), { now });
    const findings = found.filter((each) => !OF_DECLARATIONS.test(each));
    if (findings.length > 0) throw new Error(findings.join('\n'));
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** A table on which these operations were carried out, and the model of it. */
async function furnish(
  operations: readonly Operation[],
  newId: () => string,
  newSecret: () => string,
): Promise<{ readonly items: readonly Item[]; readonly model: Model }> {
  const { reader, writer, items } = createMemoryTable();
  const provision = createProvisioning({ reader, writer, clock: { now: () => START }, newId, newSecret });
  const model = emptyModel();
  for (const { command, input, apply } of operations) {
    const answer = await provision({ command, input });
    // Chance draws conditions that are refused for their types.
    if (!answer.ok && answer.error.field === 'when') continue;
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
    apply(model);
  }
  return { items: items(), model };
}
