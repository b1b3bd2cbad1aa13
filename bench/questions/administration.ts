import type { Figure } from '../harness/figures.ts';
import { count, type Measured, median, type Question, ratio, shown, text } from './answer.ts';

const TOPICS = ['provisioning', 'administration'];

/** Rates that were measured beside others: what users run, and what it is compared with. */
const compared = ({ all }: Measured): readonly (readonly [topic: string, Figure])[] =>
  TOPICS.flatMap((topic) =>
    all(topic)
      .filter(({ unit, ratios }) => unit === '/s' && Object.keys(ratios).length > 0)
      .map((figure) => [topic, figure] as const),
  );

/** How many commands, rows and reads per second those who administer get. */
export const administration: Question = {
  name: 'administration',
  topics: TOPICS,
  answer: (measured) => {
    const { of } = measured;
    const rates = compared(measured);
    /** The titles of the figures that one is compared with; peers are named by the end of an id. */
    const peersOf = (topic: string, { id, ratios }: Figure): readonly (readonly [Figure, string])[] =>
      Object.keys(ratios).flatMap((peer) => {
        const group = id.slice(0, id.lastIndexOf('.') + 1);
        const found = of(`${group}${peer}`) ?? of(`${topic}.${peer}`);
        return found ? [[found, peer] as const] : [];
      });
    const share = (id: string, peer: string): string | undefined => ratio(of(id), peer);
    return {
      sentences: [
        text`**A command alone writes at ${share('provisioning.create', 'create-bare')} the rate of the bare transaction that it sends: ${count(of('provisioning.create'))} users or ${count(of('provisioning.membership'))} memberships per second here, one after the other.**`,
        text`\`gatehouse load\` writes ${count(of('administration.users.load'))} users per second, ${share('administration.users.load', 'alone')} the rate of a command for each, and ${count(of('administration.memberships.load'))} memberships.`,
        text`\`gatehouse verify\` makes ${count(of('administration.verify.reads'))} reads per second.`,
        'To AWS a call takes longer than to the engine on this machine: there the number of calls decides, and calls run at once.',
      ],
      chart: {
        label: 'Commands, loads and verification per second, beside bare transactions and reads.',
        panels: rates.map(([topic, figure]) => ({
          title: figure.title,
          show: (value: number) => shown(value, '/s'),
          bars: [
            { name: 'Gatehouse', value: figure.median },
            ...peersOf(topic, figure).map(([{ title, median: value }]) => ({
              name: title,
              value,
              kind: 'other' as const,
            })),
          ],
        })),
        notes: ['Medians, elapsed, on the embedded engine, which shares two processors with what asks it.'],
      },
      rows: rates.flatMap(([topic, figure]) => [
        {
          what: figure.title,
          figure: median(figure),
          how: 'elapsed, on the embedded engine',
          topic,
        },
        ...peersOf(topic, figure).map(([peer, name]) => ({
          what: `… beside: ${peer.title}`,
          figure: text`${median(peer)}; ours ${ratio(figure, name)} its rate`,
          how: 'the same engine, ratio within a round',
          topic,
        })),
      ]),
    };
  },
};
