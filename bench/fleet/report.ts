import { type Figure, toFigure } from '../harness/figures.ts';
import { rowOf, shortNumber } from '../harness/table.ts';
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
/** Share of the requests of a phase without an answer: refused by Lambda, or a fault of the authorizer. */
export const failureShare = ({ requests, refused, sampled, faults }: Summary): number =>
  requests === 0 ? 0 : (refused + (sampled === 0 ? 0 : (faults / sampled) * (requests - refused))) / requests;

/** The figures that documents quote beside the tables. */
function figuresOf(name: string, title: string, result: Simulated): readonly Figure[] {
  const event = phaseOf(result);
  const found = {
    p50: ['p50', 'ms', event.latency.p50],
    p99: ['p99', 'ms', event.latency.p99],
    dollars: ['dollars per million', '$/million', event.dollars],
    'failed-event': ['no answer', '%', failureShare(event) * 100],
  } as const;
  return Object.entries(found).map(([id, [what, unit, value]]) =>
    toFigure(`fleet.${name}.${id}`, `${title}: ${what}`, unit, [value]),
  );
}

/** Counts of the small fleet, the same in every run. */
export function smallFigures(small: Simulated): readonly Figure[] {
  const { calls, units, sampled } = phaseOf(small);
  const { faults, refused } = small.totals;
  const found = {
    calls: ['calls', 'calls', Math.round(calls * sampled)],
    units: ['read units', 'units', Math.round(units * sampled)],
    unanswered: ['faults and refusals', 'requests', faults + refused],
  } as const;
  return Object.entries(found).map(([id, [what, unit, value]]) =>
    toFigure(`fleet.small.${id}`, `${SMALL.title}: ${what}`, unit, [value]),
  );
}

export const allFigures = (results: Results): readonly Figure[] => [
  ...Object.entries(EVENTS).flatMap(([name, { title }]) => figuresOf(name, title, of(results, name))),
  ...smallFigures(of(results, 'small')),
];

const percent = (share: number): string => `${shortNumber(share * 100)} %`;

/** The tables of docs/performance/fleet.md, by name: ordinary times by rate, and events. */
export function tablesOf(results: Results): Readonly<Record<string, string>> {
  const ordinary = [
    '| | environments | read nothing | calls | read units | p50, ms | p99 | p99.9 | a million |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|',
  ];
  const events = [
    '| | no answer: before | at the event | after | p99 at the event, ms | most environments | hottest partition, read units | throttled keys |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
  ];
  for (const [name, { title, phases, warmUpSeconds }] of Object.entries(EVENTS)) {
    const result = of(results, name);
    const { hitRate, calls, units, latency, dollars } = phaseOf(result);
    const { live, most } = result.environments;
    if (phases.after) {
      const failed = ['before', 'event', 'after'].map((phase) =>
        percent(failureShare(phaseOf(result, phase))),
      );
      // Of the partition with the most, in the highest second of the event.
      const hottest = Math.max(...result.hottest.slice(warmUpSeconds));
      const throttled = result.throttled.read + result.throttled.table;
      events.push(rowOf(title, ...failed, ...[latency.p99, most, hottest, throttled].map(shortNumber)));
    } else {
      const times = [latency.p50, latency.p99, latency.p999].map(shortNumber);
      const spent = [percent(hitRate), shortNumber(calls), shortNumber(units)];
      ordinary.push(rowOf(title, shortNumber(live), ...spent, ...times, `$${dollars.toFixed(2)}`));
    }
  }
  return { ordinary: ordinary.join('\n'), events: events.join('\n') };
}

const PLACE = /(<!-- fleet: (\w+) -->\n)[\s\S]*?(<!-- end of fleet -->)/g;

/** The document with its tables in their places. */
export const withTables = (markdown: string, tables: Readonly<Record<string, string>>): string =>
  markdown.replace(
    PLACE,
    (_, start: string, name: string, end: string) => `${start}\n${tables[name]}\n\n${end}`,
  );
