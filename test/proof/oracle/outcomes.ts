import { type Expression, parse } from '../../../engine/conditions/cel.ts';
import type { Decision } from '../../../engine/index.ts';
import type { ValueType } from '../../../table/properties.ts';
import { buildProgram, startCelGo, toLine } from './cel/cel-go.ts';
import { NAMES } from './conditions.ts';
import type { Model, Question } from './model.ts';
import { judge, type Outcome, type OutcomeOf } from './oracle.ts';

/** What conditions come to, for the oracle, which is asked synchronously. */
export interface Outcomes {
  /** @throws Error for what was not prepared */
  readonly outcomeOf: OutcomeOf;
  /**
   * Evaluates what the oracle will look at for these questions.
   *
   * @returns how many conditions it looks at, for each question
   */
  readonly prepare: (model: Model, questions: readonly Question[]) => Promise<readonly number[]>;
  /** How many evaluations came to what. */
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly stop: () => void;
}

/**
 * Outcomes by cel-go, kept for one model by the text of the expression and the variables.
 *
 * @param go the command, as `findGo` finds it
 */
export async function createCelGoOutcomes(go: string): Promise<Outcomes> {
  const celGo = startCelGo(await buildProgram(go), declarationsOfAll());
  const known = new Map<string, Outcome>();
  let of: Model | undefined;
  const counts = { true: 0, false: 0, unknown: 0 };
  return {
    counts,
    stop: celGo.stop,
    outcomeOf: (expression, variables) => {
      const outcome = known.get(toLine(expression, variables));
      if (outcome === undefined) throw new Error(`not prepared: ${expression}`);
      return outcome;
    },
    prepare: async (model, questions) => {
      if (model !== of) known.clear();
      of = model;
      const wanted = new Set<string>();
      const looked = questions.map((question) => {
        let conditions = 0;
        judge(model, question, (expression, variables) => {
          conditions += 1;
          wanted.add(toLine(expression, variables));
          return 'unknown';
        });
        return conditions;
      });
      const lines = [...wanted].filter((line) => !known.has(line));
      const answers = await celGo.answersOf(lines);
      for (const [position, line] of lines.entries()) {
        const answer = String(answers[position]);
        // What cel-go does not compile, provisioning should have refused.
        if (answer.startsWith('refused')) throw new Error(`${line}\ncel-go: ${answer}`);
        const outcome = answer === 'true' || answer === 'false' ? answer : 'unknown';
        counts[outcome] += 1;
        known.set(line, outcome);
      }
      return looked;
    },
  };
}

/** One type of subject and one of resource have all names: in random worlds a name has one type. */
function declarationsOfAll() {
  const declared = (names: Readonly<Record<string, ValueType>>) =>
    new Map(Object.entries(names).map(([name, type]) => [name, { type, source: 'passed' as const }]));
  return new Map([
    ['subject:user', declared(NAMES.subject)],
    ['resource:record', declared(NAMES.resource)],
    ['action', declared(NAMES.action)],
    ['context', declared(NAMES.context)],
  ]);
}

/**
 * The oracle with the engine's own evaluation of conditions: for histories and faults, which test what is
 * read and kept, not CEL. They need no other program, and can judge any state at any time.
 */
export function createJudgeByEngine(): (model: Model, question: Question) => Decision {
  const parsed = new Map<string, Expression>();
  return (model, question) =>
    judge(model, question, (expression, variables) => {
      const known = parsed.get(expression) ?? parse(expression);
      parsed.set(expression, known);
      const outcome = known.evaluate(variables);
      return 'holds' in outcome ? (outcome.holds ? 'true' : 'false') : 'unknown';
    });
}
