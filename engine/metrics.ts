import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Observation, Observe } from './observation.ts';

export interface DecisionMetricsOptions {
  /** Under which name CloudWatch shows them. */
  readonly namespace: string;
  /** The dimension that tells services apart: an API, an application. */
  readonly service: string;
  /** Takes one line of JSON: to standard output, past Lambda's console, which would put a prefix before it. */
  readonly write: (line: string) => void;
}

/**
 * Decisions as metrics of CloudWatch: one line in the Embedded Metric Format for each, which CloudWatch reads out of
 * the log. Dimensions are the service and the outcome (a reason, or the code of a fault); tenant, permission and
 * consistency are properties of the line, to be asked for in Logs Insights: as dimensions each value would be a metric
 * of its own, and cost as much. The subject is not in it.
 *
 * ```ts
 * const write = (line: string) => process.stdout.write(`${line}\n`);
 * const observe = createDecisionMetrics({ namespace: 'Gatehouse', service: 'shop', write });
 * const engine = createEngine({ reader, clock, observe });
 * ```
 */
export function createDecisionMetrics({ namespace, service, write }: DecisionMetricsOptions): Observe {
  const metrics = new Metrics({ namespace, serviceName: service });
  return ({ decision, fault, tenant, permission, consistency, isFirst, isStale, ...cost }: Observation) => {
    metrics.addDimension('outcome', decision?.reason ?? fault ?? 'internal');
    metrics.addMetric('Allowed', MetricUnit.Count, decision?.allowed ? 1 : 0);
    metrics.addMetric('Faults', MetricUnit.Count, decision ? 0 : 1);
    metrics.addMetric('CacheHits', MetricUnit.Count, cost.calls === 0 ? 1 : 0);
    metrics.addMetric('Calls', MetricUnit.Count, cost.calls);
    metrics.addMetric('ReadUnits', MetricUnit.Count, cost.units);
    metrics.addMetric('ColdStarts', MetricUnit.Count, isFirst ? 1 : 0);
    metrics.addMetric('Stale', MetricUnit.Count, isStale ? 1 : 0);
    metrics.addMetric('Latency', MetricUnit.Milliseconds, cost.milliseconds);
    metrics.addMetadata('tenant', tenant ?? '');
    metrics.addMetadata('permission', permission);
    metrics.addMetadata('consistency', consistency);
    write(JSON.stringify(metrics.serializeMetrics()));
    metrics.clearMetrics();
    metrics.clearDimensions();
    metrics.clearMetadata();
  };
}
