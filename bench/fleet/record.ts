import { dollarsPerMillion } from '../harness/prices.ts';
import prices from '../prices.json' with { type: 'json' };
import { ASSUMED } from './assumptions.ts';

/** One request on a sampled environment. */
export interface Outcome {
  readonly milliseconds: number;
  readonly ending: 'answered' | 'fault';
  readonly calls: number;
  readonly units: number;
}

export const SHARES = { p50: 0.5, p99: 0.99, p999: 0.999 } as const;
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
  /** Of the requests that were answered, in milliseconds. */
  readonly latency: Readonly<Record<Share, number>>;
  /** Dollars for a million requests: Lambda's and DynamoDB's reads. */
  readonly dollars: number;
}

/** Collects the outcomes of one phase. */
export function createRecord() {
  const outcomes: Outcome[] = [];
  const counts = { requests: 0, refused: 0 };
  return {
    /** A request arrives. */
    arrived: (): void => void counts.requests++,
    refused: (): void => void counts.refused++,
    /** A sampled request ends that arrived in this phase. */
    ended: (outcome: Outcome): void => void outcomes.push(outcome),
    summary: (): Summary => {
      const sampled = outcomes.length;
      const sum = (of: (outcome: Outcome) => number): number =>
        outcomes.reduce((total, outcome) => total + of(outcome), 0);
      const mean = (of: (outcome: Outcome) => number): number => (sampled === 0 ? 0 : sum(of) / sampled);
      const answered = outcomes
        .flatMap(({ ending, milliseconds }) => (ending === 'answered' ? [milliseconds] : []))
        .sort((a, b) => a - b);
      /** The value below which this share lies; 0 where there are none. */
      const quantile = (share: number) => answered[Math.max(0, Math.ceil(answered.length * share) - 1)] ?? 0;
      const units = mean((outcome) => outcome.units);
      const one = { billedMs: mean(({ milliseconds }) => Math.ceil(milliseconds)), units };
      const latency = Object.entries(SHARES).map(([name, share]) => [name, quantile(share)]);
      return {
        ...counts,
        sampled,
        faults: sum(({ ending }) => (ending === 'fault' ? 1 : 0)),
        hitRate: mean(({ calls }) => (calls === 0 ? 1 : 0)),
        calls: mean(({ calls }) => calls),
        units,
        latency: Object.fromEntries(latency) as Record<Share, number>,
        dollars: dollarsPerMillion({ hitRate: 0, hit: one, miss: one, memoryMb: ASSUMED.memoryMb }, prices),
      };
    },
  };
}
