import type { Figure } from '../harness/figures.ts';
import { duration, median, nanosecondsOf, type Question, ratio, shown, text, times } from './answer.ts';

/** Libraries in one process, in the forms that the page of `check` describes. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'casl-by-place': 'CASL, an ability for each user and place',
  casl: 'CASL, an ability for each user',
  'casbin-cached': 'casbin, its cached enforcer',
  casbin: 'casbin, the matcher of its guide',
  naive: 'naive lists',
  cedar: 'Cedar as WebAssembly',
};

const KINDS: Readonly<Record<string, string>> = {
  hot: 'questions that repeat',
  distinct: 'questions that were not asked before',
  uncached: 'all caches off',
};
/** The same within a sentence. */
const ASKED: typeof KINDS = { ...KINDS, uncached: 'questions with all caches off' };

/** Not another authorization server, but what the machine and Node allow. */
const LIMIT = 'bare';

/** Throughput of one server for a kind of questions: `servers.rate-NAME-KIND-CONNECTIONS`. */
const RATE = /^servers\.rate-(.+)-(hot|distinct|uncached)-(\d+)$/;
/** As many questions at once as the topic asks at most. */
const CONNECTIONS = '16';

interface Rate {
  readonly figure: Figure;
  readonly server: string;
  readonly kind: string;
}

const ratesOf = (figures: readonly Figure[]): readonly Rate[] =>
  figures.flatMap((figure) => {
    const [, server = '', kind = '', connections] = RATE.exec(figure.id) ?? [];
    return connections === CONNECTIONS ? [{ figure, server, kind }] : [];
  });

/** Titles say the server, then what was asked. */
const nameOf = ({ figure }: Rate): string => figure.title.replace(/, [^,]* questions, .*$/, '');

/** Beside libraries in one process, and beside servers over HTTP. */
export const others: Question = {
  name: 'others',
  topics: ['check', 'servers'],
  answer: ({ of, all }) => {
    const warm = of('check.warm');
    const rates = ratesOf(all('servers'));
    const ours = rates.filter(({ server }) => server === 'gatehouse');
    const peersOf = (kind: string): readonly Rate[] =>
      rates.filter((rate) => rate.kind === kind && rate.server !== 'gatehouse');
    const besideOf = ({ kind, figure }: Rate): readonly (readonly [peer: Rate, ratio: string])[] =>
      peersOf(kind).flatMap((peer) => {
        const found = ratio(figure, peer.figure.id.slice('servers.'.length));
        return found === undefined ? [] : [[peer, found] as const];
      });
    /** From the server that is the closest, or ahead, to the one that is the furthest behind. */
    const rangeOf = ({ kind, figure }: Rate): string | undefined => {
      const besides = peersOf(kind)
        .filter(({ server }) => server !== LIMIT)
        .flatMap((peer) => {
          const value = figure.ratios[peer.figure.id.slice('servers.'.length)];
          return value === undefined ? [] : [{ value, name: nameOf(peer) }];
        })
        .sort((a, b) => a.value - b.value);
      const ends = [...new Set([besides[0], besides.at(-1)])].flatMap((end) =>
        end ? [`${times(end.value)} (${end.name})`] : [],
      );
      return ends.length === 0
        ? undefined
        : `Over HTTP, \`gatehouse serve\` answers ${ASKED[kind]} at ${ends.join(' to ')} the rate of other servers.`;
    };
    return {
      sentences: [
        text`**In one process, a cached check takes ${ratio(warm, 'casl')} CASL's time and ${ratio(warm, 'casbin-cached')} that of casbin's cache, ${ratio(warm, 'casbin')} the time of casbin's own matcher and ${ratio(warm, 'cedar')} that of Cedar's WebAssembly.**`,
        ...ours.map(rangeOf),
      ],
      chart: {
        label:
          'The time of a cached check beside other libraries, and answers per second beside other servers.',
        panels: [
          {
            title: 'A decision in process, on a logarithmic axis',
            isLogarithmic: true,
            show: duration,
            bars: [
              ...(warm ? [{ name: 'Gatehouse, check', value: nanosecondsOf(warm) }] : []),
              ...Object.entries(LIBRARIES).flatMap(([id, name]) => {
                const figure = of(`check.${id}`);
                return figure ? [{ name, value: nanosecondsOf(figure), kind: 'other' as const }] : [];
              }),
            ],
          },
          ...Object.entries(KINDS).map(([kind, title]) => ({
            title: `Answers per second of one core: ${title}`,
            show: (value: number) => shown(value, '/s'),
            bars: rates
              .filter((rate) => rate.kind === kind)
              .map((rate) => ({
                name: nameOf(rate),
                value: rate.figure.median,
                ...(rate.server === 'gatehouse' ? {} : { kind: 'other' as const }),
              })),
          })),
        ],
        notes: ['Blue: Gatehouse. Medians; every answer is compared with the model.'],
      },
      rows: [
        {
          what: 'Gatehouse, `check`',
          figure: median(warm),
          how: 'processor time, all in one process, all cached',
          topic: 'check',
        },
        ...Object.entries(LIBRARIES).map(([id, name]) => ({
          what: name,
          figure: text`${median(of(`check.${id}`))}; ours ${ratio(warm, id)} its time`,
          how: 'the same questions and answers, ratio within a round',
          topic: 'check',
        })),
        ...ours.flatMap((rate) => [
          {
            what: `\`gatehouse serve\`, ${KINDS[rate.kind]}`,
            figure: median(rate.figure),
            how: `HTTP on loopback, ${CONNECTIONS} at once, one core for the server`,
            topic: 'servers',
          },
          ...besideOf(rate).map(([peer, found]) => ({
            what: `… beside ${nameOf(peer)}`,
            figure: text`${median(peer.figure)}; ours ${found} its throughput`,
            how: 'the same, ratio within a round',
            topic: 'servers',
          })),
        ]),
      ],
    };
  },
};
