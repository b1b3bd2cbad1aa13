import type { Random } from '../../test/proof/oracle/random.ts';

/** The latency of a request to DynamoDB in milliseconds. */
export interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** As is assumed where DynamoDB's latency is drawn. */
export const DYNAMODB: Latency = { medianMs: 3, p99Ms: 12 };

/** Milliseconds until the next arrival of a Poisson process. */
export const exponential = (random: Random, mean: number): number => -Math.log(1 - random.next()) * mean;

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.3263478740408408;

/** Log-normal, by Box and Muller. */
export function logNormal(random: Random, { medianMs, p99Ms }: Latency): () => number {
  const sigma = Math.log(p99Ms / medianMs) / Z99;
  return () => {
    const z = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return medianMs * Math.exp(sigma * z);
  };
}

/**
 * Ranks from 1 to `count`, rank k with a probability in proportion to `k ** -exponent`, in constant time and
 * memory: rejection-inversion (Hörmann and Derflinger 1996, "Rejection-inversion to generate variates from
 * monotone discrete distributions").
 */
export function createZipf(random: Random, count: number, exponent: number): () => number {
  /** The integral of x ** -exponent, and its inverse. */
  const integral = (x: number): number =>
    exponent === 1 ? Math.log(x) : (x ** (1 - exponent) - 1) / (1 - exponent);
  const inverse = (y: number): number =>
    exponent === 1 ? Math.exp(y) : (1 + y * (1 - exponent)) ** (1 / (1 - exponent));
  const density = (x: number): number => x ** -exponent;
  const first = integral(1.5) - 1;
  const last = integral(count + 0.5);
  const shortcut = 2 - inverse(integral(2.5) - density(2));
  return () => {
    for (;;) {
      const u = last + random.next() * (first - last);
      const x = inverse(u);
      const rank = Math.min(count, Math.max(1, Math.round(x)));
      if (rank - x <= shortcut || u >= integral(rank + 0.5) - density(rank)) return rank;
    }
  };
}

/** Spreads numbers over 32 bits: the same numbers always give the same (MurmurHash3's finalizer). */
export function mix(a: number, b = 0): number {
  let h = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca77)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** {@link mix} as a number from 0 to below 1. */
export const share = (a: number, b = 0): number => mix(a, b) / 0x1_0000_0000;
