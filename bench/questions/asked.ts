import type { Bound } from '../harness/budgets.ts';
import { type Measured, type Question, shown } from './answer.ts';

/** A bound that was set before the code was measured, on a figure or on its ratio to a peer. */
interface Asked extends Bound {
  readonly what: string;
  readonly id: string;
  readonly peer?: string;
  /** Of the bound, where there is no peer. */
  readonly unit?: string;
}

const SERVERS = { openfga: 'OpenFGA', spicedb: 'SpiceDB', cerbos: 'Cerbos' };

const ASKED: readonly Asked[] = [
  { what: 'a cached check, beside a bare reference', id: 'check.warm', peer: 'reference', max: 4 },
  { what: '… beside CASL by user and place', id: 'check.warm', peer: 'casl-by-place', max: 0.4 },
  { what: '… beside CASL by user', id: 'check.warm', peer: 'casl', max: 0.4 },
  { what: "… beside casbin's cache", id: 'check.warm', peer: 'casbin-cached', max: 0.4 },
  { what: "… beside casbin's matcher", id: 'check.warm', peer: 'casbin', max: 0.4 },
  { what: '… beside naive lists', id: 'check.warm', peer: 'naive', max: 0.4 },
  { what: "… beside Cedar's WebAssembly", id: 'check.warm', peer: 'cedar', max: 0.4 },
  { what: '`session.can`', id: 'check.session', max: 60, unit: 'ns' },
  {
    what: 'a condition over a stored property adds',
    id: 'check.condition-stored-adds',
    max: 3_000,
    unit: 'ns',
  },
  { what: 'a condition over the context adds', id: 'check.condition-context-adds', max: 3_000, unit: 'ns' },
  {
    what: 'nothing cached, flat: p99 beside step-by-step reads',
    id: 'cold.flat.gatehouse.p99',
    peer: 'flat.seeds.p99',
    max: 0.4,
  },
  { what: '… nested', id: 'cold.nested.gatehouse.p99', peer: 'nested.seeds.p99', max: 0.4 },
  {
    what: '… nested, the path names the scopes above',
    id: 'cold.nested.named.p99',
    peer: 'nested.seeds.p99',
    max: 0.4,
  },
  {
    what: '… nested, after the time-to-live',
    id: 'cold.nested.expired.p99',
    peer: 'nested.seeds.p99',
    max: 0.4,
  },
  { what: 'the authorizer, a known token', id: 'handler.known', max: 2_500, unit: 'ns' },
  { what: '… as text, beside JSON alone', id: 'handler.text', peer: 'json', max: 1.3 },
  { what: '… a new token, beside jose alone: RS256', id: 'handler.new-rs256', peer: 'jose-rs256', max: 1.15 },
  { what: '… ES256', id: 'handler.new-es256', peer: 'jose-es256', max: 1.15 },
  { what: 'a policy for the whole API, 500 routes', id: 'policy.worst-6144', max: 20, unit: 'ms' },
  { what: '… of the largest size', id: 'policy.worst-65536', max: 20, unit: 'ms' },
  { what: "start: loaded, beside the bundler's defaults", id: 'startup.loaded', peer: 'defaults', max: 0.7 },
  {
    what: '… the first decision, beside another with the same reads',
    id: 'startup.cold',
    peer: 'second',
    max: 3,
  },
  {
    what: '… the same with 0.3 of a processor',
    id: 'startup.cold-limited',
    peer: 'second-limited',
    max: 3,
  },
  {
    what: '… the first answer, beside an empty Node, elapsed',
    id: 'startup.first',
    peer: 'empty',
    max: 4,
  },
  {
    what: '… the first answer, beside an empty Node, processor time',
    id: 'startup.processor',
    peer: 'processor-empty',
    max: 4,
  },
  { what: 'a million users beside a thousand', id: 'scale.growth', max: 1.3 },
  { what: 'a cached user in five groups', id: 'memory.user', max: 320, unit: 'bytes' },
  {
    what: 'a load of users, beside its transactions sent bare',
    id: 'administration.users.load',
    peer: 'bare',
    min: 0.85,
  },
  { what: '… beside a command for each', id: 'administration.users.load', peer: 'alone', min: 8 },
  {
    what: '… of memberships, beside a command for each',
    id: 'administration.memberships.load',
    peer: 'alone',
    min: 8,
  },
  {
    what: '`gatehouse verify`, beside reading node by node',
    id: 'administration.verify.reads',
    peer: 'by-node',
    min: 5,
  },
  ...Object.entries(SERVERS).flatMap(([peer, name]) => [
    {
      what: `questions that repeat over HTTP, beside ${name}`,
      id: 'servers.rate-gatehouse-hot-16',
      peer: `rate-${peer}-hot-16`,
      min: 3,
    },
    {
      what: `… questions that were not asked before, beside ${name}`,
      id: 'servers.rate-gatehouse-distinct-16',
      peer: `rate-${peer}-distinct-16`,
      min: 20,
    },
  ]),
];

interface Found {
  readonly asked: Asked;
  readonly topic: string;
  readonly unit: string;
  /** Missing where it has not been measured, or not yet in this form. */
  readonly value?: number;
  /** How many times what was asked: above 1 it is missed. */
  readonly excess?: number;
}

function find({ of }: Measured, asked: Asked): Found {
  const { id, peer, min, max, unit = 'x' } = asked;
  const figure = of(id);
  const value = peer === undefined ? figure?.median : figure?.ratios[peer];
  const [topic = ''] = id.split('.');
  if (value === undefined) return { asked, topic, unit };
  return { asked, topic, unit, value, excess: min === undefined ? value / (max ?? 0) : min / value };
}

const isMissed = ({ excess = 0 }: Found): boolean => excess > 1;
const plain = (value: number, unit: string): string => shown(value, unit).replace(/ of$/, '');
const boundOf = ({ asked: { min, max }, unit }: Found): string =>
  min === undefined ? `at most ${shown(max ?? 0, unit)}` : `at least ${shown(min, unit)}`;

/** What was asked before it was measured, and what came of it. */
export const asked: Question = {
  name: 'asked',
  topics: [...new Set(ASKED.map(({ id }) => id.split('.')[0] ?? ''))],
  answer: (measured) => {
    const found = ASKED.map((each) => find(measured, each));
    const known = found.filter(({ value }) => value !== undefined);
    const missed = known.filter(isMissed);
    return {
      sentences: [
        known.length === 0
          ? undefined
          : `**Of ${known.length} bounds that were set before the code was measured, ${missed.length} are missed.**`,
        'A bound is on the median, or on the median of the ratios within a round.',
      ],
      chart: {
        label: 'What was reached, divided by what was asked: more than one is missed.',
        panels: [
          {
            title: 'What was reached, divided by what was asked',
            isLogarithmic: true,
            show: (value) => String(Number(value.toPrecision(2))),
            limit: { value: 1, name: 'asked' },
            bars: known.map((each) => ({
              name: each.asked.what.replaceAll('`', ''),
              value: each.excess ?? 0,
              ...(isMissed(each) ? { kind: 'missed' as const } : {}),
            })),
          },
        ],
        notes: ['Red, beyond the line: missed. On a logarithmic axis.'],
      },
      heads: ['what', 'reached', 'asked'],
      rows: found.map((each) => ({
        what: each.asked.what,
        figure:
          each.value === undefined
            ? undefined
            : `${isMissed(each) ? '**missed**: ' : ''}${plain(each.value, each.unit)}`,
        how: boundOf(each),
        topic: each.topic,
      })),
    };
  },
};
