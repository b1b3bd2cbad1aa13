import { type Figure, toFigure } from '../harness/figures.ts';
import { rowOf, shortNumber } from '../harness/table.ts';
import { EVENTS, type Event, SMALL } from './events.ts';
import type { Summary } from './record.ts';
import type { Simulated } from './simulate.ts';

const phaseOf = ({ phases }: Simulated, phase = 'event'): Summary => {
  const found = phases[phase];
  if (!found) throw new Error(`no phase ${phase}`);
  return found;
};
/** Share of the requests of a phase without an answer: refused by Lambda, or a fault of the authorizer. */
export const failureShare = ({ requests, refused, sampled, faults }: Summary): number =>
  requests === 0 ? 0 : (refused + (sampled === 0 ? 0 : (faults / sampled) * (requests - refused))) / requests;

/** What a figure is, its unit, and its value. */
type Column = readonly [what: string, unit: string, value: (result: Simulated, event: Event) => number];
type Columns = Readonly<Record<string, Column>>;

const failed = (phase: string) => (result: Simulated) => failureShare(phaseOf(result, phase)) * 100;

/** Figures of ordinary times. */
const ORDINARY: Columns = {
  environments: ['environments', '', ({ environments }) => environments.live],
  hits: ['read nothing', '%', (result) => phaseOf(result).hitRate * 100],
  calls: ['calls', '', (result) => phaseOf(result).calls],
  units: ['read units', '', (result) => phaseOf(result).units],
  p50: ['p50', 'ms', (result) => phaseOf(result).latency.p50],
  p99: ['p99', 'ms', (result) => phaseOf(result).latency.p99],
  p999: ['p99.9', 'ms', (result) => phaseOf(result).latency.p999],
  dollars: ['a million', '$', (result) => phaseOf(result).dollars],
  'failed-event': ['no answer', '%', failed('event')],
};

/** Figures of events, which have a time before and after. */
const AROUND: Columns = {
  'failed-before': ['no answer before', '%', failed('before')],
  'failed-event': ['at the event', '%', failed('event')],
  'failed-after': ['after', '%', failed('after')],
  p99: ['p99 at the event', 'ms', (result) => phaseOf(result).latency.p99],
  most: ['most environments', '', ({ environments }) => environments.most],
  // Of the partition with the most, in the highest second of the event.
  hottest: [
    'read units of the hottest partition',
    '/s',
    ({ hottest }, { warmUpSeconds }) => Math.max(...hottest.slice(warmUpSeconds)),
  ],
  throttled: ['throttled keys', '', ({ throttled }) => throttled.read + throttled.table],
};
/** Counts of the small fleet, the same in every run. */
const COUNTS: Columns = {
  calls: ['calls', 'calls', (result) => Math.round(phaseOf(result).calls * phaseOf(result).sampled)],
  units: ['read units', 'units', (result) => Math.round(phaseOf(result).units * phaseOf(result).sampled)],
  unanswered: ['faults and refusals', 'requests', ({ totals }) => totals.faults + totals.refused],
};
const columnsOf = (event: Event): Columns =>
  event === SMALL ? COUNTS : event.phases.after ? AROUND : ORDINARY;

/** @param name of the event; `small` of the small fleet */
export const figuresOf = (name: string, event: Event, result: Simulated): readonly Figure[] =>
  Object.entries(columnsOf(event)).map(([id, [what, unit, value]]) =>
    toFigure(`${name}.${id}`, `${event.title}: ${what}`, unit, [value(result, event)]),
  );

/** The tables of docs/performance/fleet.md: ordinary times by rate, and events. */
export function fleetAsMarkdown(figures: readonly Figure[]): string {
  const medians = new Map(figures.map(({ id, median }) => [id, shortNumber(median)]));
  const tables = [ORDINARY, AROUND].map((columns) => {
    const heads = Object.values(columns).map(([what, unit]) => (unit ? `${what}, ${unit}` : what));
    const rows = Object.entries(EVENTS).filter(([, event]) => columnsOf(event) === columns);
    return [
      rowOf('', ...heads),
      rowOf('---', ...heads.map(() => '---:')),
      ...rows.map(([name, { title }]) =>
        rowOf(title, ...Object.keys(columns).map((id) => medians.get(`fleet.${name}.${id}`) ?? '')),
      ),
    ].join('\n');
  });
  return tables.join('\n\n');
}
