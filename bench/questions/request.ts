import { duration, median, nanosecondsOf, type Question, ratio, text } from './answer.ts';

const BARS: Readonly<Record<string, string>> = {
  'check.session': 'session.can',
  'check.warm': 'check, everything cached',
  'handler.known': 'authorizer, a known token',
  'handler.new-rs256': 'authorizer, a new token (RS256)',
  'cold.flat.gatehouse': 'check, nothing cached, flat',
  'cold.nested.gatehouse': 'check, nothing cached, nested',
};

const COMPUTED = 'processor time, in process';
const DRAWN = 'calls are made, their latency is drawn: 3 ms at the median, 12 ms at p99';
const UNDER_LOAD = 'HTTP on one machine, writes meanwhile, each answer checked';

/** What Gatehouse adds to a request: cached, not cached, as an authorizer, under load. */
export const request: Question = {
  name: 'request',
  topics: ['check', 'cold', 'handler', 'load', 'traces'],
  answer: ({ of }) => {
    const [flat, nested] = [of('cold.flat.gatehouse'), of('cold.nested.gatehouse')];
    const p99 = (figure: typeof flat): string | undefined =>
      figure?.p99 === undefined ? undefined : duration(figure.p99 * 1e6);
    const beside = (id: string): string | undefined =>
      text`${median(of(`load.${id}-with-100`))}, without it ${median(of(`load.${id}-without-100`))}`;
    return {
      sentences: [
        text`**${median(of('check.warm'))} where everything is cached, and DynamoDB's latency where it is not**: once in a flat scope (${median(flat)} at the median, ${p99(flat)} at p99), at most twice in a nested one (${median(nested)} and ${p99(nested)}).`,
        text`The authorizer takes ${median(of('handler.known'))} for a token that it knows, and ${median(of('handler.new-rs256'))} for a new one, of which ${median(of('handler.jose-rs256'))} are its signature.`,
      ],
      chart: {
        label: 'What a decision takes, from an answer that is kept to a table that is read.',
        panels: [
          {
            title: 'Time, on a logarithmic axis',
            isLogarithmic: true,
            show: duration,
            bars: Object.entries(BARS).flatMap(([id, name]) => {
              const figure = of(id);
              return figure ? [{ name, value: nanosecondsOf(figure) }] : [];
            }),
          },
        ],
        notes: [
          'Medians. Nothing cached: the latency of DynamoDB is drawn from a distribution with a median of 3 ms, computing left out.',
        ],
      },
      rows: [
        {
          what: '`session.can`: answers are worked out beforehand',
          figure: median(of('check.session')),
          how: COMPUTED,
          topic: 'check',
        },
        {
          what: '`check`, everything cached',
          figure: median(of('check.warm')),
          how: COMPUTED,
          topic: 'check',
        },
        {
          what: '… what a condition adds: over a stored property, over the context',
          figure: text`${median(of('check.condition-stored-adds'))}, ${median(of('check.condition-context-adds'))}`,
          how: 'processor time with less without, round by round',
          topic: 'check',
        },
        {
          what: '… memory that it allocates',
          figure: median(of('check.allocation')),
          how: 'growth of the heap over 2,000 checks',
          topic: 'check',
        },
        {
          what: '`check`, nothing cached, flat: p50, p99',
          figure: text`${median(flat)}, ${p99(flat)}`,
          how: DRAWN,
          topic: 'cold',
        },
        {
          what: '`check`, nothing cached, nested: p50, p99',
          figure: text`${median(nested)}, ${p99(nested)}`,
          how: DRAWN,
          topic: 'cold',
        },
        {
          what: '… where the path names the scopes above',
          figure: text`${median(of('cold.nested.named'))}, ${p99(of('cold.nested.named'))}`,
          how: DRAWN,
          topic: 'cold',
        },
        {
          what: 'the authorizer, a known token',
          figure: median(of('handler.known')),
          how: 'processor time, from event to policy, all cached',
          topic: 'handler',
        },
        {
          what: '… from text to text; JSON alone',
          figure: text`${median(of('handler.text'))}; ${median(of('handler.json'))}`,
          how: 'the same with a REST event of 6 KB',
          topic: 'handler',
        },
        {
          what: '… a new token: RS256, ES256',
          figure: text`${median(of('handler.new-rs256'))}, ${median(of('handler.new-es256'))}`,
          how: 'the same, the signature on its own thread included',
          topic: 'handler',
        },
        {
          what: 'a request at 100 per second: p50',
          figure: beside('p50'),
          how: UNDER_LOAD,
          topic: 'load',
        },
        {
          what: '… p99',
          figure: beside('p99'),
          how: UNDER_LOAD,
          topic: 'load',
        },
        {
          what: '… wrong answers',
          figure: text`${of('load.wrong')?.median.toLocaleString('en-US')} of ${median(of('load.answers'))}`,
          how: 'each answer beside the model',
          topic: 'load',
        },
        {
          what: 'with spans recorded by OpenTelemetry: nothing read, one read',
          figure: text`${ratio(of('traces.warm-on'), 'warm-none')}, ${ratio(of('traces.reading-on'), 'reading-none')}`,
          how: 'processor time of the authorizer beside the same without',
          topic: 'traces',
        },
      ],
    };
  },
};
