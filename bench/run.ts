import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import budgets from './budgets.json' with { type: 'json' };
import { checkBudgets, type FigureBudget } from './harness/budgets.ts';
import { readDocuments, withFigures } from './harness/document.ts';
import { environmentNow, readResults, withTopic, writeResults } from './harness/figures.ts';
import { figuresAsTable, verdictsAsTable } from './harness/table.ts';
import type { TopicContext } from './harness/topic.ts';
import { TOPICS } from './topics/index.ts';

/**
 * `npm run bench [-- TOPIC...] [--quick] [--users N]`: measures, prints the figures, and compares them with
 * `budgets.json`. Exits with 1 when a budget is broken beyond noise, with 2 for an unknown topic. Writes
 * `results/latest.json` and the marked tables of the documents; `--quick` takes fewer rounds and writes
 * nothing; neither does `--users`, the size of one topic.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

async function runTopic(name: string, quick: boolean, users?: number): Promise<boolean> {
  const load = TOPICS[name];
  if (!load) throw new Error(`no topic ${name}`);
  const context: TopicContext = {
    quick,
    users,
    log: (line) => console.log(line),
  };
  const topic = await load();
  console.log(`\n${topic.name}: ${topic.title}`);
  const figures = await topic.run(context);
  console.log(`\n${figuresAsTable(figures)}\n`);
  if (!quick && users === undefined) {
    const measured = { environment: environmentNow(), figures };
    const results = writeResults(withTopic(readResults(), name, measured));
    for (const [path, text] of readDocuments()) writeFileSync(path, withFigures(text, results));
  }
  const verdicts = checkBudgets(name, figures, budgets.figures as Record<string, FigureBudget>);
  if (verdicts.length > 0) console.log(verdictsAsTable(verdicts));
  return verdicts.every(({ holds }) => holds);
}

/** Each topic runs in a process of its own: V8's optimisations for one would influence the next. */
const runApart = (name: string, quick: boolean): boolean =>
  spawnSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), name, ...(quick ? ['--quick'] : [])],
    { stdio: 'inherit' },
  ).status === 0;

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const usersAt = words.indexOf('--users');
const users = usersAt < 0 ? undefined : Number(words[usersAt + 1]);
const asked = words.filter(
  (word, at) => word !== '--quick' && (usersAt < 0 || (at !== usersAt && at !== usersAt + 1)),
);
const unknown = asked.filter((name) => !Object.hasOwn(TOPICS, name));
if (unknown.length > 0) {
  console.error(`no topic ${unknown.join(', ')}; the topics are: ${Object.keys(TOPICS).join(', ')}`);
  process.exit(2);
}
const names = asked.length > 0 ? asked : Object.keys(TOPICS);
const [only] = names;
if (names.length === 1 && only !== undefined) {
  process.exit((await runTopic(only, quick, users)) ? 0 : 1);
}
const broken = names.filter((name) => !runApart(name, quick));
if (broken.length > 0) console.log(`\nnot within budget, or not measured: ${broken.join(', ')}`);
process.exit(broken.length === 0 ? 0 : 1);
