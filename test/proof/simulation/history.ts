import { CLOCK_SKEW_MS } from '../../../table/timing.ts';
import {
  ask,
  askByActor,
  changeInOneWrite,
  changeOfGrants,
  opposedChanges,
  START,
} from '../oracle/generate.ts';
import type { Model, Question } from '../oracle/model.ts';
import type { Operation } from '../oracle/operations.ts';
import * as does from '../oracle/operations.ts';
import { ofActorAlone } from '../oracle/oracle.ts';
import { createJudgeByEngine } from '../oracle/outcomes.ts';
import { createRandom, type Random } from '../oracle/random.ts';
import { drawList, type List } from './lists.ts';
import { copyOf } from './record.ts';
import type { SmallNames } from './worlds.ts';

/** When histories begin: nothing that stands in a world begins or ends until an hour later. */
export const BEGIN = START + 3_660_000;

/**
 * A history: what happens to several processes on one table, as data. Everything is drawn before it is played, so that
 * the same seed is the same history, and that what is left of one without some of its steps goes as it did with them.
 */
export interface History {
  readonly seed: number;
  readonly processes: readonly ProcessSetup[];
  /** How calls go, as far as no step says it. */
  readonly network: NetworkSetup;
  /** Whether DynamoDB is down now and then, and engines may answer from longer ago meanwhile. */
  readonly withOutages: boolean;
  /** Whether clocks are put right now and then: bounds have a tolerance then. */
  readonly doClocksJump: boolean;
  readonly steps: readonly Step[];
}

export interface ProcessSetup {
  /** Milliseconds by which its clock is ahead. */
  readonly aheadMs: number;
  /** The bound on its cache; the engine's own when left out. */
  readonly maxBytes?: number | undefined;
}

/** How calls to DynamoDB go. */
export interface NetworkSetup {
  /** Milliseconds that a call takes at most. */
  readonly delayMs: number;
  /** Whether some fail, are late, or are read in parts (network.ts). */
  readonly withFaults: boolean;
}

export const CONSISTENCIES = ['cached', 'cached', 'cached', 'strong', 'atLeast'] as const;
/** `atLeast` means a write that was answered lately. */
export type Consistency = (typeof CONSISTENCIES)[number];

/** How the calls of a step go: milliseconds from when each begins. */
export interface Pace {
  /** When a transaction arrives. */
  readonly arrivesAfter?: number;
  /** When a read reads: each item at one of these instants. */
  readonly readsAt?: readonly number[];
  /** When the call is answered. */
  readonly answersAfter?: number;
}

/** What a step does. `of` is the number of a process. */
export type Doing =
  | {
      readonly does: 'write';
      readonly of: number;
      readonly operation: Operation;
      /** Whether it has an id, by which it can be sent again. */
      readonly isNamed: boolean;
      /** After how many milliseconds it is sent again, until it is known what became of it. */
      readonly againAfter?: number | undefined;
      /** Whether somebody asks with its token as soon as there is one. */
      readonly thenAsk?: Question | undefined;
      /** The step whose write must have been answered before this one is sent. */
      readonly after?: Step | undefined;
      readonly pace?: Pace | undefined;
    }
  | {
      readonly does: 'ask';
      readonly of: number;
      readonly by: 'check' | 'many' | 'roles' | 'session' | 'list';
      readonly consistency: Consistency;
      readonly questions: readonly [Question, ...Question[]];
      /** How many writes ago the one is that `atLeast` means. */
      readonly writesAgo: number;
      readonly pace?: Pace | undefined;
    }
  | {
      readonly does: 'request';
      readonly of: number;
      /** Who calls: the JWTs of two users, then the API tokens. */
      readonly caller: number;
      readonly route: string;
      readonly place: string;
      readonly page: string;
      /** Which of the issuer's keys has signed: the newest, or the one before. */
      readonly keyAge: 0 | 1;
    }
  /** An administrator asks for a list. */
  | { readonly does: 'list'; readonly of: number; readonly list: List }
  /** Whoever has begun a change of several steps and not ended it sends it again. */
  | { readonly does: 'resume'; readonly of: number }
  /** A migration lets a part of a decision item stand apart, or brings it back: of those that can, the one drawn. */
  | { readonly does: 'migrate'; readonly of: number; readonly joins: boolean; readonly item: number }
  /** All that goes on in the process is forgotten, and it begins anew, with nothing cached. */
  | { readonly does: 'crash'; readonly of: number }
  /** Nothing that the process waits for reaches it meanwhile. */
  | { readonly does: 'freeze'; readonly of: number; readonly milliseconds: number }
  | { readonly does: 'set clock'; readonly of: number; readonly aheadMs: number }
  | { readonly does: 'outage'; readonly isDown: boolean }
  /** The issuer publishes other keys. */
  | { readonly does: 'rotate keys' };

export type Step = Doing & {
  /** Milliseconds since the history began. */
  readonly at: number;
};

/** What is drawn for a world. */
export interface Features {
  /** Whether things come and go as well, not only what is granted to them. */
  readonly nodes: boolean;
  readonly outages: boolean;
  /** Whether effects carry conditions: then nobody requests. */
  readonly conditions: boolean;
  /** Whether there is a tree to be moved. */
  readonly tree: boolean;
  /** Whether migrations go on meanwhile. */
  readonly splits: boolean;
}

const judge = createJudgeByEngine();

const PROCESSES = 3;
const STEPS = 20;
/** What a small cache holds: a few items, fewer than some questions need. */
const SMALL_CACHE_BYTES = 6_000;

/** A history that chance has made. `model` is what the world begins with. */
export function drawHistory(seed: number, names: SmallNames, model: Model, features: Features): History {
  const random = createRandom(seed);
  const doClocksJump = random.oneIn(4);
  const delayMs = random.pick([2, 20, 200, 1_000]);
  const processes = Array.from({ length: PROCESSES }, (_, n) => ({
    aheadMs: random.below(CLOCK_SKEW_MS),
    maxBytes: n === 0 ? SMALL_CACHE_BYTES : undefined,
  }));
  const nextOperation = createChanges(random, names, model, features);
  // Little shows where everybody asks something else; and while DynamoDB is down only what was asked before is answered.
  const byActor = (): readonly Question[] => {
    // Of many the first that is allowed at first: chance seldom draws three things that allow the same.
    const all = Array.from({ length: 24 }, () => ({ ...askByActor(random, names), at: BEGIN }));
    const drawn = all.find((each) => judge(model, each).allowed) ?? (all[0] as Question);
    const { actor, ...own } = drawn;
    if (!actor) return [drawn];
    // Now: so decisions are kept. Whoever acts meets what is kept of either half where it was asked for alone.
    const isNow = true;
    const question = { ...drawn, isNow };
    return [question, question, { ...own, isNow }, { ...ofActorAlone(drawn, actor), isNow }];
  };
  const often = [...Array.from({ length: 5 }, () => ask(random, names)), ...byActor()];
  const nextQuestion = (): Question =>
    random.oneIn(features.outages ? 6 : 4) ? ask(random, names) : random.pick(often);
  const routes = names.routes.flatMap(({ id, scope }) =>
    names.places
      .filter(({ ref }) => scope.startsWith(`${ref.slice(0, ref.indexOf(':'))}:`))
      .map(({ ref }) => [id, ref] as const),
  );
  // Tokens of one user meet what is kept of one another only where they ask for the same.
  const requested = Array.from({ length: 2 }, () => ({
    target: random.pick(routes),
    page: random.pick(['dashboard', 'menu']),
    of: random.below(PROCESSES),
  }));
  const draw = {
    ask: (): Doing => {
      const by = random.pick(['check', 'check', 'check', 'many', 'roles', 'session', 'list'] as const);
      const consistency = by === 'list' ? 'strong' : random.pick(CONSISTENCIES);
      const first = nextQuestion();
      const other = random.oneIn(2) || by === 'many' ? [nextQuestion()] : [];
      const others = by === 'session' ? other.map(({ permission }) => ({ ...first, permission })) : other;
      const questions =
        by === 'many' || by === 'session' ? ([first, ...others] as const) : ([first] as const);
      return {
        does: 'ask',
        of: random.below(PROCESSES),
        by,
        consistency,
        questions,
        writesAgo: random.oneIn(2) ? 0 : random.below(5),
      };
    },
    request: (): Doing => {
      const {
        target: [route, place],
        page,
        of,
      } = random.pick(requested);
      return {
        does: 'request',
        of,
        caller: random.below(names.jwts.length + names.tokens.length),
        route,
        place,
        page,
        keyAge: random.oneIn(4) ? 1 : 0,
      };
    },
    write: (): Doing => {
      const isNamed = random.oneIn(2);
      return {
        does: 'write',
        of: random.below(PROCESSES),
        operation: nextOperation(),
        isNamed,
        againAfter: isNamed && !random.oneIn(3) ? random.below(11_000) : undefined,
        // Whoever has written looks at once whether it shows.
        thenAsk: random.oneIn(3) ? nextQuestion() : undefined,
      };
    },
    incident: (): Doing => {
      const of = random.below(PROCESSES);
      const what = random.below(10);
      if (what < 2) return { does: 'freeze', of, milliseconds: random.pick([500, 5_000, 70_000]) };
      if (what < 4 && doClocksJump) return { does: 'set clock', of, aheadMs: random.below(CLOCK_SKEW_MS) };
      if (what < 6 || (features.tree && what > 8)) return { does: 'crash', of };
      if (what < 8) return { does: 'resume', of };
      return { does: 'rotate keys' };
    },
  };
  const withRequests = !features.conditions && random.oneIn(2);
  const doing = (): Doing => {
    if (features.splits && random.oneIn(5))
      return {
        does: 'migrate',
        of: random.below(PROCESSES),
        joins: random.oneIn(3),
        item: random.below(1_000),
      };
    if (random.oneIn(16)) return { does: 'list', of: random.below(PROCESSES), list: drawList(random, names) };
    const what = random.below(20);
    if (what < 9) return draw.ask();
    if (what < 12) return withRequests ? draw.request() : draw.ask();
    if (what < (features.tree ? 17 : 18)) return draw.write();
    return draw.incident();
  };
  const steps: Step[] = [];
  // Now and then much more time goes by than a cache keeps.
  const slowness = random.oneIn(8) ? 8 : 1;
  let isDown = false;
  for (let at = 0; steps.length < STEPS; ) {
    at += gap(random, delayMs) * slowness;
    if (features.outages && random.oneIn(12)) {
      isDown = !isDown;
      steps.push({ at, does: 'outage', isDown });
    } else steps.push({ at, ...doing() });
  }
  return {
    seed,
    processes,
    steps,
    doClocksJump,
    withOutages: features.outages,
    network: { delayMs, withFaults: true },
  };
}

/** Milliseconds between two steps: mostly so few that calls overlap, seldom more than a cache keeps. */
function gap(random: Random, delayMs: number): number {
  const what = random.below(24);
  if (what < 11) return 0;
  if (what < 16) return delayMs * random.next();
  if (what < 20) return random.below(2_000);
  return what < 23 ? random.between(2_000, 8_000) : random.between(10_000, 70_000);
}

/** Changes, often two that belong together; in the order in which they are drawn, they would mostly be carried out. */
function createChanges(random: Random, names: SmallNames, model: Model, features: Features): () => Operation {
  const draft = copyOf(model);
  const pending: Operation[] = [];
  const chosen = (): Operation => {
    const begun = pending.shift();
    if (begun) return begun;
    // A group is made anew elsewhere: what migrations have found out of the one before is not true of it.
    if (features.splits && random.oneIn(8)) {
      const [group, { ref }] = [random.pick(names.groups), random.pick(names.places)];
      pending.push(
        does.createGroup(group, ref),
        does.giveGroupRole(group, random.pick(names.roles)),
        does.join(random.pick(names.subjects), group),
      );
      return does.deleteGroup(group);
    }
    const pair = random.oneIn(3) ? opposedChanges(random, names, draft) : undefined;
    if (pair && random.oneIn(2)) return does.together(...pair);
    if (pair) pending.push(pair[1]);
    if (pair) return pair[0];
    if (features.tree && random.oneIn(2)) {
      const [first, ...others] = changesOfTree(random, names);
      pending.push(...others);
      return first;
    }
    if (!features.conditions && random.oneIn(3)) return changeOfCallers(random, names);
    return (features.nodes ? changeInOneWrite : changeOfGrants)(random, names);
  };
  return () => {
    const operation = chosen();
    operation.apply(draft);
    return operation;
  };
}

/** Changes of credentials, emails and routes. */
export function changeOfCallers(random: Random, names: SmallNames): Operation {
  const { users, emails, sessions, tokens, routes } = names;
  const [session, user] = random.pick(sessions);
  const [token, subject] = random.pick(tokens);
  const { id, path, permission, scope } = random.pick(routes);
  const what = random.below(13);
  if (what < 5) return does.changeSession(session, what < 3 ? 'revoked' : 'active');
  if (what === 5)
    return random.oneIn(2) ? does.deleteCredential(`session:${session}`) : does.createSession(session, user);
  if (what === 6) return random.oneIn(2) ? does.revokeToken(token) : does.deleteCredential(`token:${token}`);
  if (what === 7) return does.createApiToken(token, subject);
  if (what < 10) return does.setEmail(random.pick(users), random.oneIn(4) ? null : random.pick(emails));
  if (what === 10) return does.changeRoute(id, random.oneIn(3) ? 'menu' : permission);
  if (what === 11) return does.deleteRoute(id);
  return does.createRoute(id, path, permission, scope);
}

/** Moves of the building with all below it, and of parts of it; parts go, and come back under the same ids. */
function changesOfTree(random: Random, { places }: SmallNames): readonly [Operation, ...Operation[]] {
  const one = (...types: readonly string[]) => {
    const type = random.pick(types);
    return random.pick(places.filter(({ ref }) => ref.startsWith(`${type}:`)));
  };
  const what = random.below(8);
  if (what < 3) return [does.moveScope(one('zone', 'device').ref, one('building', 'zone').ref)];
  if (what < 6) return [does.moveScope(one('building').ref, one('project').ref)];
  const { ref, parent } = one('building', 'zone', 'zone', 'device');
  return [does.deleteTree(ref), does.createScope(ref, { parent })];
}
