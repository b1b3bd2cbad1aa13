import { percentile } from '../harness/statistics.ts';
import { shortNumber } from '../harness/table.ts';
import type { Measured } from './open-loop.ts';

/** Answers per second over the elapsed time. */
export const achievedRate = ({ answered, elapsedMs }: Measured): number => (answered * 1_000) / elapsedMs;

/** A success, a redirect or a refusal by the authorizer; 401, 404, 429 and 5xx are errors. */
const isGood = (status: string): boolean => /^(?:[23]\d\d|403)$/.test(status);

/** Finished or unsent requests without a good answer. */
export const errorsOf = ({ outcomes, unsent }: Measured): number =>
  Object.entries(outcomes).reduce((sum, [name, count]) => sum + (isGood(name) ? 0 : count), unsent);

/** The measurement as lines of Markdown. */
export function describeLoad(rate: number, measured: Measured): readonly string[] {
  const { outcomes, latencies, waits, unsent } = measured;
  const inMs = (values: readonly number[]) =>
    values.length === 0
      ? 'none'
      : [0.5, 0.9, 0.99, 1].map((share) => shortNumber(percentile(values, share))).join(', ');
  return [
    `- asked ${shortNumber(rate)} requests per second, achieved ${shortNumber(achievedRate(measured))}`,
    `- answers: ${Object.entries({ ...outcomes, 'not sent in time': unsent })
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ')}`,
    `- milliseconds from when a request was due (p50, p90, p99, longest): ${inMs(latencies)}`,
    `- of that until it was sent: ${inMs(waits)}`,
    `- errors (all but 2xx, 3xx and 403): ${errorsOf(measured)}`,
  ];
}
