import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment, Results } from './harness/figures.ts';
import { figuresAsMarkdown } from './harness/table.ts';
import { answerAsMarkdown, pictureNameOf, pictureOf } from './questions/answer.ts';
import { QUESTIONS } from './questions/index.ts';
import { TOPICS } from './topics/index.ts';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));
const FIGURES = /(<!-- figures of ([\w-]+) -->\n)[\s\S]*?(<!-- end of figures -->)/g;
const ANSWER = /(<!-- answer: ([\w-]+) -->\n)[\s\S]*?(<!-- end of answer -->)/g;
const ALL_TOPICS = /(<!-- topics -->\n)[\s\S]*?(<!-- end of topics -->)/g;

type Document = readonly [path: string, text: string];

/** Paths of docs/performance.md and of the documents in docs/performance/, and their texts. */
export function readDocuments(): readonly Document[] {
  const inFolder = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^performance(?:[/\\].+)?\.md$/.test(path),
  );
  return inFolder.map((path) => [`${DOCS}/${path}`, readFileSync(`${DOCS}/${path}`, 'utf8')]);
}

/** All that `npm run bench` writes besides the results: the documents with their figures, and the pictures of questions. */
export const documentsWith = (results: Results): readonly Document[] => [
  ...readDocuments().map(([path, text]) => [path, withFigures(text, results)] as const),
  ...QUESTIONS.flatMap((question) => {
    const picture = pictureOf(question, results);
    return picture === undefined ? [] : [[`${DOCS}/pictures/${pictureNameOf(question)}`, picture] as const];
  }),
];

/** The document with the results in its marked places: figures with their machine, answers, and the list of topics. */
export const withFigures = (markdown: string, results: Results): string =>
  markdown
    .replace(FIGURES, (place: string, start: string, topic: string, end: string) => {
      const measured = results[topic];
      if (!measured) return place;
      const { environment, figures } = measured;
      return `${start}\n${measuredOn(environment)}\n\n${figuresAsMarkdown(figures)}\n\n${end}`;
    })
    .replace(ANSWER, (place: string, start: string, name: string, end: string) => {
      const question = QUESTIONS.find((each) => each.name === name);
      return question ? `${start}\n${answerAsMarkdown(question, results)}\n\n${end}` : place;
    })
    .replace(
      ALL_TOPICS,
      (_: string, start: string, end: string) => `${start}\n${topicsAsMarkdown(results)}\n\n${end}`,
    );

const measuredOn = ({ node, cpu, cores, date, commit = 'unknown' }: Environment): string =>
  `Node ${node}, ${cpu}, ${cores} cores; ${date.slice(0, 10)}, commit ${commit}.`;

const topicsAsMarkdown = (results: Results): string =>
  [
    '| topic | measured |',
    '|---|---|',
    ...Object.keys(TOPICS).map((topic) => {
      const measured = results[topic];
      return measured
        ? `| [\`${topic}\`](performance/${topic}.md) | ${measuredOn(measured.environment)} |`
        : `| \`${topic}\` | not yet |`;
    }),
  ].join('\n');
