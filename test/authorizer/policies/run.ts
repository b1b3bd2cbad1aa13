import { readOptions } from '../../proof/options.ts';
import { onStage } from '../../proof/oracle/on-stage.ts';
import { newPolicyTally, playPolicies } from './worlds.ts';

const ROUNDS = 6;

/** `npm run proof -- policies`: whether policies for the whole API allow what the oracle allows, path by path. */
async function main(): Promise<number> {
  const given = readOptions(process.argv.slice(2), { pairs: 1, seed: 0 }, 'policies [--pairs N] [--seed N]');
  const [pairs, seed] = [Number(given.pairs ?? 100_000), Number(given.seed ?? Date.now() % 1_000_000_000)];
  console.log(`seed         ${seed}`);
  return onStage(async (stage) => {
    const tally = newPolicyTally();
    for (let world = 0; tally.pairs < pairs && tally.differences.length === 0; world++)
      await playPolicies(stage, seed + world, ROUNDS, tally);
    console.log(`pairs        ${tally.pairs}, ${tally.allowed} of them allowed`);
    console.log(
      `callers      ${tally.whole} with a policy for the whole API, ${tally.wildcards} of them with wildcards`,
    );
    console.log(`             ${tally.route} without: their answers are for one route`);
    console.log(`bytes        ${Math.round(tally.bytes / Math.max(tally.whole, 1))} a policy`);
    console.log(`differences  ${tally.differences.length}`);
    for (const difference of tally.differences.slice(0, 3)) console.log(`\n${difference}`);
    return tally.differences.length === 0 ? 0 : 1;
  });
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message.includes('usage: ') ? error.message : error);
  return 2;
});
