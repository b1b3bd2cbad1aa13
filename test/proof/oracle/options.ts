import { parseArgs } from 'node:util';

export interface Options {
  readonly seed: number;
  readonly worlds: number;
  /** Checks in each world. */
  readonly checks: number;
  /** Checks under faults. */
  readonly faults: number;
}

const USAGE = 'usage: npm run proof -- oracle [--seed N (--worlds W --checks C | --faults F)]';

const NAMES = ['seed', 'worlds', 'checks', 'faults'] as const;
const LARGEST = 1_000_000_000;

/** Reads the command line; throws an error of one line for what it does not know. */
export function readOptions(args: readonly string[], newSeed: () => number): Options {
  // Not strict: its own messages take several lines and give advice that does not fit here.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }])),
    strict: false,
    tokens: true,
  });
  const given = new Map<string, number>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !NAMES.some((name) => name === token.name)) {
      throw new Error(`unknown argument ${args[token.index]}; ${USAGE}`);
    }
    if (given.has(token.name)) throw new Error(`--${token.name} is given twice; ${USAGE}`);
    const number = /^\d{1,10}$/.test(token.value ?? '') ? Number(token.value) : Number.NaN;
    if (!(number >= (token.name === 'seed' ? 0 : 1) && number <= LARGEST)) {
      throw new Error(`--${token.name} needs a whole number, at most ${LARGEST}; ${USAGE}`);
    }
    given.set(token.name, number);
  }
  const faults = given.get('faults') ?? 0;
  if (faults > 0 && [...given.keys()].some((name) => name !== 'seed' && name !== 'faults'))
    throw new Error(`--faults goes with --seed alone; ${USAGE}`);
  return {
    seed: given.get('seed') ?? newSeed(),
    worlds: faults > 0 ? 0 : (given.get('worlds') ?? 20),
    checks: given.get('checks') ?? 400,
    faults,
  };
}
