import { type Chart, chartAsSvg } from '../harness/chart.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { shortNumber } from '../harness/table.ts';
import { DOCUMENTED } from './assumptions.ts';
import { EVENTS, HALVED, SMALL } from './events.ts';
import type { Share, Summary } from './record.ts';
import type { Simulated } from './simulate.ts';

/** By the name of the event; `NAME.halved` with half of the sample; `small` of the small fleet. */
export type Results = Readonly<Record<string, Simulated>>;

const PERCENTILES: Readonly<Record<Share, string>> = {
  p50: 'p50',
  p90: 'p90',
  p99: 'p99',
  p999: 'p99.9',
  p9999: 'p99.99',
};

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
const halvedIn = (results: Results) =>
  HALVED.filter((name) => results[name] !== undefined && results[`${name}.halved`] !== undefined);

/** Share of the requests of a phase without an answer: refused by Lambda, or a fault of the authorizer. */
export const failureShare = ({ requests, refused, sampled, faults }: Summary): number =>
  requests === 0 ? 0 : (refused + (sampled === 0 ? 0 : (faults / sampled) * (requests - refused))) / requests;

/** Read units in a second of the partition with the most, the highest second of the event. */
const hottestOf = (name: string, { reads }: Simulated): number => {
  const from = (EVENTS[name] ?? SMALL).warmUpSeconds;
  return Math.max(...reads.slice(from).map(({ hottest }) => hottest));
};
const unitsPerSecond = (name: string, { reads }: Simulated): number => {
  const { warmUpSeconds, seconds } = EVENTS[name] ?? SMALL;
  const during = reads.slice(warmUpSeconds, warmUpSeconds + seconds);
  return during.reduce((sum, { units }) => sum + units, 0) / during.length;
};

/** The figures of one simulation. */
function figuresOf(name: string, result: Simulated): readonly Figure[] {
  const title = (name === 'small' ? SMALL : EVENTS[name])?.title ?? name;
  const figure = (id: string, what: string, unit: string, value: number) =>
    toFigure({ id: `fleet.${name}.${id}`, title: `${title}: ${what}`, unit, values: [value] });
  const event = phaseOf(result);
  return [
    figure('calls', 'calls per request', 'calls', event.calls),
    figure('units', 'read units per request', 'units', event.units),
    figure('hits', 'requests that read nothing', '%', event.hitRate * 100),
    ...Object.entries(PERCENTILES).map(([share, words]) =>
      figure(share, words, 'ms', event.latency[share as Share]),
    ),
    figure('dollars', 'dollars per million', '$/million', event.dollars),
    ...Object.keys(result.phases).map((phase) =>
      figure(`failed-${phase}`, `no answer, ${phase}`, '%', failureShare(phaseOf(result, phase)) * 100),
    ),
    figure('environments', 'most environments', 'environments', result.environments.most),
    figure('read-units', 'read units per second', 'units/s', unitsPerSecond(name, result)),
    figure('hottest', 'the hottest partition in its worst second', 'units/s', hottestOf(name, result)),
  ];
}

/** Counts of the small fleet, the same in every run. */
export function smallFigures({ totals, phases }: Simulated): readonly Figure[] {
  const { calls = 0, units = 0, sampled = 0 } = phases.event ?? {};
  const count = (id: string, what: string, unit: string, value: number) =>
    toFigure({ id: `fleet.small.${id}`, title: `${SMALL.title}: ${what}`, unit, values: [value] });
  return [
    count('calls', 'calls', 'calls', Math.round(calls * sampled)),
    count('units', 'read units', 'units', Math.round(units * sampled)),
    count('unanswered', 'faults and refusals', 'requests', totals.faults + totals.refused),
  ];
}

/** What half of the sample says, beside the whole. */
function halvedFigures(results: Results): readonly Figure[] {
  return halvedIn(results).flatMap((name) => {
    const [whole, half] = [phaseOf(of(results, name)), phaseOf(of(results, `${name}.halved`))];
    const figure = (id: string, what: string, get: (summary: Summary) => number) =>
      toFigure({
        id: `fleet.${name}.halved-${id}`,
        title: `${EVENTS[name]?.title}, half of the sample: ${what}`,
        unit: 'x',
        values: [get(half) / get(whole)],
      });
    return [
      figure('calls', 'calls', ({ calls }) => calls),
      figure('units', 'read units', ({ units }) => units),
      figure('p50', 'p50', ({ latency }) => latency.p50),
      figure('p99', 'p99', ({ latency }) => latency.p99),
      figure('dollars', 'dollars', ({ dollars }) => dollars),
    ];
  });
}

export const allFigures = (results: Results): readonly Figure[] => [
  ...simulated(results, Object.keys(EVENTS)).flatMap((name) => figuresOf(name, of(results, name))),
  ...halvedFigures(results),
  ...smallFigures(of(results, 'small')),
];

const ASSUMPTIONS = [
  'Assumed: 5 million users, popularity Zipf 0.8; a large tenant with 5 % of the requests; 32 partitions, no burst capacity;',
  'DynamoDB p50 3 ms, p99 12 ms; a start p50 300 ms, p99 800 ms; 512 MB; the next request goes to any idle environment.',
];

/** Environments at a rate, and 1,000 and 2,000 of them at the full rate. */
const SWEEP = ['rate-10', 'rate-100', 'rate-1000', 'steady', 'environments-1000', 'environments-2000'];

function sweepChart(results: Results): Chart {
  const rows = simulated(results, SWEEP).map((name) => [name, of(results, name)] as const);
  const line = (name: string, get: (result: Simulated, event: string) => number) => ({
    name,
    points: rows.map(
      ([event, result]) => [Math.max(1, result.environments.live), get(result, event)] as const,
    ),
  });
  const ticks = [1, 10, 100, 1_000, 3_000];
  const logarithmic = { x: true };
  const hit = (part: 'user' | 'scope' | 'permission') => (result: Simulated) =>
    100 * (result.hits.event?.[part] ?? 0);
  return {
    label: 'The more environments share the requests, the less each of them has cached.',
    panels: [
      {
        title: 'Found in the cache, in %',
        series: [
          line('permission', hit('permission')),
          line('scope', hit('scope')),
          line('user', hit('user')),
          line('everything', (result) => 100 * phaseOf(result).hitRate),
        ],
        ticks,
        logarithmic,
        xTitle: 'environments',
      },
      {
        title: 'Calls and read units of a request',
        series: [
          line('calls', (result) => phaseOf(result).calls),
          line('read units', (result) => phaseOf(result).units),
        ],
        ticks,
        logarithmic,
        xTitle: 'environments',
      },
      {
        title: 'Dollars for a million requests: Lambda and DynamoDB',
        series: [line('dollars', (result) => phaseOf(result).dollars)],
        ticks,
        logarithmic,
        xTitle: 'environments',
      },
    ],
    notes: [
      ...ASSUMPTIONS,
      'From left to right: fewer requests per second, then 10,000 per second over more environments.',
    ],
  };
}

/** By second: what failed, the hottest partition, environments. */
function eventChart(
  results: Results,
  label: string,
  names: Readonly<Record<string, string>>,
  notes: readonly string[],
  kind: 'reads' | 'writes' = 'reads',
): Chart {
  const ticks = [-5, 0, 10, 20, 30, 40, 45];
  const series = (get: (result: Simulated, second: number) => number) =>
    Object.entries(names)
      .filter(([event]) => results[event])
      .map(([event, name]) => {
        const result = of(results, event);
        const { warmUpSeconds, seconds } = EVENTS[event] ?? SMALL;
        return {
          name,
          points: Array.from({ length: Math.min(seconds, 45) + 5 }, (_, n) => {
            const second = n - 5;
            return [second, get(result, second + warmUpSeconds)] as const;
          }),
        };
      });
  const limit =
    kind === 'reads'
      ? { value: DOCUMENTED.partition.readUnits, name: 'limit: 3,000 read units' }
      : { value: DOCUMENTED.partition.writeUnits, name: 'limit: 1,000 write units' };
  return {
    label,
    panels: [
      {
        title: 'Requests without an answer, in % of each second',
        series: series(({ ticks: all }, second) => {
          const tick = all[second];
          return tick ? 100 * failureShare({ ...tick } as unknown as Summary) : 0;
        }),
        ticks,
        xTitle: 'seconds',
      },
      {
        title: `${kind === 'reads' ? 'Read' : 'Write'} units per second of the hottest partition`,
        series: series((result, second) => result[kind][second]?.hottest ?? 0),
        ticks,
        limit,
        xTitle: 'seconds',
      },
      {
        title: 'Environments',
        series: series(({ ticks: all }, second) => all[second]?.environments ?? 0),
        ticks,
        xTitle: 'seconds',
      },
    ],
    notes: [...notes, ...ASSUMPTIONS],
  };
}

function latencyChart(results: Results): Chart {
  const names: Readonly<Record<string, string>> = {
    steady: 'steady',
    linear: 'deployed by tenths',
    'deploy-spread': 'deployed at once',
    'storm-spread': 'revocations',
  };
  // Nines: 50 % is 0.3, 99.99 % is 4.
  const nines: Readonly<Record<Share, number>> = { p50: 1, p90: 2, p99: 3, p999: 4, p9999: 5 };
  return {
    label: 'How long the authorizer takes, by percentile.',
    panels: [
      {
        title: 'Milliseconds of the authorizer, starts included',
        series: Object.entries(names)
          .filter(([event]) => results[event])
          .map(([event, name]) => ({
            name,
            points: Object.entries(nines).map(
              ([share, at]) => [at, phaseOf(of(results, event)).latency[share as Share]] as const,
            ),
          })),
        ticks: Object.values(nines),
        xTitle: '1 = p50, 2 = p90, 3 = p99, 4 = p99.9, 5 = p99.99',
        logarithmic: { y: true },
      },
    ],
    notes: [
      ...ASSUMPTIONS,
      'Only requests that were answered. The large tenant has its groups at 100 locations.',
    ],
  };
}

/** The pictures of docs/performance/fleet.md, by file. */
export const picturesOf = (results: Results): Readonly<Record<string, string>> => ({
  'fleet-environments.svg': chartAsSvg(sweepChart(results)),
  'fleet-latency.svg': chartAsSvg(latencyChart(results)),
  'fleet-deployment.svg': chartAsSvg(
    eventChart(
      results,
      'A deployment that starts all environments anew, and how to soften it.',
      {
        deploy: 'at once, one item',
        'deploy-spread': 'at once, spread',
        linear: 'by tenths',
      },
      ['One item: a tenant with 7,000 groups. Spread: the same groups at its 100 locations.'],
    ),
  ),
  'fleet-crowd.svg': chartAsSvg(
    eventChart(
      results,
      'The large tenant sends half of all requests for 20 seconds.',
      { crowd: '7,000 groups in one item', 'crowd-spread': 'at 100 locations' },
      ['From second 0 to 20 the large tenant sends half of all requests, otherwise 5 %.'],
    ),
  ),
  'fleet-storm.svg': chartAsSvg(
    eventChart(
      results,
      'A storm of revocations in one tenant.',
      { 'storm-spread': 'revocations' },
      [
        'From second 0: 1,667 revocations per second in the large tenant, by 64 writers; its item changes every 2 s.',
      ],
      'writes',
    ),
  ),
});

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
  const halves = [
    '| | calls | read units | p50 | p99 | a million |',
    '|---|---:|---:|---:|---:|---:|',
    ...halvedIn(results).map((name) => {
      const [whole, half] = [phaseOf(of(results, name)), phaseOf(of(results, `${name}.halved`))];
      const by = (get: (summary: Summary) => number) =>
        `${get(half) >= get(whole) ? '+' : '−'}${shortNumber(Math.abs(get(half) / get(whole) - 1) * 100)} %`;
      return row(
        EVENTS[name]?.title ?? name,
        by(({ calls }) => calls),
        by(({ units }) => units),
        by(({ latency }) => latency.p50),
        by(({ latency }) => latency.p99),
        by(({ dollars }) => dollars),
      );
    }),
  ];
  return { ordinary: ordinary.join('\n'), events: eventful.join('\n'), halves: halves.join('\n') };
}

const PLACE = /(<!-- fleet: (\w+) -->\n)[\s\S]*?(<!-- end of fleet -->)/g;

/** The document with its tables in their places. */
export const withTables = (markdown: string, tables: Readonly<Record<string, string>>): string =>
  markdown.replace(
    PLACE,
    (_, start: string, name: string, end: string) => `${start}\n${tables[name]}\n\n${end}`,
  );
