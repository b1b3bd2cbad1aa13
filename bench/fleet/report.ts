import { type Figure, toFigure } from '../harness/figures.ts';
import { shortNumber } from '../harness/table.ts';
import { EVENTS, SMALL } from './events.ts';
import type { Summary } from './record.ts';
import type { Simulated } from './simulate.ts';

/** By the name of the event; `small` of the small fleet. */
export type Results = Readonly<Record<string, Simulated>>;

const of = (results: Results, name: string): Simulated => {
  const found = results[name];
  if (!found) throw new Error(`${name} was not simulated`);
  return found;
};
const phaseOf = ({ phases }: Simulated, phase = 'event'): Summary => {
  const found = phases[phase];
  if (!found) throw new Error(`no phase ${phase}`);
  return found;
};
/** Those that were simulated. */
const simulated = <Name extends string>(results: Results, names: readonly Name[]): readonly Name[] =>
  names.filter((name) => results[name] !== undefined);
/** Share of the requests of a phase without an answer: refused by Lambda, or a fault of the authorizer. */
export const failureShare = ({ requests, refused, sampled, faults }: Summary): number =>
  requests === 0 ? 0 : (refused + (sampled === 0 ? 0 : (faults / sampled) * (requests - refused))) / requests;

/** Read units of the partition with the most, in the highest second of the event. */
const hottestOf = (name: string, { hottest }: Simulated): number =>
  Math.max(...hottest.slice((EVENTS[name] ?? SMALL).warmUpSeconds));

/** The figures that documents quote beside the tables. */
function figuresOf(name: string, result: Simulated): readonly Figure[] {
  const figure = (id: string, what: string, unit: string, value: number) =>
    toFigure(`fleet.${name}.${id}`, `${EVENTS[name]?.title}: ${what}`, unit, [value]);
  const event = phaseOf(result);
  return [
    figure('p50', 'p50', 'ms', event.latency.p50),
    figure('p99', 'p99', 'ms', event.latency.p99),
    figure('dollars', 'dollars per million', '$/million', event.dollars),
    figure('failed-event', 'no answer', '%', failureShare(event) * 100),
  ];
}

/** Counts of the small fleet, the same in every run. */
export function smallFigures({ totals, phases }: Simulated): readonly Figure[] {
  const { calls = 0, units = 0, sampled = 0 } = phases.event ?? {};
  const count = (id: string, what: string, unit: string, value: number) =>
    toFigure(`fleet.small.${id}`, `${SMALL.title}: ${what}`, unit, [value]);
  return [
    count('calls', 'calls', 'calls', Math.round(calls * sampled)),
    count('units', 'read units', 'units', Math.round(units * sampled)),
    count('unanswered', 'faults and refusals', 'requests', totals.faults + totals.refused),
  ];
}

export const allFigures = (results: Results): readonly Figure[] => [
  ...simulated(results, Object.keys(EVENTS)).flatMap((name) => figuresOf(name, of(results, name))),
  ...smallFigures(of(results, 'small')),
];

/** Ordinary times, by rate. */
const SWEEP = ['rate-10', 'rate-100', 'rate-1000', 'steady'];

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const percent = (share: number): string => `${shortNumber(share * 100)} %`;

/** The tables of docs/performance/fleet.md, by name. */
export function tablesOf(results: Results): Readonly<Record<string, string>> {
  const rows = (names: readonly string[]) =>
    simulated(results, names).map((name) => {
      const result = of(results, name);
      const event = phaseOf(result);
      return row(
        EVENTS[name]?.title ?? name,
        shortNumber(result.environments.live),
        percent(event.hitRate),
        shortNumber(event.calls),
        shortNumber(event.units),
        ...(['p50', 'p99', 'p999'] as const).map((share) => shortNumber(event.latency[share])),
        `$${event.dollars.toFixed(2)}`,
      );
    });
  const ordinary = [
    '| | environments | read nothing | calls | read units | p50, ms | p99 | p99.9 | a million |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows(SWEEP),
  ];
  const events = simulated(results, Object.keys(EVENTS)).filter(
    (name) => !SWEEP.includes(name) && EVENTS[name]?.phases.after,
  );
  const eventful = [
    '| | no answer: before | at the event | after | p99 at the event, ms | most environments | hottest partition, read units | throttled keys |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...events.map((name) => {
      const result = of(results, name);
      const failed = (phase: string) => percent(failureShare(phaseOf(result, phase)));
      const { read, table } = result.throttled;
      return row(
        EVENTS[name]?.title ?? name,
        ...['before', 'event', 'after'].map(failed),
        shortNumber(phaseOf(result).latency.p99),
        shortNumber(result.environments.most),
        shortNumber(hottestOf(name, result)),
        shortNumber(read + table),
      );
    }),
  ];
  return { ordinary: ordinary.join('\n'), events: eventful.join('\n') };
}

const PLACE = /(<!-- fleet: (\w+) -->\n)[\s\S]*?(<!-- end of fleet -->)/g;

/** The document with its tables in their places. */
export const withTables = (markdown: string, tables: Readonly<Record<string, string>>): string =>
  markdown.replace(
    PLACE,
    (_, start: string, name: string, end: string) => `${start}\n${tables[name]}\n\n${end}`,
  );
