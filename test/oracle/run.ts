import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { type Options, readOptions } from './options.ts';
import { createStage, type Stage } from './stage.ts';
import { describeDifference, newTally, playWorld, shrink } from './worlds.ts';

/** `npm run oracle`: whether the engine answers as a naive reading of the specification does. */
async function playWorlds(stage: Stage, { seed, worlds, checks }: Options): Promise<boolean> {
  const tally = newTally();
  for (let world = 0; world < worlds && tally.differences.length === 0; world++) {
    await playWorld(stage, seed + world, checks, tally);
  }
  console.log(`checks       ${tally.checks}`);
  for (const [reason, count] of [...tally.reasons].sort()) console.log(`  ${reason.padEnd(20)} ${count}`);
  console.log(`operations   ${tally.operations}, ${tally.refused} of them refused`);
  console.log(`differences  ${tally.differences.length}`);
  const [first] = tally.differences;
  if (first) console.log(`\n${describeDifference(await shrink(stage, first))}`);
  return tally.differences.length === 0;
}

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2), () => Date.now() % 1_000_000_000);
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
  console.log(`seed         ${options.seed}`);
  const given = process.env.DYNAMODB_ENDPOINT;
  const engine = given ? undefined : await startEmbeddedEngine();
  try {
    const stage = createStage(given ?? engine?.endpoint ?? '');
    return (await playWorlds(stage, options)) ? 0 : 1;
  } finally {
    await engine?.stop();
  }
}

process.exitCode = await main();
