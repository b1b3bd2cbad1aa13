import { type FigureOf, type Numbers, type Question, times } from './answer.ts';

const DRAWN = 'calls are made, their latency is drawn: 3 ms at the median, 12 ms at p99';
const SIMULATED = 'simulated: Lambda, DynamoDB and 5 million users';

const request: Question = {
  name: 'request',
  sentences: [
    "**{check.warm} where everything is cached, and DynamoDB's latency where it is not**: once in a flat scope ({cold.flat.gatehouse} at the median, {cold.flat.gatehouse@p99} at p99), at most twice in a nested one ({cold.nested.gatehouse} and {cold.nested.gatehouse@p99}).",
    'The authorizer takes {handler.known} for a token that it knows, and {handler.new-rs256} for a new one, of which {handler.jose-rs256} are its signature.',
  ],
  numbers: [
    {
      topic: 'check',
      how: 'processor time, in process',
      rows: {
        '`session.can`: answers are worked out beforehand': '{check.session}',
        '`check`, everything cached': '{check.warm}',
        '… what a condition adds: over a stored property, over the context':
          '{check.condition-stored-adds}, {check.condition-context-adds}',
      },
    },
    {
      topic: 'check',
      how: 'growth of the heap over 2,000 checks',
      rows: { '… memory that it allocates': '{check.allocation}' },
    },
    {
      topic: 'cold',
      how: DRAWN,
      rows: {
        '`check`, nothing cached, flat: p50, p99': '{cold.flat.gatehouse}, {cold.flat.gatehouse@p99}',
        '`check`, nothing cached, nested: p50, p99': '{cold.nested.gatehouse}, {cold.nested.gatehouse@p99}',
        '… where the path names the scopes above': '{cold.nested.named}, {cold.nested.named@p99}',
      },
    },
    {
      topic: 'handler',
      how: 'processor time, with a REST event of 6 KB',
      rows: {
        'the authorizer, a known token, from event to policy': '{handler.known}',
        '… from text to text; JSON alone': '{handler.text}; {handler.json}',
        '… a new token: RS256, ES256': '{handler.new-rs256}, {handler.new-es256}',
      },
    },
    {
      topic: 'load',
      how: 'HTTP on one machine, writes meanwhile, each answer checked',
      rows: {
        'a request at 100 per second: p50': '{load.p50-with-100}, without it {load.p50-without-100}',
        '… p99': '{load.p99-with-100}, without it {load.p99-without-100}',
        '… wrong answers': '{load.wrong#} of {load.answers}',
      },
    },
    {
      topic: 'traces',
      how: 'processor time of the authorizer beside the same without',
      rows: {
        'with spans recorded by OpenTelemetry: nothing read, one read':
          '{traces.warm-on/warm-none}, {traces.reading-on/reading-none}',
      },
    },
  ],
};

const start: Question = {
  name: 'start',
  sentences: [
    "**{startup.init} of INIT, and then a first decision like any other that reads as much**: it takes {startup.cold/second} another one's time, and {startup.cold-limited/second-limited} with 0.3 of a processor.",
    'From the start of its process to its first answer the function takes {startup.processor/processor-empty} the processor time of an empty Node process.',
  ],
  numbers: [
    {
      topic: 'startup',
      how: 'elapsed, from the start of the process',
      rows: {
        'Node without a handler': '{startup.empty}',
        'the function is loaded': '{startup.loaded}',
        'INIT ends: loaded and warm': '{startup.init}',
        'the first answer': '{startup.first}',
      },
    },
    {
      topic: 'startup',
      how: 'in the same round',
      rows: {
        '… beside an empty Node process': '{startup.first/empty}',
        '… the same in processor time': '{startup.processor/processor-empty}',
      },
    },
    {
      topic: 'startup',
      how: 'elapsed, with as many reads of the embedded engine',
      rows: { "the first decision, another user's": '{startup.cold}, {startup.second}' },
    },
    {
      topic: 'startup',
      how: '0.3 of a processor after INIT, as Lambda gives for 512 MB',
      rows: { '… with 0.3 of a processor': '{startup.cold-limited}, {startup.second-limited}' },
    },
    {
      topic: 'startup',
      how: 'as the stack bundles it, not compressed',
      rows: { 'the deployed file': '{startup.bytes}' },
    },
  ],
};

/** The simulated events, by requests per second. */
const RATES = { '10': 'rate-10', '100': 'rate-100', '1,000': 'rate-1000', '10,000': 'steady' };

const capacity: Question = {
  name: 'capacity',
  sentences: [
    '**To 10,000 requests per second and 5 million users, where the authorizer takes {fleet.steady.p50} at the median and {fleet.steady.p99} at p99, and {fleet.steady.failed-event} of the requests get no answer**: beyond that, quotas of AWS come first ([which](#which-limit-comes-first), all simulated).',
    'The size of the table does not matter: a decision with nothing cached makes {scale.calls} at every size, and with a million users it takes {scale.cold-1000000/cold-1000} the time that it takes with a thousand.',
    'What one item, list or policy may hold is in [Limits](limits.md).',
  ],
  numbers: [
    {
      topic: 'fleet',
      how: SIMULATED,
      rows: Object.fromEntries(
        Object.entries(RATES).map(([rate, event]) => [
          `${rate} requests per second: p50, p99, a million requests`,
          `{fleet.${event}.p50}, {fleet.${event}.p99}, {fleet.${event}.dollars}`,
        ]),
      ),
    },
    {
      topic: 'fleet',
      how: 'counted in the simulation, at 10,000 requests per second',
      rows: { '… read units of the table then': '{fleet.steady.read-units}' },
    },
    {
      topic: 'scale',
      how: 'elapsed, embedded engine on disk',
      rows: {
        'a check with nothing cached, a million users beside a thousand': '{scale.cold-1000000/cold-1000}',
      },
    },
    {
      topic: 'scale',
      how: 'counted',
      rows: { '… its calls and read units, at all sizes': '{scale.calls}, {scale.units}' },
    },
    {
      topic: 'memory',
      how: 'heap and buffers, the slope over 10,000 to 100,000 users',
      rows: { 'a cached user in five groups': '{memory.user}' },
    },
    {
      topic: 'policy',
      how: 'processor time of the slowest pair that a search found',
      rows: {
        'a policy for the whole API, 500 routes: usual size, largest':
          '{policy.worst-6144}, {policy.worst-65536}',
      },
    },
  ],
};

const bill: Question = {
  name: 'bill',
  sentences: [
    '**{cost.flat.0} for a million decisions with nothing cached in a flat scope, {cost.nested.0} in a nested one**; with Verified Permissions, {cost.avp.0}.',
    'Where the cache answers 99 of 100, it is {cost.flat.99} beside {cost.avp.99}: then nearly all of it is Lambda and its logs.',
    'A fleet that answers 10,000 requests per second pays {fleet.steady.dollars} for a million, without logs.',
  ],
  numbers: [
    {
      topic: 'cost',
      how: 'read units counted, processor time measured, list prices of us-east-1, Lambda and logs included',
      rows: Object.fromEntries(
        [0, 50, 90, 99].map((hits) => [
          `a million decisions, ${hits} % answered by the cache: flat, nested`,
          `{cost.flat.${hits}}, {cost.nested.${hits}}`,
        ]),
      ),
    },
    {
      topic: 'cost',
      how: 'its list price for one request at a miss, the same Lambda in front',
      rows: {
        '… with Verified Permissions, 0 %': '{cost.avp.0}',
        '… with Verified Permissions, 99 %': '{cost.avp.99}',
      },
    },
    {
      topic: 'cost',
      how: 'counted, with the default settings',
      rows: {
        'bytes of logs and metrics of a decision from the cache; with the lines of Lambda':
          '{cost.hit.logged}, {cost.hit.logs}',
      },
    },
    {
      topic: 'cost',
      how: 'list price for each name and outcome',
      rows: { 'the metrics of these decisions, a month': '{cost.metrics}' },
    },
    {
      topic: 'cost',
      how: 'reads of one `checkMany`, nested; one batch request; without Lambda',
      rows: {
        'twenty pages in one call, nothing cached, a million times: ours, theirs':
          '{cost.menu.nested}, {cost.menu.avp}',
      },
    },
    {
      topic: 'fleet',
      how: 'simulated, 5 million users, list prices, without logs',
      rows: {
        'a million requests of a fleet: 10, 10,000 per second':
          '{fleet.rate-10.dollars}, {fleet.steady.dollars}',
      },
    },
  ],
};

/** Libraries in one process, in the forms that the page of `check` describes. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'CASL, an ability for each user and place': 'casl-by-place',
  'CASL, an ability for each user': 'casl',
  'casbin, its cached enforcer': 'casbin-cached',
  'casbin, the matcher of its guide': 'casbin',
  'naive lists': 'naive',
  'Cedar as WebAssembly': 'cedar',
};
export const SERVERS: Readonly<Record<string, string>> = {
  'OpenFGA, in memory': 'openfga',
  'SpiceDB, in memory': 'spicedb',
  Cerbos: 'cerbos',
};
/** Kinds of questions; and within a sentence. */
const KINDS = {
  hot: ['questions that repeat', 'questions that repeat'],
  distinct: ['questions that were not asked before', 'questions that were not asked before'],
  uncached: ['all caches off', 'questions with all caches off'],
} as const;

export const rateOf = (server: string, kind: string): string => `rate-${server}-${kind}-16`;

/** From the server that is the closest, or ahead, to the one that is the furthest behind. */
const range = (kind: keyof typeof KINDS) => (of: FigureOf) => {
  const { ratios = {} } = of(`servers.${rateOf('gatehouse', kind)}`) ?? {};
  const besides = Object.entries(SERVERS)
    .flatMap(([name, server]) => {
      const value = ratios[rateOf(server, kind)];
      return value === undefined ? [] : [{ value, name }];
    })
    .sort((a, b) => a.value - b.value);
  const ends = [...new Set([besides[0], besides.at(-1)])].flatMap((end) =>
    end ? [`${times(end.value)} (${end.name})`] : [],
  );
  return ends.length === 0
    ? undefined
    : `Over HTTP, \`gatehouse serve\` answers ${KINDS[kind][1]} at ${ends.join(' to ')} the rate of other servers.`;
};

const serversAsked = (kind: keyof typeof KINDS): Numbers => ({
  topic: 'servers',
  how: 'HTTP on loopback, 16 at once, one core for the server, ratios within a round',
  rows: {
    [`\`gatehouse serve\`, ${KINDS[kind][0]}`]: `{servers.${rateOf('gatehouse', kind)}}`,
    ...Object.fromEntries(
      Object.entries({ ...SERVERS, 'a Node server that answers a constant': 'bare' }).map(
        ([name, server]) => [
          `… beside ${name}`,
          `{servers.${rateOf(server, kind)}}; ours {servers.${rateOf('gatehouse', kind)}/${rateOf(server, kind)}} its throughput`,
        ],
      ),
    ),
  },
});

const others: Question = {
  name: 'others',
  sentences: [
    "**In one process, a cached check takes {check.warm/casl} CASL's time and {check.warm/casbin-cached} that of casbin's cache, {check.warm/casbin} the time of casbin's own matcher and {check.warm/cedar} that of Cedar's WebAssembly.**",
    range('hot'),
    range('distinct'),
    range('uncached'),
  ],
  numbers: [
    {
      topic: 'check',
      how: 'processor time, all in one process, the same questions, ratio within a round',
      rows: {
        'Gatehouse, `check`': '{check.warm}',
        ...Object.fromEntries(
          Object.entries(LIBRARIES).map(([name, id]) => [
            name,
            `{check.${id}}; ours {check.warm/${id}} its time`,
          ]),
        ),
      },
    },
    serversAsked('hot'),
    serversAsked('distinct'),
    serversAsked('uncached'),
  ],
};

const rate = (id: string, peer: string, theirs: string): string =>
  `{${theirs}}; ours {${id}/${peer}} its rate`;
const ENGINE = 'elapsed, on the embedded engine, ratio within a round';

const administration: Question = {
  name: 'administration',
  sentences: [
    '**A command alone writes at {provisioning.create/create-bare} the rate of the bare transaction that it sends: {provisioning.create#} users or {provisioning.membership#} memberships per second here, one after the other.**',
    '`gatehouse load` writes {administration.users.load#} users per second, {administration.users.load/alone} the rate of a command for each, and {administration.memberships.load#} memberships.',
    '`gatehouse verify` makes {administration.verify.reads#} reads per second.',
    'To AWS a call takes longer than to the engine on this machine: there the number of calls decides, and calls run at once.',
  ],
  numbers: [
    {
      topic: 'provisioning',
      how: ENGINE,
      rows: Object.fromEntries(
        ['create', 'membership'].flatMap((name) => [
          [`${name === 'create' ? 'user' : 'membership'}.create, one by one`, `{provisioning.${name}}`],
          [
            `… beside the items of ${name === 'create' ? 'user' : 'membership'}.create, bare`,
            rate(`provisioning.${name}`, `${name}-bare`, `provisioning.${name}-bare`),
          ],
        ]),
      ),
    },
    {
      topic: 'administration',
      how: ENGINE,
      rows: {
        ...Object.fromEntries(
          ['users', 'memberships'].flatMap((kind) => [
            [`\`gatehouse load\` ${kind}`, `{administration.${kind}.load}`],
            ...Object.entries({
              alone: 'a transaction each, 32 at once',
              bare: 'the transactions of the load, bare',
            }).map(([peer, title]) => [
              `… beside ${kind}, ${title}`,
              rate(`administration.${kind}.load`, peer, `administration.${kind}.${peer}`),
            ]),
          ]),
        ),
        '`gatehouse verify`: reads': '{administration.verify.reads}',
        '… beside items of bare Queries of users, 32 at once': rate(
          'administration.verify.reads',
          'bare',
          'administration.verify.bare',
        ),
        '`gatehouse apply`: changes': '{administration.apply.changes}',
        '… beside its transactions, bare, one after the other': rate(
          'administration.apply.changes',
          'bare',
          'administration.apply.bare',
        ),
      },
    },
  ],
};

/** The questions of docs/performance.md, in its order. The last one is in asked.ts. */
export const QUESTIONS: readonly Question[] = [request, start, capacity, bill, others, administration];
