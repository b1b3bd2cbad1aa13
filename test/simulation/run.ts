import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { BLOCK, createCatalogue } from './catalogue.ts';
import { type Options, readOptions } from './options.ts';
import { addTally, newTally, type Tally } from './record.ts';
import { shrink } from './shrink.ts';

/** `npm run simulate`: histories in simulated time, on as many processors as there are. */

/** What a worker has found in a share of the histories. */
interface Share {
  readonly tally: Tally;
  /** The number of the first history with a violation. */
  readonly violated: number | undefined;
}

/** Plays some histories of a run, until one of them has a violation. */
async function playShare({ seed, plant }: Options, numbers: Iterable<number>): Promise<Share> {
  const catalogue = createCatalogue(seed, plant);
  const tally = newTally();
  for (const number of numbers) {
    const { violations } = await catalogue.play(await catalogue.choose(number), tally);
    if (violations.length > 0) return { tally, violated: number };
  }
  return { tally, violated: undefined };
}

/** The numbers of one worker: blocks in turn, for a block has worlds of its own. */
function* numbersOf(histories: number, worker: number, workers: number): Generator<number> {
  for (let first = worker * BLOCK; first < histories; first += workers * BLOCK)
    for (let n = first; n < Math.min(histories, first + BLOCK); n++) yield n;
}

/** The share of a worker, in a process of its own. */
const inProcess = (worker: number): Promise<Share> =>
  new Promise((resolve, reject) => {
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...process.env, SIMULATE_WORKER: String(worker) },
    });
    child.once('message', (share) => resolve(share as Share));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`a worker has ended with ${code}`)));
  });

function report(tally: Tally, seconds: number): void {
  const { cached, strong, atLeast } = tally.checks;
  const lines: readonly (readonly [string, string | number])[] = [
    [
      'histories',
      `${tally.histories} in ${Math.round(seconds)} s, ${Math.round(tally.histories / seconds)} a second`,
    ],
    ['checks', `${cached + strong + atLeast}: ${cached} cached, ${strong} strong, ${atLeast} atLeast`],
    ['  allowed', `${tally.allowed}; ${tally.undecided} without what a condition looks at`],
    ['  stale', `${tally.stale}, within the bound`],
    ['  misnamed', `${tally.misnamed}: refused rightly, for the reason of another instant`],
    ['  contended', tally.contended],
    ['  failed', `${tally.failed}; ${tally.bridged} answered within the second bound`],
    ['sessions', `${tally.sessions} answers`],
    ['lists', `${tally.lists}, strong`],
    [
      'requests',
      `${tally.requests}: ${tally.policies} policies for the whole API, ${tally.unauthorized} times 401`,
    ],
    ['writes', `${tally.writes}, ${tally.repeated} of them repeated; ${tally.refused} refused`],
    ['  given up', `${tally.givenUp}; committed after that: ${tally.late}`],
    ['  in steps', `${tally.stepwise}, ${tally.resumed} resumed by others`],
    ['migrations', `${tally.split}`],
    ['crashes', `${tally.crashes}, ${tally.freezes} freezes, ${tally.rotations} rotations of keys`],
  ];
  for (const [name, value] of lines) console.log(`${name.padEnd(12)} ${value}`);
}

/** Plays one history and, if it has a violation, tells as little of it as shows it. */
async function reportHistory({ seed, plant }: Options, number: number): Promise<boolean> {
  const catalogue = createCatalogue(seed, plant);
  const chosen = await catalogue.choose(number);
  console.log(`\nhistory ${number} of seed ${seed}: ${chosen.title}`);
  const shrunk = await shrink(catalogue, chosen);
  if (!shrunk) {
    const onEvent = (at: number, text: string) => console.log(`${at.toFixed(2).padStart(11)} ${text}`);
    await catalogue.play(chosen, newTally(), { onEvent });
    return true;
  }
  for (const line of shrunk.lines) console.log(line);
  console.log(`\n${shrunk.violation.text}`);
  const planted = plant === undefined ? '' : ` --plant ${plant}`;
  console.log(`\nagain: npm run simulate -- --seed ${seed} --only ${number}${planted}`);
  return false;
}

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2), {
      newSeed: () => Date.now() % 1_000_000_000,
      processors: availableParallelism(),
    });
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
  const { seed, histories, only } = options;
  console.log(`seed         ${seed}`);
  if (only !== undefined) {
    const isWell = await reportHistory(options, only);
    console.log(`violations   ${isWell ? 0 : 1}`);
    return isWell ? 0 : 1;
  }
  const began = performance.now();
  const workers = Math.min(options.workers, Math.ceil(histories / BLOCK));
  const again = process.argv.includes('--seed') ? [] : ['--seed', String(seed)];
  process.argv.push(...again);
  const shares =
    workers === 1
      ? [await playShare(options, numbersOf(histories, 0, 1))]
      : await Promise.all(Array.from({ length: workers }, (_, worker) => inProcess(worker)));
  const tally = newTally();
  for (const share of shares) addTally(tally, share.tally);
  report(tally, (performance.now() - began) / 1_000);
  const violated = shares.flatMap((share) => share.violated ?? []).sort((a, b) => a - b);
  console.log(`violations   ${violated.length}`);
  const [first] = violated;
  if (first === undefined) return 0;
  await reportHistory(options, first);
  return 1;
}

/** In a worker: its share, told to the process that has begun it. */
async function work(worker: number): Promise<void> {
  const options = readOptions(process.argv.slice(2), {
    newSeed: () => 0,
    processors: availableParallelism(),
  });
  const { histories } = options;
  const workers = Math.min(options.workers, Math.ceil(histories / BLOCK));
  const share = await playShare(options, numbersOf(histories, worker, workers));
  process.send?.(share, () => process.disconnect());
}

const { SIMULATE_WORKER: worker } = process.env;
if (worker === undefined) process.exitCode = await main();
else await work(Number(worker));
