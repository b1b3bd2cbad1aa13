import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Observation } from './observe.ts';

/** docs/faults.md, whose table is made of what was seen. */
const PAGE = fileURLToPath(new URL('../../docs/faults.md', import.meta.url));

const BEGIN =
  '<!-- Made by `node --import tsx test/faults/write.ts`; a test compares it with what it sees. -->\n\n';
const END = '\n<!-- The end of what is made. -->';

const HEAD = [
  '| fault | function | its caller gets | log lines | metrics | alarms, when it lasts | runbook |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];

const listed = (texts: readonly string[]): string =>
  texts.length === 0 ? 'none' : texts.map((text) => `\`${text.replaceAll('|', '\\|')}\``).join('<br>');

/** The row of an observation. */
export const rowOf = ({ fault, name, got, lines, metrics, alarms }: Observation): string =>
  `| ${[
    fault.title,
    name,
    got,
    listed(lines),
    listed(metrics),
    listed(alarms),
    `[${fault.runbook.replace('.md', '')}](runbooks/${fault.runbook})`,
  ].join(' | ')} |`;

/** The rows of the page. */
export function rowsOfPage(): readonly string[] {
  const [, rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  const [table = ''] = rest.split(END);
  return table.trim().split('\n').slice(HEAD.length);
}

/** Puts rows into the page, in the place of those that it has. */
export function writeRows(rows: readonly string[]): void {
  const text = readFileSync(PAGE, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const [, after = ''] = rest.split(END);
  writeFileSync(PAGE, `${before}${BEGIN}${[...HEAD, ...rows].join('\n')}\n${END}${after}`);
}
