import { percentile } from '../harness/statistics.ts';
import { aligned, shortNumber } from '../harness/table.ts';
import { type Measured, TIMED_OUT } from './open-loop.ts';

/** The printed percentiles, as far as there are enough answers for them. */
const SHARES = [0.5, 0.9, 0.99, 0.999] as const;

/** Answers per second over the elapsed time. */
export const achievedRate = ({ answered, elapsedMs }: Measured): number => (answered * 1_000) / elapsedMs;

/** Undefined when there are too few answers, such as 200 for the p99.9. */
export const percentileOf = (sorted: readonly number[], share: number): number | undefined =>
  sorted.length * (1 - share) >= 0.999 ? percentile(sorted, share) : undefined;

/** A success, a redirect or a refusal by the authorizer; 401, 404, 429 and 5xx are errors. */
const isGood = (status: string): boolean => /^(?:[23]\d\d|403)$/.test(status);

/** Number and share of the finished or unsent requests without a good answer. */
export function errorsOf({ outcomes, unsent }: Measured): { readonly count: number; readonly share: number } {
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, unsent);
  const good = Object.entries(outcomes).reduce((sum, [name, count]) => sum + (isGood(name) ? count : 0), 0);
  return { count: all - good, share: all === 0 ? 1 : (all - good) / all };
}

const percent = (share: number): string => `${shortNumber(share * 100)} %`;

/** The measurement for a terminal. */
export function describeLoad(rate: number, measured: Measured): string {
  const { outcomes, latencies, waits, elapsedMs, unsent, unfinished } = measured;
  const { count, share } = errorsOf(measured);
  const all = Object.values(outcomes).reduce((sum, each) => sum + each, unsent);
  const statuses = Object.entries(outcomes).sort(([a], [b]) => a.localeCompare(b, 'en'));
  const sorted = [...latencies].sort((a, b) => a - b);
  const waited = [...waits].sort((a, b) => a - b);
  const inMs = (values: readonly number[]) => [
    ...SHARES.map((each) => percentileOf(values, each)),
    values.at(-1),
  ];
  const cells = (values: readonly (number | undefined)[]) =>
    values.map((value) => (value === undefined ? '-' : shortNumber(value)));
  return [
    aligned([
      ['requests per second', 'asked', 'achieved', 'seconds'],
      ['', shortNumber(rate), shortNumber(achievedRate(measured)), shortNumber(elapsedMs / 1_000)],
    ]),
    aligned([
      ['answers', 'count', 'share'],
      ...[...statuses, ...(unsent > 0 ? [['not sent in time', unsent] as const] : [])].map(
        ([name, times]) => [name, shortNumber(times), percent(times / all)],
      ),
    ]),
    aligned([
      ['milliseconds', ...SHARES.map((each) => `p${Number((each * 100).toFixed(1))}`), 'max'],
      ['from when it was due', ...cells(inMs(sorted))],
      ['of that until it was sent', ...cells(inMs(waited))],
    ]),
    [
      `errors: ${count} of ${all} (${percent(share)}): all but 2xx, 3xx and 403`,
      ...(unfinished > 0 ? [`in flight when it was ended: ${unfinished}`] : []),
      ...(outcomes[TIMED_OUT] || unsent > 0
        ? ['requests that timed out or were not sent count with the time that they had waited']
        : []),
    ].join('\n'),
  ].join('\n\n');
}
