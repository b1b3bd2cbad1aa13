import { readOptions } from '../../options.ts';
import { buildProgram, findGo, WITHOUT_GO } from './cel-go.ts';
import { compare } from './compare.ts';

/** `npm run proof -- cel --questions N --seed S`: whether conditions are evaluated as cel-go evaluates them. */
try {
  const given = readOptions(process.argv.slice(2), { questions: 1, seed: 0 }, 'cel [--questions N --seed S]');
  const questions = Number(given.questions ?? 5_000);
  const seed = Number(given.seed ?? Date.now() % 1_000_000_000);
  const go = await findGo();
  if (go === undefined) throw new Error(WITHOUT_GO);
  console.log(`seed         ${seed}`);
  const { compared, outcomes, refused, differences } = await compare(await buildProgram(go), questions, seed);
  console.log(`compared     ${compared}`);
  for (const [name, count] of [...outcomes].sort()) console.log(`  ${name.padEnd(10)} ${count}`);
  console.log(`refused      ${[...refused.values()].reduce((sum, count) => sum + count, 0)}, not compared`);
  console.log(`differences  ${differences.length}`);
  for (const difference of differences.slice(0, 5)) console.log(`\n${difference}`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
