import { check, parse } from '../../../../engine/conditions/cel.ts';
import { variablesOf } from '../../../../engine/conditions/declarations.ts';
import { createRandom } from '../random.ts';
import { startCelGo, toLine } from './cel-go.ts';
import { createQuestions, DECLARATIONS } from './questions.ts';

export interface Comparison {
  /** Expressions that are accepted when they are written, and so compared. */
  compared: number;
  readonly refused: Map<string, number>;
  readonly outcomes: Map<string, number>;
  /** Described, with all that is needed to see them again. */
  readonly differences: string[];
}

const increase = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const BATCH = 5_000;

/**
 * Compares `questions` accepted expressions with cel-go. An expression that is refused when it is written is never
 * evaluated; one that is accepted must have the same outcome: true, false or none.
 */
export async function compare(program: string, questions: number, seed: number): Promise<Comparison> {
  const next = createQuestions(createRandom(seed));
  const comparison: Comparison = { compared: 0, refused: new Map(), outcomes: new Map(), differences: [] };
  const celGo = startCelGo(program, DECLARATIONS);
  while (comparison.compared < questions) {
    const lines: string[] = [];
    const ours: string[] = [];
    while (lines.length < Math.min(BATCH, questions - comparison.compared)) {
      const { expression, input } = next();
      const problem = check(expression, DECLARATIONS);
      if (problem) {
        increase(comparison.refused, problem.message.replace(/['‘:].*/, ''));
        continue;
      }
      const variables = variablesOf(input, DECLARATIONS);
      const outcome = parse(expression).evaluate(variables);
      ours.push('holds' in outcome ? String(outcome.holds) : `error ${outcome.unknown}`);
      lines.push(toLine(expression, variables));
    }
    const theirs = await celGo.answersOf(lines);
    for (const [position, answer] of theirs.entries()) {
      const our = ours[position] ?? '';
      comparison.compared++;
      increase(comparison.outcomes, our.startsWith('error') ? 'none' : our);
      if (our.split(' ', 1)[0] === answer.split(' ', 1)[0]) continue;
      comparison.differences.push(`${lines[position]}\n  here:   ${our}\n  cel-go: ${answer}`);
    }
  }
  celGo.stop();
  return comparison;
}
