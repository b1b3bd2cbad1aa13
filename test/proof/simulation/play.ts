import type { Authorizer } from '../../../authorizer/authorizer.ts';
import { createHandlerFrom } from '../../../authorizer/index.ts';
import {
  createEngine,
  createLists,
  DEFAULT_TTL_MS,
  type Decision,
  type Engine,
  type Session,
} from '../../../engine/index.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createSplitter, SPLITTINGS } from '../../../provisioning/migrate/split.ts';
import { GatehouseError } from '../../../table/errors.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import type { Reader } from '../../../table/reader.ts';
import { CLOCK_SKEW_MS, READ_DEADLINE_MS } from '../../../table/timing.ts';
import { type Action, keyOf } from '../../../table/write/action.ts';
import { findingsOn } from '../../provisioning/findings.ts';
import { SECRET } from '../oracle/acting.ts';
import { ISSUER } from '../oracle/generate.ts';
import type { Model, Question } from '../oracle/model.ts';
import type { Operation } from '../oracle/operations.ts';
import { rolesAt } from '../oracle/oracle.ts';
import { createRandom } from '../oracle/random.ts';
import { isRefusal } from '../oracle/stage.ts';
import { AUDIENCE, type Callers } from './callers.ts';
import { BEGIN, type Doing, type History, type Step } from './history.ts';
import { differencesOf, migratedItemsIn, modelIn, unfinishedIn } from './items.ts';
import { isPageOf, type Listed } from './lists.ts';
import { type Caller, createNetwork, mix } from './network.ts';
import { type Plant, withPlant } from './plants.ts';
import { createRecord, type Judge, type Tally, type Violation, withoutGroups } from './record.ts';
import { askAuthorizer, createRequests } from './requests.ts';
import { createTime } from './time.ts';
import { createIds, type SmallNames, type World } from './worlds.ts';

export interface PlayOptions {
  readonly history: History;
  readonly world: World;
  readonly judge: Judge;
  readonly tally: Tally;
  /** For requests: who sends them. */
  readonly callers?: { readonly all: Callers; readonly names: SmallNames } | undefined;
  readonly plant?: Plant | undefined;
  /** What the engines take for their margin; theirs when left out. */
  readonly coherenceMarginMs?: number | undefined;
  /** Calls that go as they mostly do, though chance has drawn something else. */
  readonly spared?: ReadonlySet<string> | undefined;
  /** Told what happens, line by line, with the milliseconds since the history began. */
  readonly onEvent?: ((at: number, text: string) => void) | undefined;
}

export interface Played {
  readonly violations: readonly Violation[];
  /** The calls that went as they seldom do. */
  readonly faulty: readonly string[];
}

/** Until then nothing begins or ends by time. */
const UNCHANGED_MS = 3_000_000;
/** What the engines take for their second bound, in histories with outages. */
export const OUTAGE_TTL_MS = 300_000;
/** So long after a failure an engine may still answer as if DynamoDB were down. */
const RETRY_AFTER_MS = 1_000;
/** For so long at least an engine answers from what it has read. */
const KEPT_MS = 0.9 * DEFAULT_TTL_MS;
/** By how much a clock may go back before it is noticed. */
const CLOCK_TOLERANCE_MS = 21;
/** Commands that take several transactions where one is too small. */
const STEPWISE: ReadonlySet<string> = new Set(['scope.move', 'scope.delete-tree']);
/** Codes after which it is not known whether a write was carried out, or it was not, by bad luck. */
const UNKNOWN: ReadonlySet<string> = new Set(['transient', 'throttled', 'contended', 'unfinished']);

/** Everything that can stand apart is to. */
const ALL_SPLIT = { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 };

/**
 * Whether a transaction writes the record of its operation and nothing else: a deletion that is tried again and finds that
 * another one was faster. What was created under the same id since it has looked stays.
 */
const writesOnlyItsRecord = (actions: readonly Action[]): boolean =>
  actions.every((action) => keyOf(action).PK.startsWith('OPERATION#'));

/** A write on its way, with what became of it. */
interface Sent {
  readonly operation: Operation;
  /** The last state that it made. */
  state?: number;
  commits: number;
  isGivenUp: boolean;
  answer?: 'ok' | 'refused';
}

/**
 * What a change of declarations leaves behind: conditions and values that were right when they were
 * written.
 */
const OF_DECLARATIONS = /^(?:condition_invalid|property_misfit) /;

/** Plays a history from its beginning to the end, and says what of it must not be. */
export async function play(options: PlayOptions): Promise<Played> {
  const time = createTime(BEGIN);
  try {
    return await playIn(time, options);
  } finally {
    time.stop();
  }
}

async function playIn(time: ReturnType<typeof createTime>, options: PlayOptions): Promise<Played> {
  const { history, world, judge, tally, callers, plant, coherenceMarginMs, spared, onEvent } = options;
  const { seed, steps, withOutages, doClocksJump } = history;
  const { now, wait } = time;
  const record = createRecord(now(), world.model, tally, judge);
  const note = (text: string): void => onEvent?.(now() - BEGIN, text);
  tally.histories += 1;

  const sentAs = new Map<readonly Action[], Sent>();
  const table = createMemoryTable({
    items: world.items,
    sharesItems: true,
    onCommit: (actions) => {
      const sent = sentAs.get(actions);
      if (!sent) return;
      const { command, input, apply } = sent.operation;
      const text = `${command} ${JSON.stringify(input)}`;
      sent.commits += 1;
      if (sent.commits === 2) tally.stepwise += 1;
      sent.state = STEPWISE.has(command)
        ? record.commitStep(text, now(), modelIn(table.items(), record.model()))
        : record.commit(text, now(), writesOnlyItsRecord(actions) ? () => {} : apply);
      if (sent.isGivenUp) tally.late += 1;
      note(`committed ${text}`);
    },
  });

  let isDown = false;
  const faulty: string[] = [];
  const network = createNetwork({
    time,
    seed,
    network: history.network,
    isDown: () => isDown,
    table,
    isSpared: (call) => spared?.has(call) ?? false,
    onFault: (call, what) => {
      faulty.push(call);
      note(`${call.split(' at ')[0]}: this ${what}`);
    },
  });

  const rotations: { readonly from: number; readonly keys: readonly number[] }[] = [
    { from: Number.NEGATIVE_INFINITY, keys: callers?.all.keysOf(0) ?? [] },
  ];
  const requests = callers && createRequests(callers.all.of(callers.names), callers.names);

  // Not anew for each life: ids are never the same.
  const ids = history.processes.map((_, number) => createIds('ABCDEGHJK'.charAt(number)));
  const newProcess = (
    number: number,
    caller: Caller & { life: number; frozenUntil: number },
    ahead: { ms: number },
  ) => {
    const clock = { now: () => Math.floor(now() + ahead.ms), monotonic: now };
    const { maxBytes } = history.processes[number] ?? {};
    const checking = network.connect(caller, true);
    const administering = network.connect(caller, false);
    const random = createRandom(mix(seed, number, caller.life));
    const thawedWait = async (milliseconds: number): Promise<void> => {
      const { life } = caller;
      await wait(milliseconds);
      await checking.delivered(life);
    };
    const parts = { clock, random: () => random.below(100) / 100, wait: thawedWait };
    const newReader = () => withPlant(checking.reader, plant);
    const engine: Engine = createEngine({
      ...parts,
      reader: newReader(),
      ...(coherenceMarginMs === undefined ? {} : { coherenceMarginMs }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      outageTtlMs: withOutages ? OUTAGE_TTL_MS : 0,
    });
    let authorizer: Authorizer | undefined;
    const codes = new Map<string, string>();
    return {
      number,
      caller,
      clock,
      engine,
      administering,
      ahead,
      isSmall: maxBytes !== undefined,
      codes,
      newId: ids[number] as () => string,
      authorizer: (): Authorizer => {
        authorizer ??= createHandlerFrom(environmentOf(number, withOutages), {
          ...parts,
          reader: newReader(),
          log: (line) => {
            const { requestId, code } = JSON.parse(line) as { requestId?: string; code?: string };
            if (requestId !== undefined && code !== undefined) codes.set(requestId, code);
          },
          writeMetrics: () => {},
          fetch: async () => {
            const text = await checking.once(async () => callers?.all.published(rotations.length - 1) ?? '');
            return { status: 200, body: bodyOf(text) };
          },
        });
        return authorizer;
      },
      floors: new Map<Question, { readonly state: number; readonly until: number }>(),
    };
  };
  const processes = history.processes.map(({ aheadMs }, number) =>
    newProcess(
      number,
      { number, life: 0, frozenUntil: 0, pace: undefined, failedAt: Number.NEGATIVE_INFINITY },
      { ms: aheadMs },
    ),
  );
  type Process = (typeof processes)[number];
  const processOf = (number: number): Process => processes[number] as Process;

  /** What goes on, by process. */
  const running = processes.map(() => new Set<Promise<void>>());
  const looks = new Set<Promise<void>>();
  const failed = (error: unknown): void =>
    record.violate('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
  const start = (number: number, work: () => Promise<void>): void => {
    const those = running[number] as Set<Promise<void>>;
    const one: Promise<void> = work()
      .catch(failed)
      .finally(() => those.delete(one));
    those.add(one);
  };

  const commandsOn = (
    of: Pick<Parameters<typeof createProvisioning>[0], 'reader' | 'writer' | 'clock' | 'newId'>,
  ) => createProvisioning({ ...of, newSecret: () => SECRET, sleep: wait });

  /** Tokens of the writes that were answered, with the first state that holds them. */
  const tokens: { readonly token: string; readonly state: number }[] = [];
  const writes: Sent[] = [];
  /** Writes that others wait for. */
  const written = new Map<Step, Promise<void>>();

  /** One operation. One that is given up may be sent again, until it is known what became of it. */
  async function write(step: Step & { does: 'write' }, number: number): Promise<void> {
    const { operation, isNamed, againAfter } = step;
    if (step.after) await written.get(step.after);
    const process = processOf(number);
    const { caller, clock, newId } = process;
    const sent: Sent = { operation, commits: 0, isGivenUp: false };
    writes.push(sent);
    const send = (actions: readonly Action[]): Promise<void> => {
      const planted = plant?.send?.(actions) ?? actions;
      sentAs.set(planted, sent);
      return process.administering.writer.send(planted);
    };
    const { reader } = process.administering;
    const provision = commandsOn({ reader, writer: { send }, clock, newId });
    const { command, input } = operation;
    const operationId = isNamed || againAfter !== undefined ? newId() : undefined;
    for (let attempt = 1; ; attempt++) {
      const answer = await provision({ command, input, ...(operationId && { operationId }) });
      note(`process ${number}: ${command} ${answer.ok ? 'is answered' : `fails: ${answer.error.code}`}`);
      if (answer.ok) {
        if (sent.state === undefined) throw new Error(`${command} is answered, and was not committed`);
        sent.answer = 'ok';
        tally.writes += 1;
        if (attempt > 1) tally.repeated += 1;
        tokens.push({ token: String(answer.token), state: sent.state });
        if (step.thenAsk && processOf(number).caller.life === caller.life)
          start(number, () =>
            check({ ...ASK_AT_LEAST, of: number, questions: [step.thenAsk as Question] }, number),
          );
        return;
      }
      const { code } = answer.error;
      // `stale`: planned anew too often, for others were faster each time. Nothing was written.
      if (isRefusal(code) || code === 'stale') {
        if (!sent.isGivenUp) sent.answer = 'refused';
        tally.refused += 1;
        return;
      }
      if (!UNKNOWN.has(code)) throw new Error(`${command}: ${JSON.stringify(answer)}`);
      tally.givenUp += 1;
      sent.isGivenUp = true;
      if (againAfter === undefined) return;
      await wait(againAfter);
      await process.administering.delivered(caller.life);
    }
  }

  /** A list is what there was at an instant since it was asked for, and no longer than a page. */
  async function list({ list: asked }: Step & { does: 'list' }, number: number): Promise<void> {
    const { clock, newId, administering } = processOf(number);
    const { command, input } = asked;
    const first = record.latest();
    const { reader, writer } = administering;
    const answer = await commandsOn({ reader, writer, clock, newId })({ command, input });
    const about = `process ${number}: ${command} ${JSON.stringify(input)}`;
    note(
      `${about} ${answer.ok ? `is answered ${JSON.stringify(answer.result)}` : `fails: ${answer.error.code}`}`,
    );
    if (!answer.ok) {
      if (!UNKNOWN.has(answer.error.code)) record.violate('list', `${about}: ${answer.error.message}`);
      return;
    }
    tally.pages += 1;
    const listed = answer.result as unknown as Listed;
    const shown = listed.items.map(asked.nameOf).join();
    record.compareTogether('list', about, shown, first, (then) =>
      isPageOf(asked, listed, then) ? shown : asked.namesIn(then).join(),
    );
  }

  /** Goes on with what others have begun and not ended. */
  async function resume(number: number): Promise<void> {
    for (const { command, input } of unfinishedIn(table.items())) {
      tally.resumed += 1;
      const operation: Operation = { command, input, apply: () => {} };
      const step = { at: 0, does: 'write', of: number, operation, isNamed: false } as const;
      await write(step, number);
    }
  }

  /** What says the same before and after. It is given up where DynamoDB fails. */
  async function migrate({ joins, item }: Step & { does: 'migrate' }, number: number): Promise<void> {
    const { clock, newId, administering } = processOf(number);
    const items = migratedItemsIn(table.items());
    const wanted = SPLITTINGS.flatMap(({ isDue, isSplit }) =>
      items.filter((each) => (joins ? isSplit(each) : !isSplit(each) && isDue(each, ALL_SPLIT))),
    );
    const chosen = wanted[item % wanted.length];
    if (!chosen) return;
    const splitter = createSplitter({ ...administering, clock, newId, thresholds: ALL_SPLIT, joins });
    await splitter.look(chosen).catch((error: unknown) => {
      if (!(error instanceof GatehouseError && UNKNOWN.has(error.code))) throw error;
    });
    tally.split += splitter.counts.split;
  }

  /** Whether an answer of this process may be of longer ago: a read of its has failed since, or just before. */
  const isOutage = ({ caller }: Process, askedAt: number): boolean =>
    withOutages && caller.failedAt >= askedAt - RETRY_AFTER_MS - CLOCK_SKEW_MS;
  const boundOf = (process: Process, askedAt: number, isCached: boolean): number =>
    isCached && isOutage(process, askedAt) ? OUTAGE_TTL_MS : Math.max(DEFAULT_TTL_MS, READ_DEADLINE_MS);
  /** The first state that an answer that comes now may be of. */
  const firstOf = (bound: number, slackMs = CLOCK_TOLERANCE_MS): number =>
    record.after(now() - bound - (doClocksJump ? slackMs : 0));

  /** One question, or several at once. */
  async function check(step: Doing & { does: 'ask' }, number: number): Promise<void> {
    const process = processOf(number);
    const { engine, clock, floors, isSmall, caller } = process;
    const { by, consistency: kind, questions } = step;
    const [first] = questions;
    const known = tokens.at(-1 - step.writesAgo) ?? tokens.at(-1);
    if (kind === 'atLeast' && !known) return;
    const consistency = kind === 'atLeast' ? { atLeast: known?.token ?? '' } : kind;
    const askedAt = now();
    const asked = record.latest();
    /**
     * What a strong answer has read stays: for as long as it is cached, no read that began earlier takes its place, so
     * the same engine answers the same question from no earlier state than when the strong one was asked.
     */
    const floorOf = (question: Question): number => {
      const floor = kind === 'cached' && !isSmall && !doClocksJump ? floors.get(question) : undefined;
      return floor && now() < floor.until ? floor.state : 0;
    };
    const floor = questions.map(floorOf);
    const since = (bound: number): number => {
      if (kind === 'strong') return asked;
      return Math.max(firstOf(bound), kind === 'atLeast' ? (known?.state ?? 0) : 0);
    };
    /** Compares answers as they come. */
    const compareAll = (answers: readonly Decision[]): void => {
      const bound = boundOf(process, askedAt, kind === 'cached');
      for (const [position, question] of questions.entries()) {
        const answer = answers[position] as Decision;
        note(`process ${number}: ${by} ${kind} ${JSON.stringify(question)} is answered ${answer.reason}`);
        const isBridged = bound === OUTAGE_TTL_MS;
        const lately = isBridged ? record.modelsSince(firstOf(DEFAULT_TTL_MS)) : [];
        if (isBridged && lately.every((then) => record.truth(then, question).reason !== answer.reason))
          tally.bridged += 1;
        const how = isBridged ? ' while DynamoDB is down' : '';
        record.compare(kind, how, question, answer, Math.max(since(bound), floor[position] ?? 0));
      }
      if (kind !== 'strong') return;
      const reasons = answers.map(({ reason }) => reason).join();
      record.compareTogether('strong, together', JSON.stringify(questions), reasons, asked, (then) =>
        questions.map((question) => record.truth(then, question).reason).join(),
      );
      for (const question of questions) floors.set(question, { state: asked, until: askedAt + KEPT_MS });
    };
    const asIs = ({
      isNow,
      ...question
    }: Question): Omit<Question, 'at'> & { readonly at: number | undefined } => {
      if (!isNow) return question;
      if (now() < BEGIN + UNCHANGED_MS) return { ...question, at: undefined };
      // Of now nobody has said `context.time`.
      const context = { time: undefined, ...question.given?.context };
      return { ...question, given: { ...question.given, context } };
    };
    const { subject, scope, permission, at, given, groups, actor } = asIs(first);
    const options = { at, groups, actor, consistency, ...given };
    try {
      if (by === 'list') {
        // All that the subject may do there: few enough permissions to be decided at one instant.
        const { reader } = process.administering;
        const lists = createLists({ reader, engine, clock, budgetMs: Number.MAX_SAFE_INTEGER });
        const { items: shown } = await lists.listPermissions(subject, scope, { at, consistency, ...given });
        tally.lists += 1;
        // One that was registered meanwhile may be missing.
        const registered = record
          .modelsSince(asked)
          .map((then) => then.permissions.map(({ name }) => name))
          .reduce((all, some) => all.filter((name) => some.includes(name)));
        const all = [...new Set([...registered, ...shown])].sort();
        const reported = all.filter((name) => shown.includes(name)).join();
        record.compareTogether('strong list', JSON.stringify(first), reported, asked, (then) =>
          // Groups of a token count in no search.
          all
            .filter(
              (name) => withoutGroups(judge)(then, { ...first, actor: undefined, permission: name }).allowed,
            )
            .join(),
        );
      } else if (by === 'session') {
        const permissions = questions.map((question) => question.permission);
        const session = await engine.session(subject, scope, { permissions, ...options });
        compareAll(permissions.map((name) => session.decide(name)));
        const look: Promise<void> = lookLater(session, boundOf(process, askedAt, kind === 'cached'))
          .catch(failed)
          .finally(() => looks.delete(look));
        looks.add(look);
      } else if (by === 'many')
        compareAll((await engine.checkMany(questions.map(asIs), { consistency })).decisions);
      else if (by === 'roles') {
        const { decision, roles } = await engine.checkWithRoles(subject, permission, scope, options);
        compareAll([decision]);
        const text = (tenant?: string, ids: readonly string[] = []) => `${tenant} ${[...ids].sort()}`;
        const bound = boundOf(process, askedAt, kind === 'cached');
        if (decision.allowed)
          record.compareTogether(
            ...([`${kind} roles`, JSON.stringify(first), text(roles?.tenant, roles?.roles)] as const),
            since(bound),
            (then) => {
              const right = record.truth(then, first).allowed ? rolesAt(then, first) : undefined;
              return text(right?.tenant, right?.roles);
            },
          );
      } else compareAll([await engine.check(subject, permission, scope, options)]);
    } catch (error) {
      const { code } = error as { code?: string };
      note(`process ${number}: ${by} ${kind} ${JSON.stringify(first)} fails: ${code ?? String(error)}`);
      // `stale`: a process stood still so long that the session was over before it was there.
      if (code === 'contended' || code === 'stale') tally.contended += 1;
      else if ((code === 'throttled' || code === 'transient') && caller.failedAt >= askedAt)
        tally.failed += 1;
      else throw error;
    }

    /** A session answers to its last millisecond, within the bound that counts from then, and not after. */
    async function lookLater(session: Session, bound: number): Promise<void> {
      const left = () => session.expiresAt - clock.now();
      await wait(left() - 1);
      for (const question of questions) {
        if (left() <= 0) continue;
        tally.sessions += 1;
        const decision = decisionIn(session, question.permission);
        // A clock that was set back has ended it.
        if (decision === undefined) return;
        record.compare(kind, ' in a session', question, decision, firstOf(bound, CLOCK_SKEW_MS));
      }
      await wait(left());
      if (left() > 0) return;
      for (const question of questions)
        if (session.can(question.permission))
          record.violate('session', `a session allows beyond its end: ${JSON.stringify(question)}`);
    }
  }

  /** A request that reaches an authorizer. */
  async function request(step: Step & { does: 'request' }, number: number): Promise<void> {
    if (!requests) return;
    const process = processOf(number);
    const askedAt = now();
    const keys = rotations.at(-1)?.keys ?? [];
    const key = keys.at(-1 - step.keyAge) ?? rotations.at(-2)?.keys[0] ?? keys[0] ?? 0;
    const id = `${number}-${process.newId()}`;
    const asked = requests.ask(step, key, number, id);
    const answer = await askAuthorizer(process.authorizer(), asked);
    const about = `process ${number}: ${asked.text}`;
    note(`${about} is answered ${answer.outcome}`);
    tally.requests += 1;
    if (answer.outcome === 'fault') {
      const code = process.codes.get(id) ?? 'unknown';
      if (code === 'contended') tally.contended += 1;
      else if (code === 'keys_unavailable' && process.caller.failedAt > Number.NEGATIVE_INFINITY)
        tally.failed += 1;
      else if ((code === 'throttled' || code === 'transient') && process.caller.failedAt >= askedAt)
        tally.failed += 1;
      else record.violate('fault', `${about}: ${code}`);
      return;
    }
    const wasPublished = requests.wasPublished(rotations, key, now());
    if (answer.outcome === 'unauthorized') tally.unauthorized += 1;
    if (asked.isJwt && answer.outcome === 'unauthorized' && !wasPublished.throughout) return;
    if (asked.isJwt && answer.outcome !== 'unauthorized' && !wasPublished.ever)
      record.violate('keys', `${about} is answered ${answer.outcome}; its key is withdrawn for long`);
    const first = firstOf(boundOf(process, askedAt, true));
    const at = now();
    const compare = (kind: string, text: string, shown: string, truthAt: (then: Model) => string): void => {
      const isUnknown = shown.endsWith('_unknown');
      const states = record.modelsSince(first);
      if (isUnknown && states.some(asked.isAbsent)) return;
      // A token goes with its subject: whoever has read one of them before finds the other gone, and refuses.
      const isOfNobody = shown === 'subject_unknown' || shown === 'unauthorized';
      if (isOfNobody && states.some((then) => !asked.hasSubject(then))) return;
      record.compareTogether(kind, text, shown, first, truthAt);
    };
    if (answer.allows === undefined) {
      const isByGroups = answer.outcome !== asked.truthAt(record.model(), at, withoutGroups(judge));
      if (answer.outcome === 'role' && isByGroups) tally.byGroups += 1;
      compare('request', about, answer.outcome, (then) => asked.truthAt(then, at, judge));
      return;
    }
    tally.policies += 1;
    for (const other of requests.others(step, key, number, id)) {
      const shown = answer.allows(other.arn) ? 'allowed' : 'denied';
      compare('policy', `${about}, and says of ${other.text}`, shown, (then) =>
        ALLOWED.has(other.truthAt(then, at, judge)) ? 'allowed' : 'denied',
      );
    }
  }

  function crash(number: number): void {
    tally.crashes += 1;
    const { caller, ahead } = processOf(number);
    const { failedAt } = caller;
    Object.assign(caller, { life: caller.life + 1, frozenUntil: 0 });
    (running[number] as Set<Promise<void>>).clear();
    const fresh = { number, life: caller.life, frozenUntil: 0, pace: undefined, failedAt };
    processes[number] = newProcess(number, fresh, ahead);
  }

  /** Begins a step; how its calls go, it may say itself. */
  async function begin(step: Step): Promise<void> {
    if (step.does === 'outage') {
      isDown = step.isDown;
      note(isDown ? 'DynamoDB is down for checks' : 'DynamoDB is well');
      return;
    }
    if (step.does === 'rotate keys') {
      tally.rotations += 1;
      rotations.push({ from: now(), keys: callers?.all.keysOf(rotations.length) ?? [] });
      note(`the issuer publishes keys ${rotations.at(-1)?.keys}`);
      return;
    }
    const { of } = step;
    const { caller, ahead } = processOf(of);
    if (step.does === 'crash') {
      note(`process ${of} crashes and begins anew`);
      return crash(of);
    }
    if (step.does === 'freeze') {
      tally.freezes += 1;
      note(`process ${of} stands still for ${step.milliseconds} ms`);
      Object.assign(caller, { frozenUntil: now() + step.milliseconds });
      return;
    }
    if (step.does === 'set clock') {
      ahead.ms = step.aheadMs;
      note(`process ${of}: its clock is ${step.aheadMs} ms ahead`);
      return;
    }
    // Whoever stands still begins nothing.
    if (caller.frozenUntil > now()) return;
    if (step.does === 'list') return start(of, () => list(step, of));
    if (step.does === 'resume') return start(of, () => resume(of));
    if (step.does === 'migrate') return start(of, () => migrate(step, of));
    note(`process ${of}: ${describeStep(step)}`);
    if (step.does === 'request') return start(of, () => request(step, of));
    Object.assign(caller, { pace: step.pace });
    if (step.does === 'ask') start(of, () => check(step, of));
    else {
      const done = new Promise<void>((resolve) => start(of, () => write(step, of).finally(resolve)));
      written.set(step, done);
    }
    if (step.pace === undefined) return;
    await time.settle();
    Object.assign(caller, { pace: undefined });
  }

  for (const step of steps) {
    await time.passUntil(BEGIN + step.at);
    await begin(step);
    await time.settle();
    if (record.violations.length > 0) return { violations: record.violations, faulty };
  }
  isDown = false;
  for (let n = 0; running.some(({ size }) => size > 0) && record.violations.length === 0; n++) {
    if (n > PATIENCE_S) record.violate('hangs', 'something never ends');
    await time.pass(1_000);
  }
  await time.pass(2 * OUTAGE_TTL_MS);
  if (record.violations.length === 0) await judgeTable();
  return { violations: record.violations, faulty };

  /** Whatever came late or in another order: what the table holds agrees, with itself and with what was answered. */
  async function judgeTable(): Promise<void> {
    for (const { operation, commits, answer, isGivenUp } of writes) {
      const { command, input } = operation;
      // What takes several steps may be taken back by others after the first.
      const isWrong =
        (answer === 'ok' && commits === 0) ||
        (!STEPWISE.has(command) && commits > (answer === 'refused' ? 0 : 1));
      if (isWrong)
        record.violate(
          'exactly once',
          `${command} ${JSON.stringify(input)} was answered ${answer ?? 'not'} and committed ${commits} times${isGivenUp ? ', after it was given up' : ''}`,
        );
    }
    if (seed % COMPARED_ONE_IN !== 0 && !steps.some(isStepwise)) return;
    await finish();
    for (const text of differencesOf(record.model(), modelIn(table.items(), record.model())))
      record.violate('effect', text);
    if (seed % VERIFIED_ONE_IN !== 0) return;
    const found = await findingsOn({ reader: table.reader, clock: { now } });
    for (const finding of found) if (!OF_DECLARATIONS.test(finding)) record.violate('table', finding);
  }

  /** Ends what was begun and not ended, when everything goes well. */
  async function finish(): Promise<void> {
    const { reader } = table as { reader: Reader };
    const newId = createIds('M');
    for (let request = 0; request < MOST_UNFINISHED; request++) {
      // To end one may end others: a tree is deleted with what had begun to be deleted in it.
      const open = unfinishedIn(table.items());
      if (open.length === 0) return;
      const refusals: string[] = [];
      for (const { command, input } of open) {
        const clock = { now: () => Math.floor(now()) };
        const provision = commandsOn({ reader, writer: table.writer, clock, newId });
        const answer = await provision({ command, input });
        record.commitStep('what was begun is ended', now(), modelIn(table.items(), record.model()));
        if (answer.ok) break;
        refusals.push(`${command} ${JSON.stringify(input)}: ${answer.error.message}`);
      }
      if (refusals.length === open.length) return record.violate('unfinished', refusals.join('\n'));
    }
    record.violate('unfinished', 'what was begun cannot be ended');
  }
}

/** Of so many histories one ends with a look at all items, and one with a verification, which takes longer than to play it. */
const COMPARED_ONE_IN = 4;
const VERIFIED_ONE_IN = 32;

/** Seconds until what still goes on is said to hang. A command in steps takes many requests where each read is slow. */
const PATIENCE_S = 10_000;

/** More than a history leaves unfinished. */
const MOST_UNFINISHED = 100;

const isStepwise = (step: Step): boolean => step.does === 'write' && STEPWISE.has(step.operation.command);

const ASK_AT_LEAST = { does: 'ask', by: 'check', consistency: 'atLeast', writesAgo: 0 } as const;
const ALLOWED: ReadonlySet<string> = new Set(['role', 'admin']);

/** What a session answers; undefined once it is over. */
function decisionIn(session: Session, permission: string): Decision | undefined {
  try {
    return session.decide(permission);
  } catch (error) {
    if ((error as { code?: string }).code === 'stale') return undefined;
    throw error;
  }
}

function bodyOf(text: string) {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text);
  }
  return Object.assign(chunks(), { cancel: async () => {} });
}

/** The first process answers HTTP APIs, the second REST APIs, for all their routes; the third finds users by email. */
const environmentOf = (number: number, withOutages: boolean): Readonly<Record<string, string>> => ({
  TABLE_NAME: 'gatehouse',
  TOKEN_ISSUERS: JSON.stringify([
    { issuer: ISSUER, audience: AUDIENCE, algorithms: ['ES256'], groupsFrom: 'groups' },
  ]),
  JWKS_STALE_SECONDS: '300',
  REVOCATION: 'session:sid',
  RESULT_CACHE: '{"default":{"ttl":0}}',
  HTTP_ANSWER: 'simple',
  POLICY_COVERS: number === 1 ? 'api' : 'route',
  SUBJECT_FROM: number === 2 ? 'email' : 'claim:sub',
  CACHE_OUTAGE_TTL_SECONDS: withOutages ? String(OUTAGE_TTL_MS / 1_000) : '0',
});

function describeStep(step: Step & { does: 'write' | 'ask' | 'request' }): string {
  if (step.does === 'write') return `sends ${step.operation.command} ${JSON.stringify(step.operation.input)}`;
  if (step.does === 'ask') return `asks ${step.by} ${step.consistency} ${JSON.stringify(step.questions)}`;
  return `is requested ${step.route} ${step.place} by caller ${step.caller}`;
}
