import { Environment, ParseError } from '@marcbachmann/cel-js';
import { invalid } from '../../table/errors.ts';
import { type Declarations, MAX_CONDITION_LENGTH } from '../../table/properties.ts';
import type { Variables } from './declarations.ts';

/** Whether a condition holds, or why that is not known. */
export type Outcome = { readonly holds: boolean } | { readonly unknown: string };

/** An expression in CEL, parsed. */
export interface Expression {
  readonly text: string;
  /**
   * What it looks at, by name: `subject.properties.role`, `context.ip`. A name covers all below it:
   * `context` stands for the whole map.
   */
  readonly uses: readonly string[];
  /** Never throws, and ends within its bound. */
  readonly evaluate: (variables: Variables) => Outcome;
}

/** What is wrong with an expression. */
export interface Problem {
  readonly message: string;
  /** Characters before the place in the text. */
  readonly position: number;
}

const LIMITS = {
  maxAstNodes: 300,
  maxDepth: 24,
  maxListElements: 200,
  maxMapEntries: 50,
  maxCallArguments: 4,
};

const environment = (() => {
  const made = new Environment({ limits: LIMITS, homogeneousAggregateLiterals: false });
  for (const name of ['subject', 'resource', 'action', 'context']) made.registerVariable(name, 'map');
  return made;
})();

/**
 * @param text of an expression that was checked when it was written
 * @throws GatehouseError `invalid` on `when`, with the position
 */
export function parse(text: string): Expression {
  if (text.length > MAX_CONDITION_LENGTH)
    throw invalid('when', `when must have at most ${MAX_CONDITION_LENGTH} characters`);
  try {
    const run = environment.parse(text);
    return {
      text,
      uses: ['subject', 'resource', 'action', 'context'],
      evaluate: (variables) => {
        try {
          const value: unknown = run(variables);
          return typeof value === 'boolean' ? { holds: value } : { unknown: 'the expression is not a bool' };
        } catch (error) {
          return { unknown: error instanceof Error ? error.message : String(error) };
        }
      },
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw invalid('when', `when: ${error.summary} at ${error.range?.start ?? 0}`);
  }
}

/** What is wrong with an expression, before it is written: its syntax, its types, what it may look at. */
export function check(text: string, _declarations: Declarations): Problem | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error), position: 0 };
  }
}
