import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import { START } from './generate.ts';
import { ARRIVAL_MS, type Hands, OUTAGE_TTL_MS, type Scene, type Story } from './histories.ts';
import type { Question } from './model.ts';
import type { Operation } from './operations.ts';
import * as does from './operations.ts';

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

export const STORIES: Readonly<Record<string, Story>> = {
  'a user leaves a group, then the group gets a role': {
    operations: [...furnished, joins],
    changes: [leaves, roleComes],
    questions,
  },
  'a group loses a role, then a user joins the group': {
    operations: [...furnished, roleComes],
    changes: [roleGoes, joins],
    questions,
  },
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
  'a user loses a property, then a condition asks for no more than that': {
    operations: conditional(asksFor('top'), 'high'),
    changes: [eveIs('low'), conditionIs('high')],
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
  'a property is passed no more, then a condition asks for what is passed': {
    operations: conditional(asksFor('top'), 'low', 'passed'),
    changes: [does.undeclare('subject:user', 'level'), declared('subject:user'), conditionIs('high')],
    questions: questionsOfConditions.map((each) => ({
      ...each,
      given: { subject: { properties: { level: 'high' } } },
    })),
  },
};

/**
 * Scenes: what takes several things at the same moment, and so seldom comes about by chance. How much time goes by
 * between them, whose clocks are ahead, and what is asked of whom is drawn all the same.
 */
const LONG = 70_000;
const ENGINES = 3;
const SHORT = 1_400;
export const AT_PLACE = question(EVE, PLACE);
const soon = async ({ pass, random }: Hands): Promise<void> => {
  if (!random.oneIn(3)) await pass(random.below(SHORT));
};

/** Two changes of which the first must count before the second, and back again; Eve is allowed at no instant. */
type Pair = readonly [first: Operation, second: Operation];
const ENEMIES: readonly Pair[] = [
  [leaves, roleComes],
  [roleGoes, joins],
];
/** The same with the pairs in turn, each once everything cached is forgotten. */
const inTurn =
  (play: (hands: Hands, pair: Pair) => Promise<void>, pairs = ENEMIES): Scene =>
  async (hands) => {
    for (const pair of pairs) {
      await hands.pass(LONG);
      await play(hands, pair);
    }
  };
/** Eve's membership goes and comes, in a group that has the role; or another pair of changes. */
const inAndOut = (
  play: (hands: Hands, change: Operation) => Promise<void>,
  [first, second]: Pair = [leaves, joins],
): Scene => {
  let isFirst = true;
  return async (hands) => {
    await hands.pass(LONG);
    await play(hands, isFirst ? first : second);
    isFirst = !isFirst;
  };
};

export interface Staged {
  readonly operations: readonly Operation[];
  /** A new one for each history. */
  readonly play: () => Scene;
  /** Whether Eve is allowed at no instant. */
  readonly isClosed: boolean;
  readonly withOutages?: true;
}

export const SCENES: Readonly<Record<string, Staged>> = {
  'a write is stamped, then a half is read, then it arrives': {
    operations: [...furnished, joins],
    isClosed: true,
    play: () =>
      inTurn(async (hands, [first, second]) => {
        const { random, ask, send, arrive } = hands;
        const engine = random.below(ENGINES);
        await send(first);
        await send(second);
        await soon(hands);
        await ask(engine, 'cached', random.pick(half));
        await soon(hands);
        await arrive();
        await arrive();
        await soon(hands);
        await ask(engine, random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE);
      }),
  },
  'a call that reads one half before both changes and one half after them': {
    operations: [...furnished, joins],
    isClosed: true,
    play: () =>
      inTurn(async (hands, pair) => {
        const { random, ask, send, arrive, answerReads } = hands;
        const engine = random.below(ENGINES);
        await ask(engine, random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE, 'torn');
        for (const change of pair) {
          await soon(hands);
          await send(change);
          await arrive();
        }
        await answerReads();
        await ask(engine, 'cached', AT_PLACE);
      }),
  },
  'a call that reads one half before a transaction of both changes and one half after it': {
    operations: [...furnished, joins],
    isClosed: true,
    play: () =>
      inTurn(async (hands, pair) => {
        const { random, ask, send, arrive, answerReads, pass } = hands;
        const engine = random.below(ENGINES);
        await ask(engine, random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE, 'torn');
        if (random.oneIn(2)) await soon(hands);
        await send(does.together(...pair));
        await arrive();
        await answerReads();
        await pass(random.below(DEFAULT_TTL_MS));
        await ask(engine, 'cached', AT_PLACE);
      }),
  },
  'whoever has written asks while an older read is on its way': {
    operations: [...furnished, roleComes, joins],
    isClosed: false,
    play: () =>
      inAndOut(async (hands, change) => {
        const { random, ask, send, arrive, answerReads } = hands;
        const engine = random.below(ENGINES);
        await ask(engine, 'cached', AT_PLACE, 'late');
        await soon(hands);
        await send(change);
        await soon(hands);
        await arrive();
        await soon(hands);
        await ask(engine, 'atLeast', AT_PLACE);
        await answerReads();
      }),
  },
  'whoever has created asks, and an older read that found nothing is answered': {
    operations: [...furnished, roleComes, joins, does.deleteSubject(EVE)],
    isClosed: false,
    play: () =>
      inAndOut(
        async (hands, change) => {
          const { random, ask, send, arrive, answerReads, pass } = hands;
          const engine = random.below(ENGINES);
          await ask(engine, 'cached', AT_PLACE, 'late');
          await soon(hands);
          await send(change);
          await arrive();
          await pass(1);
          await ask(engine, 'atLeast', AT_PLACE, 'late');
          await pass(1);
          await answerReads();
          await answerReads();
        },
        [comes, goes],
      ),
  },
  'a call that reads one half before a condition and a property change and one half after it': {
    operations: conditional(asksFor('high'), 'low'),
    isClosed: true,
    play: () =>
      inTurn(
        async (hands, pair) => {
          const { random, ask, send, arrive, answerReads, pass } = hands;
          const engine = random.below(ENGINES);
          await ask(engine, random.oneIn(4) ? 'atLeast' : 'cached', AT_PLACE, 'torn');
          await send(does.together(...pair));
          await arrive();
          await answerReads();
          await pass(random.below(DEFAULT_TTL_MS));
          await ask(engine, 'cached', AT_PLACE);
        },
        [
          [conditionIs('top'), eveIs('high')],
          [eveIs('low'), conditionIs('high')],
        ],
      ),
  },
  'a call that began before another one reads after it, and after both changes': {
    operations: [...furnished, joins],
    isClosed: true,
    play: () =>
      inTurn(async (hands, pair) => {
        const { random, ask, send, arrive, answerReads, pass } = hands;
        const engine = random.below(ENGINES);
        const halves = [question(EVE, ELSEWHERE), question(ZOE, PLACE)];
        const [before, after] = pair[0] === leaves ? halves : halves.reverse();
        await ask(engine, 'cached', after as Question, 'delayed');
        await pass(5);
        await ask(engine, 'cached', before as Question);
        await send(does.together(...pair));
        await arrive();
        await pass(random.below(5));
        await answerReads();
        await pass(random.below(5));
        await ask(engine, 'cached', AT_PLACE);
      }),
  },
  'two writes of one millisecond, and a read between them': {
    operations: [...furnished, roleComes, joins],
    isClosed: false,
    play: () => async (hands) => {
      const { random, ask, send, arrive, pass } = hands;
      const engine = random.below(ENGINES);
      await pass(LONG);
      for (const change of [leaves, joins]) {
        await send(change);
        await arrive();
        await ask(engine, 'cached', AT_PLACE);
      }
      await pass(random.below(20_000));
      await ask(engine, 'strong', AT_PLACE);
    },
  },
  'an older read is answered after a newer one': {
    operations: [...furnished, roleComes, joins],
    isClosed: false,
    play: () =>
      inAndOut(async (hands, change) => {
        const { random, ask, send, arrive, answerReads } = hands;
        const engine = random.below(ENGINES);
        await ask(engine, 'cached', AT_PLACE, 'late');
        await send(change);
        await soon(hands);
        await arrive();
        await ask(engine, 'strong', AT_PLACE);
        await soon(hands);
        await answerReads();
        await soon(hands);
        await ask(engine, 'cached', AT_PLACE);
      }),
  },
  'what was cached, or was on its way, just before a write, once the bound is over': {
    operations: [...furnished, roleComes, joins],
    isClosed: false,
    play: () =>
      inAndOut(async (hands, change) => {
        const { random, ask, send, arrive, answerReads, pass } = hands;
        const engine = random.below(ENGINES);
        await ask(engine, 'cached', AT_PLACE, random.oneIn(2) ? 'late' : 'at once');
        await pass(1);
        await send(change);
        await arrive();
        await pass(DEFAULT_TTL_MS);
        await ask(engine, 'cached', AT_PLACE);
        await answerReads();
      }),
  },
  'DynamoDB is down, within the second bound and beyond': {
    operations: [...furnished, roleComes, joins],
    isClosed: false,
    withOutages: true,
    play: () =>
      inAndOut(async (hands, change) => {
        const { random, ask, send, arrive, pass, setDown } = hands;
        const engine = random.below(ENGINES);
        await ask(engine, 'cached', AT_PLACE);
        await pass(1);
        await send(change);
        await arrive();
        setDown(true);
        await pass(LONG + random.below(OUTAGE_TTL_MS - LONG));
        for (const kind of ['cached', 'strong', 'atLeast'] as const) await ask(engine, kind, AT_PLACE);
        setDown(false);
        await pass(OUTAGE_TTL_MS - LONG);
        await ask(engine, 'cached', question(ZOE, ELSEWHERE));
        setDown(true);
        await pass(LONG);
        await ask(engine, 'cached', AT_PLACE);
        setDown(false);
      }),
  },
  'DynamoDB is down, and what is cached is of before and of after': {
    operations: [...furnished, joins],
    isClosed: true,
    withOutages: true,
    play: () =>
      inTurn(async (hands, pair) => {
        const { random, ask, send, arrive, pass, setDown } = hands;
        const engine = random.below(ENGINES);
        const halves = [question(EVE, ELSEWHERE), question(ZOE, PLACE)];
        const [before, after] = pair[0] === leaves ? halves : halves.reverse();
        await ask(engine, 'cached', before as Question);
        await soon(hands);
        for (const change of pair) {
          await send(change);
          await soon(hands);
          await arrive();
        }
        // What has expired is read again: all but what the other half has brought.
        await ask(engine, 'cached', after as Question);
        await pass(LONG);
        setDown(true);
        await ask(engine, 'cached', AT_PLACE);
        setDown(false);
      }),
  },
};

/**
 * The margin to the millisecond: a write that takes all its time, and an engine whose clock is ahead of the
 * writer's by all that is allowed, has read a millisecond before the write is committed.
 */
export const AT_THE_MARGIN: Readonly<Record<string, Staged>> = {
  coherence: {
    operations: [...furnished, joins],
    isClosed: true,
    play: () =>
      inTurn(async ({ ask, send, arrive, pass }, [first, second]) => {
        await send(first);
        await send(second);
        await pass(ARRIVAL_MS - 1);
        await ask(0, 'cached', first === leaves ? question(EVE, ELSEWHERE) : question(ZOE, PLACE));
        await pass(1);
        await arrive();
        await arrive();
        await ask(0, 'cached', AT_PLACE);
      }),
  },
  atLeast: {
    operations: [...furnished, roleComes, joins],
    isClosed: false,
    play: () =>
      inAndOut(async ({ ask, send, arrive, pass }, change) => {
        await send(change);
        await pass(ARRIVAL_MS - 1);
        await ask(0, 'cached', AT_PLACE);
        await pass(1);
        await arrive();
        await ask(0, 'atLeast', AT_PLACE);
      }),
  },
};
