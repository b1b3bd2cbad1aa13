import type { Decision, Engine, TenantRoles } from '../../../engine/index.ts';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import { fewest } from '../fewest.ts';
import { ask, askByActor, change, furnish, giveOtherwise, type Names } from './generate.ts';
import { emptyModel, type Model, type Question } from './model.ts';
import type { Operation } from './operations.ts';
import { judge, type OutcomeOf, ofActorAlone, rolesAt } from './oracle.ts';
import type { Outcomes } from './outcomes.ts';
import { createRandom } from './random.ts';
import { isRefusal, type OpenTable, type Stage } from './stage.ts';

/**
 * Random worlds: provisioned through commands and noted in a model; then the engine, in all its ways of
 * answering, and the oracle are asked the same.
 */
export interface Difference {
  readonly operations: readonly Operation[];
  readonly question: Question;
  readonly method: string;
  readonly engine: string;
  readonly oracle: string;
}

export const newTally = () => ({
  checks: 0,
  /** Questions; those for which a condition was looked at. */
  questions: 0,
  conditional: 0,
  /** Allows to who acts for somebody: each was allowed to both alone. */
  acting: 0,
  operations: 0,
  refused: 0,
  reasons: new Map<string, number>(),
  /** How often a question was asked that has this reason, with a condition or without one. */
  asked: new Map<string, number>(),
  differences: [] as Difference[],
});

type Tally = ReturnType<typeof newTally>;

/** How often a world is changed after it was furnished, and by how many operations. */
const ROUNDS = 4;
const CHANGES = 15;
/** Questions of which one is asked; and of those that get as far as a condition. */
const DRAWS = 8;
const CONDITIONAL_DRAWS = 3;
/** Differences after which it is no use to go on. */
const ENOUGH = 3;

const textOf = ({ allowed, reason }: Decision): string => `${allowed ? 'allow' : 'deny'} ${reason}`;

/** Who says what is right: the oracle, or in tests of these tests somebody who is wrong. */
export type Judge = (model: Model, question: Question, outcomeOf?: OutcomeOf) => Decision;

export interface Oracle {
  readonly judge: Judge;
  /** What conditions come to; without it worlds have none. */
  readonly outcomes?: Outcomes | undefined;
}

/** One method to an answer, and what the oracle says to it. */
interface Method {
  readonly name: string;
  readonly ask: (question: Question) => Promise<string>;
  readonly truth: (model: Model, question: Question, { judge, outcomes }: Oracle) => string;
}

const judgeBy = ({ judge, outcomes }: Oracle, model: Model, question: Question): Decision =>
  judge(model, question, outcomes?.outcomeOf);

/** The same, asked once for each question: in a world none is asked again after a change. */
function remembering({ judge, outcomes }: Oracle): Oracle {
  const decisions = new WeakMap<Question, Decision>();
  return {
    outcomes,
    judge: (model, question, outcomeOf) => {
      const decision = decisions.get(question) ?? judge(model, question, outcomeOf);
      decisions.set(question, decision);
      return decision;
    },
  };
}

const rolesText = (roles: TenantRoles | ReturnType<typeof rolesAt>): string =>
  roles ? `at ${roles.tenant} as ${[...roles.roles].sort().join(', ')}` : 'nowhere';

/** The engine's several methods to an answer; a fault is an answer that the oracle never gives. */
function methodsOf(open: OpenTable, warm: Engine): readonly Method[] {
  const by = (name: string, engineOf: () => Engine, consistency: 'cached' | 'strong'): readonly Method[] => {
    const reported = async (answer: () => Promise<string>) => {
      try {
        return await answer();
      } catch (error) {
        return `fault ${String(error)}`;
      }
    };
    const optionsOf = ({ at, groups, actor, given }: Question) => ({
      at,
      groups,
      actor,
      consistency,
      ...given,
    });
    const decided: Method = {
      name,
      ask: (question) =>
        reported(async () => {
          const { subject, permission, scope } = question;
          return textOf(await engineOf().check(subject, permission, scope, optionsOf(question)));
        }),
      truth: (model, question, oracle) => textOf(judgeBy(oracle, model, question)),
    };
    const rolesAlone: Method = {
      name: `${name}, effective roles`,
      ask: ({ subject, scope, at, groups }) =>
        reported(async () =>
          rolesText(await engineOf().effectiveRoles(subject, scope, { at, groups, consistency })),
        ),
      truth: (model, question) => rolesText(rolesAt(model, question)),
    };
    const withRoles: Method = {
      name: `${name}, with roles`,
      ask: (question) =>
        reported(async () => {
          const { subject, permission, scope } = question;
          const asked = engineOf().checkWithRoles(subject, permission, scope, optionsOf(question));
          const { decision, roles } = await asked;
          return `${textOf(decision)} ${rolesText(roles)}`;
        }),
      truth: (model, question, oracle) => {
        const { allowed, reason } = judgeBy(oracle, model, question);
        return `${textOf({ allowed, reason })} ${rolesText(allowed ? rolesAt(model, question) : undefined)}`;
      },
    };
    return [decided, rolesAlone, withRoles];
  };
  return [
    ...by('warm', () => warm, 'cached'),
    ...by('warm again', () => warm, 'cached'),
    ...by('cold', () => open.newEngine(), 'cached'),
    ...by('strong', () => warm, 'strong'),
    ...by('strong and cold', () => open.newEngine(), 'strong'),
  ];
}

const NEVER_WIDENED = 'no wider than both';

/** Whether an actor is allowed what the subject or itself is not, by the engine's word alone. */
async function widened(engine: Engine, question: Question): Promise<string> {
  const { actor } = question;
  if (!actor) return NEVER_WIDENED;
  const alone = [{ ...question, actor: undefined }, ofActorAlone(question, actor)];
  const { decisions } = await engine.checkMany([question, ...alone]);
  const [both, ...each] = decisions.map(({ allowed }) => allowed);
  return both && each.includes(false) ? `wider: ${each}` : NEVER_WIDENED;
}

/** Of these methods the two warm ones are cheap to ask: a decision, the effective roles and both at once, each. */
const WARM = 6;

/** One world. Adds what it came to to the tally. */
export async function playWorld(
  stage: Stage,
  seed: number,
  checks: number,
  tally: Tally,
  given: Oracle = { judge },
): Promise<void> {
  const oracle = remembering(given);
  const random = createRandom(seed);
  const open = await stage.open();
  const model = emptyModel();
  const done: Operation[] = [];
  const warm = open.newEngine();
  const compare = (question: Question, method: string, engine: string, truth: string): void => {
    const { reason } = judgeBy(oracle, model, question);
    tally.checks += 1;
    tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
    if (engine !== truth)
      tally.differences.push({ operations: [...done], question, method, engine, oracle: truth });
  };

  interface Drawn {
    readonly question: Question;
    readonly isConditional: boolean;
  }
  async function prepared(questions: readonly Question[]): Promise<readonly Drawn[]> {
    const conditions = (await oracle.outcomes?.prepare(model, questions)) ?? [];
    return questions.map((question, position) => ({
      question,
      isConditional: (conditions[position] ?? 0) > 0,
    }));
  }
  const kindOf = ({ question, isConditional }: Drawn): string => {
    const { reason, allowed } = judgeBy(oracle, model, question);
    const how = `${question.actor && allowed ? ', by an actor' : ''}${isConditional ? ', with a condition' : ''}`;
    return `${reason}${how}`;
  };

  /**
   * So many questions, of some each time the one of the kind that was asked least, so that each comes up
   * often. Few get as far as a condition: those that do are asked again, with something else given.
   */
  async function rarest(count: number, names: Names): Promise<readonly Question[]> {
    const any = await prepared(
      Array.from({ length: count * DRAWS }, () => (random.oneIn(2) ? ask : askByActor)(random, names)),
    );
    const looking = any.filter(({ isConditional }) => isConditional);
    const again =
      looking.length === 0
        ? []
        : await prepared(
            Array.from({ length: count * CONDITIONAL_DRAWS }, () =>
              giveOtherwise(random, names, random.pick(looking).question),
            ),
          );
    return Array.from({ length: count }, (_, n) => {
      const [from, draws] = again.length > 0 && !random.oneIn(3) ? [again, CONDITIONAL_DRAWS] : [any, DRAWS];
      const some = from.slice(n * draws, (n + 1) * draws).map((one) => ({ ...one, kind: kindOf(one) }));
      const times = ({ kind }: { readonly kind: string }): number => tally.asked.get(kind) ?? 0;
      const chosen = some.reduce((best, each) => (times(each) < times(best) ? each : best));
      tally.asked.set(chosen.kind, times(chosen) + 1);
      tally.questions += 1;
      if (chosen.isConditional) tally.conditional += 1;
      return chosen.question;
    });
  }

  async function carryOut(operations: readonly Operation[]): Promise<void> {
    for (const each of operations) {
      const outcome = await open.carryOut(each.command, each.input);
      tally.operations += 1;
      if (outcome.ok) {
        each.apply(model);
        done.push(each);
      } else if (isRefusal(outcome.code)) tally.refused += 1;
      else throw new Error(`seed ${seed}: ${each.command} ${JSON.stringify(each.input)}: ${outcome.message}`);
    }
    // From now on nothing that was cached before may answer.
    open.clock.advance(60_000);
  }

  try {
    const { names, operations } = furnish(random, oracle.outcomes !== undefined);
    // In two of three worlds all that can stand apart does, for the second half of it or from the beginning.
    const splitFrom = seed % 3 === 0 ? Number.POSITIVE_INFINITY : seed % 3 === 1 ? 0 : ROUNDS / 2;
    for (let round = 0; round <= ROUNDS && tally.differences.length < ENOUGH; round++) {
      await carryOut(round === 0 ? operations : Array.from({ length: CHANGES }, () => change(random, names)));
      if (round >= splitFrom) {
        await splitAll(open);
        open.clock.advance(60_000);
      }
      const questions = await rarest(questionsOf(checks, round), names);
      const methods = methodsOf(open, warm);
      for (const question of questions) {
        // What is cached is cheap to ask; of the methods that read, each question takes one.
        for (const { name, ask, truth } of [...methods.slice(0, WARM), random.pick(methods.slice(WARM))]) {
          compare(question, name, await ask(question), truth(model, question, oracle));
        }
        if (question.actor && judgeBy(oracle, model, question).allowed) tally.acting += 1;
        compare(question, 'widened', await widened(warm, question), NEVER_WIDENED);
      }
      const engine = open.newEngine();
      for (let from = 0; from < questions.length; from += MOST_AT_ONCE) {
        const batch = questions.slice(from, from + MOST_AT_ONCE);
        const { decisions } = await engine.checkMany(batch);
        for (const [position, question] of batch.entries()) {
          const truth = textOf(judgeBy(oracle, model, question));
          compare(question, 'many at once', textOf(decisions[position] as Decision), truth);
        }
      }
    }
  } finally {
    await open.close();
  }
}

/** Lets every part stand apart that can. */
async function splitAll({ reader, writer, clock, newId }: OpenTable): Promise<void> {
  const thresholds = { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 };
  const { unsplit } = await migrate({ reader, writer, clock, newId, thresholds });
  if (unsplit > 0) throw new Error(`${unsplit} items could not be split`);
}

/** The most that one call decides. */
const MOST_AT_ONCE = 1_000;

/** Answers to one question: warm twice, with the roles, one that reads, one of each alone, and one of many at once. */
const ANSWERS = WARM + 3;

/** How many questions a round asks, so that the world comes to this many checks or a few more. */
const questionsOf = (checks: number, round: number): number => {
  const questions = Math.ceil(checks / ANSWERS);
  const until = (rounds: number) => Math.ceil((questions * rounds) / (ROUNDS + 1));
  return until(round + 1) - until(round);
};

/** Whether these operations alone lead to a difference about this question, asked in this method; in any, if it is none. */
async function differs(
  stage: Stage,
  operations: readonly Operation[],
  { question, method }: Pick<Difference, 'question' | 'method'>,
  oracle: Oracle,
): Promise<boolean> {
  const open = await stage.open();
  const model = emptyModel();
  try {
    for (const each of operations) {
      const outcome = await open.carryOut(each.command, each.input);
      if (outcome.ok) each.apply(model);
    }
    open.clock.advance(60_000);
    await oracle.outcomes?.prepare(model, [question]);
    const methods = methodsOf(open, open.newEngine());
    const same = methods.filter(({ name }) => name === method);
    const asked = same.length > 0 ? same : methods;
    // Twice: what is cached may say something else than what was read.
    for (const { ask, truth } of [...asked, ...asked]) {
      if ((await ask(question)) !== truth(model, question, oracle)) return true;
    }
    return false;
  } finally {
    await open.close();
  }
}

/** Drops operations as long as the difference stays. One that does not show again in a new table stays as it is. */
export async function shrink(
  stage: Stage,
  difference: Difference,
  oracle: Oracle = { judge },
): Promise<Difference> {
  const { operations } = difference;
  if (!(await differs(stage, operations, difference, oracle))) return difference;
  const kept = await fewest(operations, (fewer) => differs(stage, fewer, difference, oracle));
  return { ...difference, operations: kept };
}

/** A difference as it can be told: the commands in their order, and the question. */
export const describeDifference = ({ operations, question, method, engine, oracle }: Difference): string =>
  [
    ...operations.map(({ command, input }) => JSON.stringify({ command, input })),
    `check ${JSON.stringify({ ...question, at: new Date(question.at).toISOString() })}`,
    `the engine (${method}): ${engine}; the oracle: ${oracle}`,
  ].join('\n');
