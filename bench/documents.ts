import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assumptionsAsMarkdown } from './fleet/assumptions.ts';
import { fleetAsMarkdown } from './fleet/report.ts';
import type { Environment, Results } from './harness/figures.ts';
import { figuresAsMarkdown } from './harness/table.ts';
import { answerAsMarkdown, askedAsMarkdown } from './questions/answer.ts';
import { ASKED } from './questions/asked.ts';
import { ANSWERS } from './questions/index.ts';
import { TOPICS } from './topics/index.ts';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));
const ANSWER = /(<!-- answer: ([\w-]+) -->\n)[\s\S]*?(<!-- end of answer -->)/g;

type Document = readonly [path: string, text: string];

/** Paths of docs/performance.md and of the documents in docs/performance/, and their texts. */
export function readDocuments(): readonly Document[] {
  const inFolder = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^performance(?:[/\\].+)?\.md$/.test(path),
  );
  return inFolder.map((path) => [`${DOCS}/${path}`, readFileSync(`${DOCS}/${path}`, 'utf8')]);
}

/** All that `npm run bench` writes besides the results: the documents with their answers. */
export const documentsWith = (results: Results): readonly Document[] =>
  readDocuments().map(([path, text]) => [path, withAnswers(text, results)]);

/** The document with the short answers in their places. */
export const withAnswers = (markdown: string, results: Results): string =>
  markdown.replace(ANSWER, (place: string, start: string, name: string, end: string) => {
    const sentences = ANSWERS[name];
    const answer =
      name === 'asked'
        ? askedAsMarkdown(ASKED, results).answer
        : sentences && answerAsMarkdown(sentences, results);
    return answer === undefined ? place : `${start}\n${answer}\n\n${end}`;
  });

/** What a place of a document stands for that git does not hold: `figures servers`, `numbers asked`. */
export function tableOf(place: string, results: Results): string | undefined {
  const [kind, name = ''] = place.split(' ');
  if (place === 'numbers asked') return askedAsMarkdown(ASKED, results).numbers;
  if (place === 'assumptions of the fleet') return assumptionsAsMarkdown();
  if (kind !== 'figures' || !TOPICS.includes(name)) return undefined;
  const measured = results[name];
  const asMarkdown = name === 'fleet' ? fleetAsMarkdown : figuresAsMarkdown;
  return measured
    ? `${measuredOn(measured.environment)}\n\n${asMarkdown(measured.figures)}`
    : `Not measured yet: \`npm run bench -- ${name}\`.`;
}

const measuredOn = ({ node, cpu, cores, date, commit = 'unknown' }: Environment): string =>
  `Node ${node}, ${cpu}, ${cores} cores; ${date.slice(0, 10)}, commit ${commit}.`;
