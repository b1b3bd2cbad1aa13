import type { Figure } from '../harness/figures.ts';
import { dollars, median, type Question, ratio, text } from './answer.ts';

/** By requests per second. */
const RATES: readonly (readonly [rate: number, event: string])[] = [
  [10, 'rate-10'],
  [100, 'rate-100'],
  [1_000, 'rate-1000'],
  [10_000, 'steady'],
];
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const SIMULATED = 'simulated: Lambda, DynamoDB and 5 million users';

/** How many requests, how large a table. */
export const capacity: Question = {
  name: 'capacity',
  topics: ['fleet', 'scale', 'memory', 'policy'],
  answer: ({ of }) => {
    const fleet = (event: string, what: string): Figure | undefined => of(`fleet.${event}.${what}`);
    const line = (what: string, name: string) => ({
      name,
      points: RATES.flatMap(([rate, event]) => {
        const figure = fleet(event, what);
        return figure ? [[rate, figure.median] as const] : [];
      }),
    });
    const sizes = SIZES.flatMap((size) => {
      const figure = of(`scale.cold-${size}`);
      return figure ? [[size, figure.median] as const] : [];
    });
    const known = (figure: Figure | undefined, show: (value: number) => string) =>
      figure && show(figure.median);
    return {
      sentences: [
        text`**To 10,000 requests per second and 5 million users, where the authorizer takes ${median(fleet('steady', 'p50'))} at the median and ${median(fleet('steady', 'p99'))} at p99, and ${median(fleet('steady', 'failed-event'))} of the requests get no answer**: beyond that, quotas of AWS come first ([which](#which-limit-comes-first), all simulated).`,
        text`The size of the table does not matter: a decision with nothing cached makes ${median(of('scale.calls'))} at every size, and with a million users it takes ${ratio(of('scale.cold-1000000'), 'cold-1000')} the time that it takes with a thousand.`,
        'What one item, list or policy may hold is in [Limits](limits.md).',
      ],
      chart: {
        label: 'The latency of the authorizer by requests per second, and of a check by users in the table.',
        panels: [
          {
            title: 'Milliseconds of the authorizer',
            series: [line('p50', 'p50'), line('p99', 'p99'), line('p999', 'p99.9')],
            ticks: [10, 100, 1_000, 10_000],
            xTitle: 'requests per second',
            logarithmic: { x: true },
          },
          {
            title: 'Milliseconds of a check with nothing cached, on this machine',
            series: [{ name: 'median', points: sizes }],
            ticks: SIZES,
            xTitle: 'users in the table',
            logarithmic: { x: true },
          },
        ],
        notes: ['Above: simulated. Below: the embedded engine with a file on disk, by users in the table.'],
      },
      rows: [
        ...RATES.map(([rate, event]) => ({
          what: `${rate.toLocaleString('en-US')} requests per second: p50, p99, a million requests`,
          figure: text`${median(fleet(event, 'p50'))}, ${median(fleet(event, 'p99'))}, ${known(fleet(event, 'dollars'), dollars)}`,
          how: SIMULATED,
          topic: 'fleet',
        })).filter(({ figure }) => figure !== undefined),
        {
          what: '… read units per second of the table then',
          figure: known(fleet('steady', 'read-units'), (value) => Math.round(value).toLocaleString('en-US')),
          how: 'counted in the simulation, at 10,000 requests per second',
          topic: 'fleet',
        },
        {
          what: 'a check with nothing cached, a million users beside a thousand',
          figure: ratio(of('scale.cold-1000000'), 'cold-1000'),
          how: 'elapsed, embedded engine on disk',
          topic: 'scale',
        },
        {
          what: '… its calls and read units, at all sizes',
          figure: text`${median(of('scale.calls'))}, ${median(of('scale.units'))}`,
          how: 'counted',
          topic: 'scale',
        },
        {
          what: 'a cached user in five groups',
          figure: median(of('memory.user')),
          how: 'heap and buffers, the slope over 10,000 to 100,000 users',
          topic: 'memory',
        },
        {
          what: 'a policy for the whole API, 500 routes: usual size, largest',
          figure: text`${median(of('policy.worst-6144'))}, ${median(of('policy.worst-65536'))}`,
          how: 'processor time of the slowest pair that a search found',
          topic: 'policy',
        },
      ],
    };
  },
};
