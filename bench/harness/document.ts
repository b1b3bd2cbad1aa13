import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment, Results } from './figures.ts';
import { figuresAsMarkdown } from './table.ts';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const PLACE = /(<!-- figures of ([\w-]+) -->\n)[\s\S]*?(<!-- end of figures -->)/g;

/** Paths of docs/performance.md and of the documents in docs/performance/, and their texts. */
export function readDocuments(): readonly (readonly [path: string, text: string])[] {
  const inFolder = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^performance(?:[/\\].+)?\.md$/.test(path),
  );
  return inFolder.map((path) => [`${DOCS}/${path}`, readFileSync(`${DOCS}/${path}`, 'utf8')]);
}

/** The document with the results in its marked places, each with the machine that they were measured on. */
export const withFigures = (markdown: string, results: Results): string =>
  markdown.replace(PLACE, (place: string, start: string, topic: string, end: string) => {
    const measured = results[topic];
    if (!measured) return place;
    const { environment, figures } = measured;
    return `${start}\n${measuredOn(environment)}\n\n${figuresAsMarkdown(figures)}\n\n${end}`;
  });

const measuredOn = ({ node, cpu, cores, date, commit = 'unknown' }: Environment): string =>
  `Node ${node}, ${cpu}, ${cores} cores; ${date.slice(0, 10)}, commit ${commit}.`;
