import { BLOCK, createCatalogue } from './catalogue.ts';
import type { PlantName } from './plants.ts';
import { newTally, type Tally } from './record.ts';

/** A process that plays some histories of a run, which run.ts begins and hears. */

/** Which ones. */
export interface Part {
  readonly seed: number;
  readonly plant: PlantName | undefined;
  readonly histories: number;
  /** The number of this worker, of so many. */
  readonly worker: number;
  readonly workers: number;
}

/** What a worker has found in them. */
export interface Share {
  readonly tally: Tally;
  /** The number of the first history with a violation. */
  readonly violated: number | undefined;
}

/** The numbers of one worker: blocks in turn, for a block has worlds of its own. */
function* numbersOf({ histories, worker, workers }: Part): Generator<number> {
  for (let first = worker * BLOCK; first < histories; first += workers * BLOCK)
    for (let n = first; n < Math.min(histories, first + BLOCK); n++) yield n;
}

/** Plays until a history has a violation. */
async function playShare(part: Part): Promise<Share> {
  const catalogue = createCatalogue(part.seed, part.plant);
  const tally = newTally();
  for (const number of numbersOf(part)) {
    const { violations } = await catalogue.play(await catalogue.choose(number), tally);
    if (violations.length > 0) return { tally, violated: number };
  }
  return { tally, violated: undefined };
}

const share = await playShare(JSON.parse(String(process.argv[2])) as Part);
process.send?.(share, () => process.disconnect());
