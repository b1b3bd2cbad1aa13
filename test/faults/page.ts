import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Observation } from './observe.ts';

/** What was seen when the faults were tried last: the table of docs/internals/faults.md is made of it. */
const SEEN = fileURLToPath(new URL('seen.json', import.meta.url));

interface Row {
  readonly fault: string;
  readonly function: string;
  /** What the function's caller gets. */
  readonly got: string;
  readonly lines: readonly string[];
  readonly metrics: readonly string[];
  /** Those that go off when the fault lasts. */
  readonly alarms: readonly string[];
  readonly runbook: string;
}

/** The row of an observation. */
export const rowOf = ({ fault, name, got, lines, metrics, alarms }: Observation): Row => ({
  fault: fault.title,
  function: name,
  got,
  lines,
  metrics,
  alarms,
  runbook: fault.runbook,
});

export const readRows = (): readonly Row[] => JSON.parse(readFileSync(SEEN, 'utf8'));

export const writeRows = (rows: readonly Row[]): void =>
  writeFileSync(SEEN, `${JSON.stringify(rows, null, 2)}\n`);

const listed = (texts: readonly string[]): string =>
  texts.length === 0 ? 'none' : texts.map((text) => `\`${text.replaceAll('|', '\\|')}\``).join('<br>');

const lineOf = (row: Row): string =>
  `| ${[
    row.fault,
    row.function,
    row.got,
    listed(row.lines),
    listed(row.metrics),
    listed(row.alarms),
    `[${row.runbook.replace('.md', '')}](../runbooks/${row.runbook})`,
  ].join(' | ')} |`;

/** The table of docs/internals/faults.md. */
export const faultsAsMarkdown = (): string =>
  [
    '| fault | function | its caller gets | log lines | metrics | alarms, when it lasts | runbook |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...readRows().map(lineOf),
  ].join('\n');
