import { DEFAULT_TTL_MS } from '../../../engine/index.ts';
import { CLOCK_SKEW_MS } from '../../../table/timing.ts';
import { endMandate, mandate, setMandateOptional } from '../oracle/acting.ts';
import { START } from '../oracle/generate.ts';
import type { Question } from '../oracle/model.ts';
import type { Operation } from '../oracle/operations.ts';
import * as does from '../oracle/operations.ts';
import { createRandom, type Random } from '../oracle/random.ts';
import { BEGIN, type Consistency, type History, type Pace, type Step } from './history.ts';
import { ARRIVAL_MS } from './network.ts';
import { OUTAGE_TTL_MS } from './play.ts';

/**
 * The "new enemy" of SPEC section 2. In each story Eve is not allowed at any instant; what was cached before
 * one of the changes, put together with what was read after another, would allow her.
 */
const id = (kind: string): string => `01J8Z0E2Z8D2A3J7A7Y2H9${kind}000`;
const [PLACE, ELSEWHERE] = [`location:${id('P')}`, `location:${id('Q')}`];
const [EVE, ZOE] = [`user:${id('E')}`, `user:${id('Z')}`];
const [KEEPERS, KEEPER, LOCK] = [id('G'), id('R'), id('S')];
const VAULT = 'vault';

const furnished = [
  does.register(VAULT),
  does.createScope(PLACE, { combination: 'deny-overrides' }),
  does.createScope(ELSEWHERE, {}),
  does.createRole(KEEPER, 'tenant'),
  does.createRole(LOCK, PLACE),
  does.addEffect(KEEPER, VAULT, 'ALLOW'),
  does.createGroup(KEEPERS, PLACE),
  does.createUser(EVE, 'active', null),
  does.createUser(ZOE, 'active', null),
];

const question = (subject: string, scope: string) => ({ subject, scope, permission: VAULT, at: START });
/** Whoever asks about Eve elsewhere, or about Zoe here, leaves half of what Eve here needs to the cache. */
const half = [question(EVE, ELSEWHERE), question(ZOE, PLACE)];
const questions = [question(EVE, PLACE), ...half, ...half];

const leaves = does.leave(EVE, KEEPERS);
const joins = does.join(EVE, KEEPERS);
const roleComes = does.giveGroupRole(KEEPERS, KEEPER);
const roleGoes = does.takeGroupRole(KEEPERS, KEEPER);
const comes = does.together(does.createUser(EVE, 'active', null), does.grant(EVE, PLACE, [KEEPER]));
const goes = does.deleteSubject(EVE);

/**
 * The same with conditions: they stand in one item, what they look at in others. Whoever asks of Eve about
 * the lobby leaves her properties to the cache, whoever asks of Zoe the condition.
 */
const LOBBY = 'lobby';
const asksFor = (level: string) => `subject.properties.level == '${level}'`;
const conditionIs = (level: string) => does.changeCondition(KEEPER, VAULT, asksFor(level));
const eveIs = (level: string) => does.setSubjectProperties(EVE, { level });
const placeIs = (level: string) => does.setScopeProperties(PLACE, { level });
const declared = (of: string, source = 'stored') => does.declare(of, 'level', 'string', source);
const conditional = (when: string, level: string, source = 'stored') => [
  ...furnished.filter(({ command }) => command !== 'role-permission.create'),
  ...[does.register(LOBBY), declared('subject:user', source), declared('resource:location')],
  ...[does.addEffect(KEEPER, VAULT, 'ALLOW', when), does.grant(EVE, PLACE, [KEEPER]), eveIs(level)],
];
const halvesOfConditions = [{ ...question(EVE, PLACE), permission: LOBBY }, question(ZOE, PLACE)];
const questionsOfConditions = [question(EVE, PLACE), ...halvesOfConditions, ...halvesOfConditions];

/**
 * The same for who acts: Eve's decision, the bot's and the mandate stand apart. Eve may act by nobody else, and the bot for
 * nobody else: whoever asks of these leaves what was decided of either to the cache.
 */
const BOT = `agent:${id('B')}`;
const BY_BOT = { id: 'errand', subject: EVE, actor: BOT };
const ERRAND = mandate({ ...BY_BOT, permissions: [VAULT], scopes: [PLACE], endsAt: BEGIN + 36_000_000 });
const acts = (who: string, by: string, named?: string): Question => ({
  ...question(who, PLACE),
  at: BEGIN,
  isNow: true,
  actor: { subject: by, mandate: named },
});
const withBot = [...furnished, does.createAddedSubject(BOT, 'active', null)];
const botJoins = does.join(BOT, KEEPERS);
const questionsOfActors = (named?: string) => [
  acts(EVE, BOT, named),
  acts(EVE, BOT, named),
  acts(EVE, ZOE),
  acts(ZOE, BOT),
  question(BOT, ELSEWHERE),
  question(ZOE, PLACE),
];

/** How things stand at first, what happens one after the other, and what is asked all the while. */
export interface Story {
  readonly operations: readonly Operation[];
  readonly changes: readonly Operation[];
  readonly questions: readonly Question[];
}

export const STORIES: Readonly<Record<string, Story>> = {
  'one after the other, again and again': {
    operations: [...furnished, joins],
    changes: [1, 2, 3, 4].flatMap(() => [leaves, roleComes, roleGoes, joins]),
    questions,
  },
  'both in one transaction, again and again': {
    operations: [...furnished, joins],
    changes: [1, 2, 3, 4].flatMap(() => [does.together(leaves, roleComes), does.together(roleGoes, joins)]),
    questions,
  },
  'a user loses a role, then the DENY that kept it from counting is lifted': {
    operations: [...furnished, does.addEffect(LOCK, VAULT, 'DENY'), does.grant(EVE, PLACE, [KEEPER, LOCK])],
    changes: [does.regrant(EVE, PLACE, [LOCK]), does.removeEffect(LOCK, VAULT)],
    questions,
  },
  'a condition asks for more, then a user gets the property that it asked for': {
    operations: conditional(asksFor('high'), 'low'),
    changes: [conditionIs('top'), eveIs('high')],
    questions: questionsOfConditions,
  },
  'a condition and a property in one transaction, again and again': {
    operations: conditional(asksFor('high'), 'low'),
    changes: [1, 2, 3, 4].flatMap(() => [
      does.together(conditionIs('top'), eveIs('high')),
      does.together(eveIs('low'), conditionIs('high')),
    ]),
    questions: questionsOfConditions,
  },
  'the properties of a place and of a user, which a condition compares': {
    operations: [
      ...conditional('subject.properties.level == resource.properties.level', 'low'),
      placeIs('high'),
    ],
    changes: [1, 2, 3, 4].flatMap(() => [placeIs('top'), eveIs('high'), eveIs('low'), placeIs('high')]),
    questions: [question(EVE, PLACE), ...half, ...half],
  },
  'a user loses a role, then who acts for her gets one': {
    operations: [...withBot, does.grant(EVE, PLACE, [KEEPER]), ERRAND],
    changes: [1, 2, 3, 4].flatMap(() => [
      ...[does.ungrant(EVE, PLACE), does.grant(BOT, PLACE, [KEEPER])],
      ...[does.ungrant(BOT, PLACE), does.grant(EVE, PLACE, [KEEPER])],
    ]),
    questions: questionsOfActors('mandate:errand'),
  },
  'a mandate ends, then who acts gets a role': {
    operations: [...withBot, does.grant(EVE, PLACE, [KEEPER]), botJoins, ERRAND],
    changes: [endMandate('errand'), roleComes],
    questions: questionsOfActors('mandate:errand'),
  },
  'an agent may not act without a mandate any more, then gets a role': {
    operations: [...withBot, does.grant(EVE, PLACE, [KEEPER]), botJoins, setMandateOptional(BOT, true)],
    changes: [1, 2, 3, 4].flatMap(() => [
      ...[setMandateOptional(BOT, false), roleComes],
      ...[roleGoes, setMandateOptional(BOT, true)],
    ]),
    questions: questionsOfActors(),
  },
  'a property is passed no more, then a condition asks for what is passed': {
    operations: conditional(asksFor('top'), 'low', 'passed'),
    changes: [does.undeclare('subject:user', 'level'), declared('subject:user'), conditionIs('high')],
    questions: questionsOfConditions.map((each) => ({
      ...each,
      given: { subject: { properties: { level: 'high' } } },
    })),
  },
};

/** Questions between the changes of a story. */
const QUESTIONS = 28;
const PROCESSES = 3;

/** A story as a history: each change once the one before is done, sent again until it is. */
export function historyOf(seed: number, { changes, questions }: Story): History {
  const random = createRandom(seed);
  const steps: Step[] = [];
  let last: Step | undefined;
  const length = changes.length * random.pick([300, 3_000, 12_000]);
  for (const [n, operation] of changes.entries()) {
    const sent: Step = {
      at: ((n + random.next()) * length) / changes.length,
      does: 'write',
      of: random.below(PROCESSES),
      operation,
      isNamed: true,
      againAfter: random.below(ARRIVAL_MS),
      after: last,
    };
    last = sent;
    steps.push(sent);
  }
  for (let n = 0; n < QUESTIONS; n++)
    steps.push({
      at: random.next() * (length + 20_000),
      does: 'ask',
      of: random.below(PROCESSES),
      by: 'check',
      consistency: random.oneIn(6) ? random.pick(['strong', 'atLeast'] as const) : 'cached',
      questions: [random.pick(questions)],
      writesAgo: 0,
    });
  return {
    seed,
    withOutages: false,
    doClocksJump: false,
    processes: Array.from({ length: PROCESSES }, () => ({ aheadMs: random.below(CLOCK_SKEW_MS) })),
    network: { delayMs: random.pick([2, 20, 200, 1_000]), withFaults: true },
    steps: steps.sort((a, b) => a.at - b.at),
  };
}

/**
 * Scenes: what takes several things at the same moment, and so seldom comes about by chance. How much time goes by
 * between them, whose clocks are ahead, and what is asked of whom is drawn all the same.
 */
export interface Scene {
  readonly operations: readonly Operation[];
  /** Writes what happens, once. */
  readonly play: (script: Script, times: number) => void;
  /** Whether Eve is allowed at no instant. */
  readonly isClosed: boolean;
  readonly withOutages?: true;
}

/** The script of a scene: what is written happens at the time that it has come to. */
interface Script {
  readonly random: Random;
  /** The process that asks. */
  engine: number;
  readonly pass: (milliseconds: number) => void;
  readonly ask: (kind: Consistency, question: Question, pace?: Pace) => void;
  /** Sends a change, which arrives so many milliseconds later. */
  readonly send: (operation: Operation, arrivesAfter?: number) => void;
  readonly setDown: (isDown: boolean) => void;
}

const LONG = 70_000;
const SHORT = 1_400;
const TIMES = 4;
const AT_PLACE = question(EVE, PLACE);
/** A moment, or none. */
const soon = (random: Random): number => (random.oneIn(3) ? 0 : random.below(SHORT));
/** So short that nothing else happens meanwhile. */
const SOME = 0.01;

/** How a call goes that reads one half when it begins, and the other half later. */
const torn = (random: Random, later: number): Pace => ({
  readsAt: random.pick([
    [0, later],
    [later, 0],
    [0, 0, later],
    [later, later, 0],
  ]),
});
/** How a call goes that reads when it begins, and is answered later. */
const late = (answersAfter: number): Pace => ({ readsAt: [0], answersAfter });

/**
 * A scene as a history.
 *
 * @param ahead by how much the clocks are ahead of those who ask, and of those who write
 */
export function stage(
  seed: number,
  { play, withOutages }: Scene,
  ahead?: { readonly engines: number; readonly writers: number },
): History {
  const random = createRandom(seed);
  const steps: Step[] = [];
  let at = 0;
  const script: Script = {
    random,
    engine: 0,
    pass: (milliseconds) => {
      at += milliseconds;
    },
    ask: (consistency, asked, pace = {}) =>
      steps.push({
        at,
        does: 'ask',
        of: script.engine,
        by: 'check',
        consistency,
        questions: [asked],
        writesAgo: 0,
        pace,
      }),
    // Those who write are others than those who ask: their clocks differ.
    send: (operation, arrivesAfter = 0) =>
      steps.push({
        at,
        does: 'write',
        of: PROCESSES + random.below(PROCESSES),
        operation,
        isNamed: false,
        pace: { arrivesAfter },
      }),
    setDown: (isDown) => steps.push({ at, does: 'outage', isDown }),
  };
  for (let n = 0; n < TIMES; n++) {
    // Everything that is cached is forgotten.
    script.pass(LONG);
    script.engine = ahead ? 0 : random.below(PROCESSES);
    play(script, n);
  }
  const clock = (fixed: number | undefined) => ({ aheadMs: fixed ?? random.below(CLOCK_SKEW_MS) });
  return {
    seed,
    withOutages: withOutages ?? false,
    doClocksJump: false,
    processes: [
      ...Array.from({ length: PROCESSES }, () => clock(ahead?.engines)),
      ...Array.from({ length: PROCESSES }, () => clock(ahead?.writers)),
    ],
    network: { delayMs: 0, withFaults: false },
    steps,
  };
}

/** Two changes of which the first must count before the second, and back again; Eve is allowed at no instant. */
type Pair = readonly [first: Operation, second: Operation];
const ENEMIES: readonly Pair[] = [
  [leaves, roleComes],
  [roleGoes, joins],
];
const CONDITIONAL: readonly Pair[] = [
  [conditionIs('top'), eveIs('high')],
  [eveIs('low'), conditionIs('high')],
];
/** The same with the pairs in turn. */
const inTurn =
  (play: (script: Script, pair: Pair) => void, pairs = ENEMIES): Scene['play'] =>
  (script, n) =>
    play(script, pairs[n % pairs.length] as Pair);
/** Eve's membership goes and comes, in a group that has the role; or another pair of changes. */
const inAndOut =
  (play: (script: Script, change: Operation) => void, pair: Pair = [leaves, joins]): Scene['play'] =>
  (script, n) =>
    play(script, pair[n % 2] as Operation);
const halvesOf = ([first]: Pair): readonly [before: Question, after: Question] => {
  const [elsewhere, zoe] = [question(EVE, ELSEWHERE), question(ZOE, PLACE)];
  return first === leaves ? [elsewhere, zoe] : [zoe, elsewhere];
};

/** The group is deleted and made anew under its id, at another place or at the same one. */
const groupAnew = (place: string) => [does.deleteGroup(KEEPERS), does.createGroup(KEEPERS, place)];

/** One in which Eve is a member at first, of a group without a role; and one in which it has the role. */
const closed = (play: Scene['play'], operations: Scene['operations'] = [...furnished, joins]): Scene => ({
  operations,
  isClosed: true,
  play,
});
const open = (
  play: Scene['play'],
  operations: Scene['operations'] = [...furnished, roleComes, joins],
): Scene => ({ operations, isClosed: false, play });

export const SCENES: Readonly<Record<string, Scene>> = {
  'a role is on its way to a group, and there is another group of its id when it arrives': closed(
    ({ random, ask, send, pass }) => {
      const untilArrival = SHORT + soon(random);
      send(roleComes, untilArrival);
      for (const change of [...groupAnew(ELSEWHERE), joins]) {
        pass(1 + random.below(SHORT / 4));
        send(change);
      }
      pass(untilArrival);
      ask(random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE);
      pass(1);
      for (const change of groupAnew(PLACE)) {
        send(change);
        pass(1);
      }
    },
    furnished,
  ),
  'a deletion is on its way to a user, and there is another user of that id when it arrives': open(
    ({ random, ask, send, pass }) => {
      const untilArrival = SHORT + soon(random);
      send(goes, untilArrival);
      for (const change of [goes, comes]) {
        pass(1 + random.below(SHORT / 4));
        send(change);
      }
      ask('strong', AT_PLACE);
      pass(untilArrival);
      ask(random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE);
      send(comes);
      pass(1);
    },
    [...furnished, does.grant(EVE, PLACE, [KEEPER])],
  ),
  'a write is stamped, then a half is read, then it arrives': closed(
    inTurn(({ random, ask, send, pass }, [first, second]) => {
      const [untilRead, untilArrival] = [soon(random), soon(random)];
      send(first, untilRead + untilArrival);
      send(second, untilRead + untilArrival + SOME);
      pass(untilRead);
      ask('cached', random.pick(half));
      pass(untilArrival + SOME + soon(random));
      ask(random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE);
    }),
  ),
  'a call that reads one half before both changes and one half after them': closed(
    inTurn(({ random, ask, send, pass }, [first, second]) => {
      const [untilFirst, untilSecond] = [soon(random), soon(random)];
      const kind = random.oneIn(4) ? 'atLeast' : 'cached';
      ask(kind, AT_PLACE, torn(random, untilFirst + untilSecond + SOME));
      pass(untilFirst);
      send(first);
      pass(untilSecond);
      send(second);
      pass(2 * SOME);
      ask('cached', AT_PLACE);
    }),
  ),
  'a call that reads one half before a transaction of both changes and one half after it': closed(
    inTurn(({ random, ask, send, pass }, pair) => {
      const untilWrite = random.oneIn(2) ? soon(random) : 0;
      ask(random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE, torn(random, untilWrite + SOME));
      pass(untilWrite);
      send(does.together(...pair));
      pass(SOME + random.below(DEFAULT_TTL_MS));
      ask('cached', AT_PLACE);
    }),
  ),
  'whoever has written asks while an older read is on its way': open(
    inAndOut(({ random, ask, send, pass }, change) => {
      const [untilSent, untilArrival, untilAsked] = [soon(random), soon(random), soon(random)];
      ask('cached', AT_PLACE, late(untilSent + untilArrival + untilAsked + 2 * SOME));
      pass(untilSent);
      send(change, untilArrival);
      pass(untilArrival + untilAsked + SOME);
      ask('atLeast', AT_PLACE);
    }),
  ),
  'whoever has created asks, and an older read that found nothing is answered': open(
    inAndOut(
      ({ random, ask, send, pass }, change) => {
        const untilSent = soon(random);
        ask('cached', AT_PLACE, late(untilSent + 2));
        pass(untilSent);
        send(change);
        pass(1);
        ask('atLeast', AT_PLACE, late(1 + SOME));
      },
      [comes, goes],
    ),
    [...furnished, roleComes, joins, does.deleteSubject(EVE)],
  ),
  'a call that reads one half before a condition and a property change and one half after it': closed(
    inTurn(({ random, ask, send, pass }, pair) => {
      ask(random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE, torn(random, SOME));
      send(does.together(...pair));
      pass(SOME + random.below(DEFAULT_TTL_MS));
      ask('cached', AT_PLACE);
    }, CONDITIONAL),
    conditional(asksFor('high'), 'low'),
  ),
  'a call that began before another one reads after it, and after both changes': closed(
    inTurn(({ random, ask, send, pass }, pair) => {
      const [before, after] = halvesOf(pair);
      const untilRead = 5 + random.below(5) + SOME;
      ask('cached', after, { readsAt: [untilRead] });
      pass(5);
      ask('cached', before);
      send(does.together(...pair));
      pass(untilRead - 5 + random.below(5));
      ask('cached', AT_PLACE);
    }),
  ),
  'two writes of one millisecond, and a read between them': open(({ random, ask, send, pass }) => {
    for (const change of [leaves, joins]) {
      send(change);
      pass(SOME);
      ask('cached', AT_PLACE);
    }
    pass(random.below(20_000));
    ask('strong', AT_PLACE);
  }),
  'an older read is answered after a newer one': open(
    inAndOut(({ random, ask, send, pass }, change) => {
      const [untilArrival, untilAnswer] = [soon(random), soon(random)];
      ask('cached', AT_PLACE, late(untilArrival + untilAnswer + 2 * SOME));
      send(change, untilArrival);
      pass(untilArrival + SOME);
      ask('strong', AT_PLACE);
      pass(untilAnswer + 2 * SOME + soon(random));
      ask('cached', AT_PLACE);
    }),
  ),
  'what was cached, or was on its way, just before a write, once the bound is over': open(
    inAndOut(({ random, ask, send, pass }, change) => {
      ask('cached', AT_PLACE, random.oneIn(2) ? late(1 + DEFAULT_TTL_MS + SOME) : {});
      pass(1);
      send(change);
      pass(DEFAULT_TTL_MS);
      ask('cached', AT_PLACE);
      pass(1);
    }),
  ),
  'DynamoDB is down, within the second bound and beyond': {
    ...open(
      inAndOut(({ random, ask, send, pass, setDown }, change) => {
        ask('cached', AT_PLACE);
        pass(1);
        send(change);
        pass(SOME);
        setDown(true);
        pass(LONG + random.below(OUTAGE_TTL_MS - LONG));
        for (const kind of ['cached', 'strong', 'atLeast'] as const) ask(kind, AT_PLACE);
        setDown(false);
        pass(OUTAGE_TTL_MS - LONG);
        ask('cached', question(ZOE, ELSEWHERE));
        setDown(true);
        pass(LONG);
        ask('cached', AT_PLACE);
        setDown(false);
      }),
    ),
    withOutages: true,
  },
  'DynamoDB is down, and what is cached is of before and of after': {
    ...closed(
      inTurn(({ random, ask, send, pass, setDown }, pair) => {
        const [before, after] = halvesOf(pair);
        ask('cached', before);
        pass(soon(random));
        for (const change of pair) {
          send(change);
          pass(soon(random) + SOME);
        }
        // What has expired is read again: all but what the other half has brought.
        ask('cached', after);
        pass(LONG);
        setDown(true);
        ask('cached', AT_PLACE);
        pass(SOME);
        setDown(false);
      }),
    ),
    withOutages: true,
  },
};

/**
 * The margin to the millisecond: a write that takes all its time, and an engine whose clock is ahead of the
 * writer's by all that is allowed, has read a millisecond before the write is committed.
 */
export const AT_THE_MARGIN: Readonly<Record<string, Scene>> = {
  coherence: closed(
    inTurn(({ ask, send, pass }, [first, second]) => {
      send(first, ARRIVAL_MS);
      send(second, ARRIVAL_MS);
      pass(ARRIVAL_MS - 1);
      ask('cached', first === leaves ? question(EVE, ELSEWHERE) : question(ZOE, PLACE));
      pass(1);
      ask('cached', AT_PLACE);
    }),
  ),
  atLeast: open(
    inAndOut(({ ask, send, pass }, change) => {
      send(change, ARRIVAL_MS);
      pass(ARRIVAL_MS - 1);
      ask('cached', AT_PLACE);
      pass(1);
      ask('atLeast', AT_PLACE);
    }),
  ),
};
