import { dollarsPerMillion } from '../harness/prices.ts';
import prices from '../prices.json' with { type: 'json' };
import { ASSUMED } from './assumptions.ts';

/** One request on a sampled environment. */
export interface Outcome {
  readonly milliseconds: number;
  readonly ending: 'answered' | 'fault';
  readonly calls: number;
  readonly units: number;
  readonly throttled: number;
  /** Whether a new environment had to start for it. */
  readonly isFirst: boolean;
}

export const SHARES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999, p9999: 0.9999 } as const;
export type Share = keyof typeof SHARES;

/** Figures of the sampled requests of a phase; `refused` and `requests` are of all. */
export interface Summary {
  readonly requests: number;
  readonly refused: number;
  readonly sampled: number;
  readonly faults: number;
  /** Share of the sampled requests that read nothing. */
  readonly hitRate: number;
  readonly calls: number;
  readonly units: number;
  readonly firsts: number;
  /** Of the requests that were answered, in milliseconds. */
  readonly latency: Readonly<Record<Share, number>>;
  readonly billedMs: number;
  /** Dollars for a million requests: Lambda's and DynamoDB's reads. */
  readonly dollars: number;
}

/** What happened to the requests that arrived in one second. Faults and latency are of the sampled ones. */
export interface Tick {
  readonly requests: number;
  readonly refused: number;
  readonly sampled: number;
  readonly faults: number;
  /** Milliseconds of those that were answered; 0 where there are none. */
  readonly p50: number;
  readonly p99: number;
}

interface Counted {
  requests: number;
  refused: number;
  sampled: number;
  faults: number;
  readonly milliseconds: number[];
}

const newTick = (): Counted => ({ requests: 0, refused: 0, sampled: 0, faults: 0, milliseconds: [] });

const mean = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);

/** The value below which this share of ascending values lies; 0 where there are none. */
const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

/** Collects the outcomes of phases, and of each second. */
export function createRecord(phases: readonly string[]) {
  const outcomes = new Map(phases.map((phase) => [phase, [] as Outcome[]]));
  const counts = new Map(phases.map((phase) => [phase, { requests: 0, refused: 0 }]));
  const ticks: Counted[] = [];

  const tickAt = (second: number): Counted => {
    while (ticks.length <= second) ticks.push(newTick());
    return ticks[second] as Counted;
  };

  return {
    /** A request arrives. */
    arrived: (phase: string | undefined, second: number): void => {
      tickAt(second).requests += 1;
      const of = phase === undefined ? undefined : counts.get(phase);
      if (of) of.requests += 1;
    },
    refused: (phase: string | undefined, second: number): void => {
      tickAt(second).refused += 1;
      const of = phase === undefined ? undefined : counts.get(phase);
      if (of) of.refused += 1;
    },
    /** A sampled request ends. Phase and second are those of its arrival. */
    ended: (phase: string | undefined, second: number, outcome: Outcome): void => {
      const tick = tickAt(second);
      tick.sampled += 1;
      if (outcome.ending === 'fault') tick.faults += 1;
      else tick.milliseconds.push(outcome.milliseconds);
      if (phase !== undefined) outcomes.get(phase)?.push(outcome);
    },
    ticks: (): readonly Tick[] =>
      ticks.map(({ milliseconds, ...counted }) => {
        const sorted = Float64Array.from(milliseconds).sort();
        return { ...counted, p50: quantile(sorted, SHARES.p50), p99: quantile(sorted, SHARES.p99) };
      }),
    summary: (phase: string): Summary => {
      const list = outcomes.get(phase) ?? [];
      const sum = (of: (outcome: Outcome) => number): number =>
        list.reduce((total, outcome) => total + of(outcome), 0);
      const answered = Float64Array.from(
        list.filter(({ ending }) => ending === 'answered').map(({ milliseconds }) => milliseconds),
      ).sort();
      const billedMs = mean(
        sum(({ milliseconds }) => Math.ceil(milliseconds)),
        list.length,
      );
      const units = mean(
        sum((outcome) => outcome.units),
        list.length,
      );
      const one = { billedMs, units };
      return {
        ...(counts.get(phase) ?? { requests: 0, refused: 0 }),
        sampled: list.length,
        faults: sum(({ ending }) => (ending === 'fault' ? 1 : 0)),
        hitRate: mean(
          sum(({ calls }) => (calls === 0 ? 1 : 0)),
          list.length,
        ),
        calls: mean(
          sum(({ calls }) => calls),
          list.length,
        ),
        units,
        firsts: sum(({ isFirst }) => (isFirst ? 1 : 0)),
        latency: Object.fromEntries(
          Object.entries(SHARES).map(([name, share]) => [name, quantile(answered, share)]),
        ) as Record<Share, number>,
        billedMs,
        dollars: dollarsPerMillion({ hitRate: 0, hit: one, miss: one, memoryMb: ASSUMED.memoryMb }, prices),
      };
    },
  };
}
