import { createJudgeByEngine } from '../oracle/outcomes.ts';
import { createRandom } from '../oracle/random.ts';
import { createCallers } from './callers.ts';
import { drawHistory } from './history.ts';
import { play } from './play.ts';
import { newTally } from './record.ts';
import { drawSmallWorld, furnish } from './worlds.ts';

const [from = 0, count = 20, verbose = 0] = process.argv.slice(2).map(Number);
const judge = createJudgeByEngine();
const tally = newTally();
const variants = [
  { conditions: false, tree: false },
  { conditions: true, tree: false },
  { conditions: false, tree: true },
];
const worlds = [];
for (const of of variants) {
  const { names, operations } = drawSmallWorld(createRandom(7), of);
  worlds.push({ names, world: await furnish(operations), of });
}
const all = await createCallers(worlds[0].names);
const began = process.cpuUsage();
let violations = 0;
for (let n = from; n < from + count; n++) {
  const { names, world, of } = worlds[n % 3];
  const history = drawHistory(n, names, world.model, { ...of, nodes: n % 2 === 0, outages: n % 5 === 0 });
  const { violations: found } = await play({
    ...{ history, world, judge, tally, callers: { all, names } },
    ...(verbose ? { onEvent: (at: number, text: string) => console.log(at.toFixed(2), text) } : {}),
  });
  if (found.length) { violations++; console.log(n, found.slice(0, 6)); }
}
const { user, system } = process.cpuUsage(began); const took = (user + system) / 1000;
console.log(tally, violations, `${took / count} ms each`);
