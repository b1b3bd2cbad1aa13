import { readOptions } from '../options.ts';
import { findGo, WITHOUT_GO } from './cel/cel-go.ts';
import { newFaultTally, playFaults } from './faults.ts';
import { onStage } from './on-stage.ts';
import { judge } from './oracle.ts';
import { createCelGoOutcomes, type Outcomes } from './outcomes.ts';
import type { Stage } from './stage.ts';
import { describeDifference, newTally, playWorld, shrink } from './worlds.ts';

interface Options {
  readonly seed: number;
  readonly worlds: number;
  /** Checks in each world. */
  readonly checks: number;
}

/** `npm run proof -- oracle`: whether the engine answers as a naive reading of the specification does. */
async function playWorlds(go: string, stage: Stage, options: Options): Promise<boolean> {
  const outcomes = await createCelGoOutcomes(go);
  try {
    return await playWith(outcomes, stage, options);
  } finally {
    outcomes.stop();
  }
}

async function playWith(
  outcomes: Outcomes,
  stage: Stage,
  { seed, worlds, checks }: Options,
): Promise<boolean> {
  const tally = newTally();
  const oracle = { judge, outcomes };
  for (let world = 0; world < worlds && tally.differences.length === 0; world++) {
    await playWorld(stage, seed + world, checks, tally, oracle);
  }
  console.log(`questions    ${tally.questions}, ${tally.conditional} of them with conditions`);
  console.log(`conditions   ${JSON.stringify(outcomes.counts)}, by cel-go`);
  console.log(`checks       ${tally.checks}`);
  for (const [reason, count] of [...tally.reasons].sort()) console.log(`  ${reason.padEnd(20)} ${count}`);
  console.log(`acting       ${tally.acting} questions allowed to who acts, and to both alone`);
  console.log(`operations   ${tally.operations}, ${tally.refused} of them refused`);
  console.log(`differences  ${tally.differences.length}`);
  const [first] = tally.differences;
  if (first) console.log(`\n${describeDifference(await shrink(stage, first, oracle))}`);
  return tally.differences.length === 0;
}

const FAULTS_IN_A_WORLD = 2_500;

/** World after world, in each of which every kind of fault happens to many checks. */
async function playManyFaults(stage: Stage, seed: number, faults: number): Promise<boolean> {
  const tally = newFaultTally();
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  for (let world = 0; tally.checks < faults; world++) {
    await playFaults(stage, seed + world, Math.min(FAULTS_IN_A_WORLD, faults - tally.checks), tally);
    const { checks, violations } = tally;
    console.log(`  ${checks} checks, ${violations.length} violations, ${seconds()} s`);
  }
  const counts = (all: ReadonlyMap<string, number>) => {
    for (const [name, count] of [...all].sort()) console.log(`  ${name.padEnd(50)} ${count}`);
  };
  console.log(`checks under faults  ${tally.checks}, in ${seconds()} s; ${tally.besides} others around them`);
  console.log('what the engine knew');
  counts(tally.states);
  console.log('what came of it');
  counts(tally.outcomes);
  console.log(`bridged              ${tally.bridged}, within the second bound`);
  console.log(`late                 ${tally.late}, because this machine is slow`);
  console.log(`violations           ${tally.violations.length}`);
  for (const reported of tally.violations.slice(0, 5)) console.log(`\n${reported}`);
  return tally.violations.length === 0;
}

const KNOWN = { seed: 0, worlds: 1, checks: 1, faults: 1 };

async function main(): Promise<number> {
  const usage = 'oracle [--seed N (--worlds W --checks C | --faults F)]';
  const given = readOptions(process.argv.slice(2), KNOWN, usage);
  const seed = Number(given.seed ?? Date.now() % 1_000_000_000);
  const [worlds, checks] = [Number(given.worlds ?? 20), Number(given.checks ?? 400)];
  console.log(`seed         ${seed}`);
  if (given.faults !== undefined)
    return (await onStage((stage) => playManyFaults(stage, seed, Number(given.faults)))) ? 0 : 1;
  const go = await findGo();
  if (go === undefined) {
    console.error(WITHOUT_GO);
    return 2;
  }
  return (await onStage((stage) => playWorlds(go, stage, { seed, worlds, checks }))) ? 0 : 1;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message.includes('usage: ') ? error.message : error);
  return 2;
});
