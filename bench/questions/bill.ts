import { median, type Question, text } from './answer.ts';

const HITS = [0, 50, 90, 99];
const CASES: Readonly<Record<string, string>> = {
  flat: 'flat scope',
  nested: 'nested scope',
  'new-user': 'only the user is new',
  avp: 'Verified Permissions',
};
const COMPUTED =
  'read units counted, processor time measured, list prices of us-east-1, Lambda and logs included';

/** What a million requests cost, beside Verified Permissions. */
export const bill: Question = {
  name: 'bill',
  topics: ['cost', 'fleet'],
  answer: ({ of }) => ({
    sentences: [
      text`**${median(of('cost.flat.0'))} for a million decisions with nothing cached in a flat scope, ${median(of('cost.nested.0'))} in a nested one**; with Verified Permissions, ${median(of('cost.avp.0'))}.`,
      text`Where the cache answers 99 of 100, it is ${median(of('cost.flat.99'))} beside ${median(of('cost.avp.99'))}: then nearly all of it is Lambda and its logs.`,
      text`A fleet that answers 10,000 requests per second pays ${median(of('fleet.steady.dollars'))} for a million, without logs.`,
    ],
    chart: {
      label: 'Dollars for a million decisions, by the share that the cache answers.',
      panels: [
        {
          title: 'Dollars for a million decisions: Lambda, logs, and DynamoDB or Verified Permissions',
          series: Object.entries(CASES).map(([id, name]) => ({
            name,
            points: HITS.flatMap((hits) => {
              const figure = of(`cost.${id}.${hits}`);
              return figure ? [[hits, figure.median] as const] : [];
            }),
          })),
          ticks: [0, 25, 50, 75, 100],
          xTitle: '% answered by the cache',
        },
      ],
      notes: [
        'Computed from list prices. Without API Gateway, storage, writes and streams; the fleet without logs too.',
      ],
    },
    rows: [
      ...HITS.map((hits) => ({
        what: `a million decisions, ${hits} % answered by the cache: flat, nested`,
        figure: text`${median(of(`cost.flat.${hits}`))}, ${median(of(`cost.nested.${hits}`))}`,
        how: COMPUTED,
        topic: 'cost',
      })),
      ...[0, 99].map((hits) => ({
        what: `… with Verified Permissions, ${hits} %`,
        figure: median(of(`cost.avp.${hits}`)),
        how: 'its list price for one request at a miss, the same Lambda in front',
        topic: 'cost',
      })),
      {
        what: 'bytes of logs and metrics of a decision from the cache; with the lines of Lambda',
        figure: text`${median(of('cost.hit.logged'))}, ${median(of('cost.hit.logs'))}`,
        how: 'counted, with the default settings',
        topic: 'cost',
      },
      {
        what: 'the metrics of these decisions, a month',
        figure: median(of('cost.metrics')),
        how: 'list price for each name and outcome',
        topic: 'cost',
      },
      {
        what: 'twenty pages in one call, nothing cached, a million times: ours, theirs',
        figure: text`${median(of('cost.menu.nested'))}, ${median(of('cost.menu.avp'))}`,
        how: 'reads of one `checkMany`, nested; one batch request; without Lambda',
        topic: 'cost',
      },
      {
        what: 'a million requests of a fleet: 10, 10,000 per second',
        figure: text`${median(of('fleet.rate-10.dollars'))}, ${median(of('fleet.steady.dollars'))}`,
        how: 'simulated, 5 million users, list prices, without logs',
        topic: 'fleet',
      },
    ],
  }),
};
