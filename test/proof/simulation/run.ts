import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { readOptions } from '../options.ts';
import { BLOCK, createCatalogue } from './catalogue.ts';
import { PLANTS, type PlantName } from './plants.ts';
import { addTally, newTally, type Tally } from './record.ts';
import { shrink } from './shrink.ts';
import type { Part, Share } from './worker.ts';

/** `npm run proof -- simulate`: histories in simulated time, on as many processors as there are. */

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

/**
 * What workers run: one file, which esbuild makes. It begins at once, and is faster than what tsx makes of each module
 * while it is loaded.
 *
 * @returns the file, and what removes it
 */
async function bundleWorker() {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'simulation-'));
  const file = join(folder, 'worker.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A share of the histories, in a process of its own. */
const inProcess = (file: string, part: Part): Promise<Share> =>
  new Promise((resolve, reject) => {
    const child = fork(file, [JSON.stringify(part)], { execArgv: ['--max-semi-space-size=64'] });
    child.once('message', (share: Share) => resolve(share));
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
    [
      '  allowed',
      `${tally.allowed}, ${tally.acting} to who acts; ${tally.undecided} without what a condition looks at`,
    ],
    ['  by groups', `${tally.byGroups}, requests among them: allowed by those of a token alone`],
    ['  stale', `${tally.stale}, within the bound`],
    ['  misnamed', `${tally.misnamed}: refused rightly, for the reason of another instant`],
    ['  contended', tally.contended],
    ['  failed', `${tally.failed}; ${tally.bridged} answered within the second bound`],
    ['sessions', `${tally.sessions} answers`],
    ['lists', `${tally.lists} of what may be done, strong; ${tally.pages} of administrators`],
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

interface Sown {
  readonly seed: number;
  readonly plant: PlantName | undefined;
}

/** Plays one history and, if it has a violation, tells as little of it as shows it. */
async function reportHistory({ seed, plant }: Sown, number: number): Promise<boolean> {
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
  console.log(`\nagain: npm run proof -- simulate --seed ${seed} --only ${number}${planted}`);
  return false;
}

const KNOWN = { seed: 0, histories: 1, only: 0, plant: Object.keys(PLANTS), workers: 1 };
const USAGE = 'simulate [--seed N (--histories H | --only K) --plant FAULT --workers W]';

async function main(): Promise<number> {
  const given = readOptions(process.argv.slice(2), KNOWN, USAGE);
  const seed = Number(given.seed ?? Date.now() % 1_000_000_000);
  const plant = given.plant as PlantName | undefined;
  const histories = Number(given.histories ?? 1_000);
  console.log(`seed         ${seed}`);
  if (given.only !== undefined) {
    const isWell = await reportHistory({ seed, plant }, Number(given.only));
    console.log(`violations   ${isWell ? 0 : 1}`);
    return isWell ? 0 : 1;
  }
  const began = performance.now();
  const workers = Math.min(Number(given.workers ?? availableParallelism()), Math.ceil(histories / BLOCK));
  const bundled = await bundleWorker();
  const inPart = async (worker: number): Promise<Share> => {
    const part = { seed, plant, histories, worker, workers };
    const share = await inProcess(bundled.file, part);
    // The others still play: who interrupts the run now knows it all the same.
    if (share.violated !== undefined) console.error(`history ${share.violated} has a violation`);
    return share;
  };
  const shares = await Promise.all(Array.from({ length: workers }, (_, worker) => inPart(worker))).finally(
    bundled.remove,
  );
  const tally = newTally();
  for (const share of shares) addTally(tally, share.tally);
  report(tally, (performance.now() - began) / 1_000);
  const violated = shares.flatMap((share) => share.violated ?? []).sort((a, b) => a - b);
  console.log(`violations   ${violated.length}`);
  const [first] = violated;
  if (first === undefined) return 0;
  await reportHistory({ seed, plant }, first);
  return 1;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message.includes('usage: ') ? error.message : error);
  return 2;
});
