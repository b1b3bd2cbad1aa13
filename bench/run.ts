import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import budgets from './budgets.json' with { type: 'json' };
import { documentsWith } from './documents.ts';
import { checkBudgets, type FigureBudget } from './harness/budgets.ts';
import { environmentNow, type Results, readResults, withTopic, writeResults } from './harness/figures.ts';
import { figuresAsMarkdown, verdictsAsLines } from './harness/table.ts';
import type { Topic } from './harness/topic.ts';
import { TOPICS } from './topics/index.ts';

/**
 * `npm run bench [-- TOPIC...] [--quick] [--documents]`: measures, prints the figures, and compares them
 * with `budgets.json`. Exits with 1 when a budget is broken beyond noise, with 2 for an unknown topic. Writes
 * `results/latest.json` and the short answers of docs/performance.md; `--quick` takes
 * fewer rounds and writes nothing. `--documents` measures nothing and writes the documents anew, from the results that
 * are there.
 *
 * `npm run bench -- PROGRAM …` runs a program that measures something else.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** Each takes the words behind its name. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  'aws-proof': () => import('./aws-proof/main.ts'),
  'request-path': () => import('./request-path.ts'),
  'first-picture': () => import('../test/explorer/first-picture.ts'),
  budgets: () => import('./budgets.ts'),
};

function writeDocuments(results: Results): void {
  for (const [path, text] of documentsWith(results)) writeFileSync(path, text);
}

async function runTopic(name: string, quick: boolean): Promise<boolean> {
  const { topic }: { readonly topic: Topic } = await import(`./topics/${name}.ts`);
  console.log(`\n${name}: ${topic.title}`);
  const found = await topic.run({ quick, log: console.log });
  const figures = found.map((figure) => ({ ...figure, id: `${name}.${figure.id}` }));
  console.log(`\n${figuresAsMarkdown(figures)}\n`);
  if (!quick) {
    const measured = { environment: environmentNow(), figures };
    writeDocuments(writeResults(withTopic(readResults(), name, measured)));
  }
  const verdicts = checkBudgets(name, figures, budgets.figures as Record<string, FigureBudget>);
  if (verdicts.length > 0) console.log(verdictsAsLines(verdicts));
  return verdicts.every(({ holds }) => holds);
}

/** Each topic runs in a process of its own: V8's optimisations for one would influence the next. */
const runApart = (name: string, quick: boolean): boolean =>
  spawnSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), name, ...(quick ? ['--quick'] : [])],
    { stdio: 'inherit' },
  ).status === 0;

async function measure(words: readonly string[]): Promise<number> {
  if (words.includes('--documents')) {
    writeDocuments(readResults());
    return 0;
  }
  const { values, positionals: asked } = parseArgs({
    args: [...words],
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const { quick } = values;
  const unknown = asked.filter((name) => !TOPICS.includes(name));
  if (unknown.length > 0) {
    const [topics, programs] = [TOPICS, Object.keys(PROGRAMS)].map((names) => names.join(', '));
    console.error(`no topic ${unknown.join(', ')}; the topics are: ${topics}; the programs: ${programs}`);
    return 2;
  }
  const names = asked.length > 0 ? asked : TOPICS;
  const [only = '', ...others] = names;
  if (others.length === 0) return (await runTopic(only, quick)) ? 0 : 1;
  const broken = names.filter((name) => !runApart(name, quick));
  if (broken.length > 0) console.log(`\nnot within budget, or not measured: ${broken.join(', ')}`);
  return broken.length === 0 ? 0 : 1;
}

const [program, ...rest] = process.argv.slice(2);
const load = PROGRAMS[program ?? ''];
if (load) {
  process.argv.splice(2, process.argv.length, ...rest);
  await load();
} else {
  process.exit(await measure(process.argv.slice(2)));
}
