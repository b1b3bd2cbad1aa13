import { parseArgs } from 'node:util';
import { PLANTS, type PlantName } from './plants.ts';

export interface Options {
  readonly seed: number;
  readonly histories: number;
  /** The number of the one history that is played, and told. */
  readonly only: number | undefined;
  /** The fault that is planted. */
  readonly plant: PlantName | undefined;
  /** Processes that play at the same time. */
  readonly workers: number;
}

const PLANT_NAMES = Object.keys(PLANTS);
const USAGE = `usage: npm run proof -- simulate [--seed N --histories H --only K --plant ${PLANT_NAMES.join('|')} --workers W]`;
const LARGEST = 1_000_000_000;
const NAMES = ['seed', 'histories', 'only', 'plant', 'workers'] as const;
type Name = (typeof NAMES)[number];

/** Reads the command line; throws an error of one line for what it does not know. */
export function readOptions(
  args: readonly string[],
  { newSeed, processors }: { readonly newSeed: () => number; readonly processors: number },
): Options {
  // Not strict: its own messages take several lines and give advice that does not fit here.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }])),
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !NAMES.some((name) => name === token.name))
      throw new Error(`unknown argument ${args[token.index]}; ${USAGE}`);
    if (given.has(token.name)) throw new Error(`--${token.name} is given twice; ${USAGE}`);
    given.set(token.name, token.value ?? '');
  }
  const number = (name: Name, least: number): number | undefined => {
    const text = given.get(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= LARGEST))
      throw new Error(`--${name} needs a whole number from ${least} to ${LARGEST}; ${USAGE}`);
    return value;
  };
  const plant = given.get('plant');
  if (plant !== undefined && !PLANT_NAMES.includes(plant))
    throw new Error(`--plant is one of ${PLANT_NAMES.join(', ')}; ${USAGE}`);
  const [only, histories] = [number('only', 0), number('histories', 1)];
  if (only !== undefined && histories !== undefined)
    throw new Error(`--only goes without --histories; ${USAGE}`);
  return {
    seed: number('seed', 0) ?? newSeed(),
    histories: histories ?? 1_000,
    only,
    plant: plant as PlantName | undefined,
    workers: number('workers', 1) ?? processors,
  };
}
