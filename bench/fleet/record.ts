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

/** Figures of the sampled requests of a phase; `refused` and `requests` are of all. */
export type Summary = ReturnType<ReturnType<typeof createRecord>['summary']>;

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
    summary: () => {
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
      return {
        ...counts,
        sampled,
        faults: sum(({ ending }) => (ending === 'fault' ? 1 : 0)),
        /** Share of the sampled requests that read nothing. */
        hitRate: mean(({ calls }) => (calls === 0 ? 1 : 0)),
        calls: mean(({ calls }) => calls),
        units,
        /** Of the requests that were answered, in milliseconds. */
        latency: { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999) },
        /** For a million requests: Lambda's and DynamoDB's reads. */
        dollars: dollarsPerMillion({ hitRate: 0, hit: one, miss: one, memoryMb: ASSUMED.memoryMb }, prices),
      };
    },
  };
}
