import { onStage } from '../../proof/oracle/on-stage.ts';
import { newPolicyTally, playPolicies } from './worlds.ts';

const USAGE = 'usage: npm run proof -- policies [--pairs N] [--seed N]';
const ROUNDS = 6;

/** A whole number after an option; undefined when the option is not there. */
function numberAfter(args: readonly string[], option: string): number | undefined {
  const at = args.indexOf(option);
  if (at < 0) return undefined;
  const text = args[at + 1] ?? '';
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${option} takes a whole number\n${USAGE}`);
  return Number(text);
}

/** `npm run proof -- policies`: whether policies for the whole API allow what the oracle allows, path by path. */
async function main(args: readonly string[]): Promise<number> {
  let options: { readonly pairs: number; readonly seed: number };
  try {
    const unknown = args.find((arg) => !['--pairs', '--seed'].includes(arg) && !/^\d+$/.test(arg));
    if (unknown !== undefined) throw new Error(`unknown option ${unknown}\n${USAGE}`);
    const [pairs = 100_000, seed = Date.now() % 1_000_000_000] = ['--pairs', '--seed'].map((option) =>
      numberAfter(args, option),
    );
    options = { pairs, seed };
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
  console.log(`seed         ${options.seed}`);
  return onStage(async (stage) => {
    const tally = newPolicyTally();
    for (let world = 0; tally.pairs < options.pairs && tally.differences.length === 0; world++) {
      await playPolicies(stage, options.seed + world, ROUNDS, tally);
    }
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

process.exitCode = await main(process.argv.slice(2));
