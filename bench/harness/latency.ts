import { createRandom } from '../../test/proof/oracle/random.ts';

/** The latency of a request to DynamoDB in milliseconds. */
export interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.3263478740408408;

/** `COLD_MEDIAN_MS` and `COLD_P99_MS`; 3 and 12 by default. */
export function latencyFrom(env: Readonly<Record<string, string | undefined>>): Latency {
  const read = (name: string, byDefault: number): number => {
    const value = Number(env[name] || byDefault);
    if (!(value > 0)) throw new Error(`${name} is not a number of milliseconds`);
    return value;
  };
  const latency = { medianMs: read('COLD_MEDIAN_MS', 3), p99Ms: read('COLD_P99_MS', 12) };
  if (latency.p99Ms < latency.medianMs) throw new Error('COLD_P99_MS is below COLD_MEDIAN_MS');
  return latency;
}

const sigmaOf = ({ medianMs, p99Ms }: Latency): number => Math.log(p99Ms / medianMs) / Z99;

/** Log-normal: `median * exp(sigma * z)`, z from the standard normal distribution (Box and Muller). */
export function createLatencies(latency: Latency, seed: number): () => number {
  const random = createRandom(seed);
  const sigma = sigmaOf(latency);
  /** Above 0 and below 1. */
  const uniform = (): number => (random.below(2 ** 30) + 0.5) / 2 ** 30;
  return () => {
    const z = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return latency.medianMs * Math.exp(sigma * z);
  };
}
