import { createEmbeddedMetrics, type MetricsOptions } from './embedded-metrics.ts';
import type { Observation, Observe } from './observation.ts';

export type { MetricsOptions as DecisionMetricsOptions };

/**
 * Writes decisions as CloudWatch metrics, in Embedded Metric Format: for decisions that are made together (of
 * `checkMany`, of a session) one line for each outcome, a reason or a fault code, and so one line for a single
 * check. `Decisions` counts them; what the call took is in its first line, with `Latency`. The tenant is a
 * property, for Logs Insights. The subject is left out.
 *
 * ```ts
 * const write = (line: string) => process.stdout.write(`${line}\n`);
 * const observe = createDecisionMetrics({ namespace: 'Gatehouse', service: 'shop', write });
 * const engine = createEngine({ reader, clock, observe });
 * ```
 */
export function createDecisionMetrics(options: MetricsOptions): Observe {
  const write = createEmbeddedMetrics(options);
  return (_, position, together) => {
    if (position !== 0) return;
    const byOutcome = new Map<string, Observation[]>();
    for (const each of together) {
      const outcome = each.decision?.reason ?? each.fault ?? 'internal';
      byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), each]);
    }
    for (const [outcome, same] of byOutcome) {
      const [first] = same as [Observation];
      const counts = {
        Decisions: first.decision ? same.length : 0,
        Allowed: first.decision?.allowed ? same.length : 0,
        Faults: first.decision ? 0 : same.length,
        CacheHits: first.decision && together[0]?.calls === 0 ? same.length : 0,
        Kept: same.filter(({ isKept }) => isKept).length,
        Stale: same.some(({ isStale }) => isStale) ? 1 : 0,
      };
      const tenant = same.every((each) => each.tenant === first.tenant) ? first.tenant : undefined;
      write(outcome, first === together[0] ? { ...counts, ...costOf(first) } : counts, tenant);
    }
  };
}

/**
 * Writes pages of lists as CloudWatch metrics, in Embedded Metric Format, with the outcome `page`: the `observe` of
 * `createVisibleRows`. `Rows` were looked at, and `Dropped` of them refused: many mean columns that disagree with the tree.
 */
export function createListMetrics(
  options: MetricsOptions,
): (page: { readonly looked: number; readonly dropped: number }) => void {
  const write = createEmbeddedMetrics(options);
  return ({ looked, dropped }) => write('page', { Rows: looked, Dropped: dropped });
}

const costOf = ({ calls, units, isFirst, milliseconds }: Observation) => ({
  Calls: calls,
  ReadUnits: units,
  ColdStarts: isFirst ? 1 : 0,
  Latency: milliseconds,
});
