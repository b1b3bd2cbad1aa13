import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import budgets from './budgets.json' with { type: 'json' };
import { checkBudgets, type FigureBudget } from './harness/budgets.ts';
import { withFigures } from './harness/document.ts';
import { environmentNow, readResults, withTopic, writeResults } from './harness/figures.ts';
import { figuresAsTable, verdictsAsTable } from './harness/table.ts';
import type { TopicContext } from './harness/topic.ts';
import { TOPICS } from './topics/index.ts';

/**
 * `npm run bench [-- TOPIC...] [--quick]`: measures, prints what it measured, and holds it to `budgets.json`. Ends
 * with 1 when a budget is broken beyond noise, with 2 when it was asked for what is not there. Writes
 * `results/latest.json`, and tables and pictures of docs/performance.md; with `--quick`, which takes fewer rounds, nothing.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const DOCUMENT = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const CHARTS = fileURLToPath(new URL('../docs/performance', import.meta.url));

async function runTopic(name: string, quick: boolean): Promise<boolean> {
  const load = TOPICS[name];
  if (!load) throw new Error(`no topic ${name}`);
  const charts = new Map<string, string>();
  const context: TopicContext = {
    quick,
    log: (line) => console.log(line),
    saveChart: (chart, svg) => charts.set(chart, svg),
  };
  const topic = await load();
  console.log(`\n${topic.name}: ${topic.title}`);
  const figures = await topic.run(context);
  console.log(`\n${figuresAsTable(figures)}\n`);
  if (!quick) {
    const results = withTopic(readResults(), name, figures, environmentNow());
    writeResults(results);
    writeFileSync(DOCUMENT, withFigures(readFileSync(DOCUMENT, 'utf8'), readResults() ?? results));
    mkdirSync(CHARTS, { recursive: true });
    for (const [chart, svg] of charts) writeFileSync(`${CHARTS}/${chart}.svg`, svg);
  }
  const verdicts = checkBudgets(name, figures, budgets.figures as Record<string, FigureBudget>);
  if (verdicts.length > 0) console.log(verdictsAsTable(verdicts));
  return verdicts.every(({ holds }) => holds);
}

/** Each topic in a process of its own: what one makes of the engine's machine code must not be left to the next. */
const runApart = (name: string, quick: boolean): boolean =>
  spawnSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), name, ...(quick ? ['--quick'] : [])],
    { stdio: 'inherit' },
  ).status === 0;

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const asked = words.filter((word) => word !== '--quick');
const unknown = asked.filter((name) => !Object.hasOwn(TOPICS, name));
if (unknown.length > 0) {
  console.error(`no topic ${unknown.join(', ')}; there are: ${Object.keys(TOPICS).join(', ')}`);
  process.exit(2);
}
const names = asked.length > 0 ? asked : Object.keys(TOPICS);
const [only] = names;
if (names.length === 1 && only !== undefined) {
  process.exit((await runTopic(only, quick)) ? 0 : 1);
}
const broken = names.filter((name) => !runApart(name, quick));
if (broken.length > 0) console.log(`\nnot within budget, or not measured: ${broken.join(', ')}`);
process.exit(broken.length === 0 ? 0 : 1);
