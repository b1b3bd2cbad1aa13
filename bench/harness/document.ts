import type { Results } from './figures.ts';
import { figuresAsMarkdown } from './table.ts';

const PLACE = /(<!-- figures of ([\w-]+) -->\n)[\s\S]*?(<!-- end of figures -->)/g;
const ENVIRONMENT = /(<!-- environment -->\n)[\s\S]*?(<!-- end of environment -->)/;

/** The document with the results in the places that are marked for them. */
export function withFigures(markdown: string, { environment, figures }: Results): string {
  const { node, cpu, cores, date, commit = 'unknown' } = environment;
  const taken = `Node ${node}, ${cpu}, ${cores} cores; ${date.slice(0, 10)}, commit ${commit}.`;
  return markdown
    .replace(PLACE, (_, start: string, topic: string, end: string) => {
      const own = figures.filter(({ id }) => id.startsWith(`${topic}.`));
      return `${start}\n${figuresAsMarkdown(own)}\n\n${end}`;
    })
    .replace(ENVIRONMENT, (_, start: string, end: string) => `${start}\n${taken}\n\n${end}`);
}
