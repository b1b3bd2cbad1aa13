import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Observation, Observe } from './observation.ts';

export interface DecisionMetricsOptions {
  /** The CloudWatch namespace. */
  readonly namespace: string;
  /** The `service` dimension: an API, an application. */
  readonly service: string;
  /** Writes one line of JSON to standard output. Not `console.log`: Lambda adds a prefix to its lines. */
  readonly write: (line: string) => void;
}

/**
 * Writes decisions as CloudWatch metrics: one line in Embedded Metric Format each, which CloudWatch extracts
 * from the log. The dimensions are the service and the outcome (a reason or a fault code). Tenant, permission
 * and consistency are properties, for Logs Insights: as dimensions, each value would be a metric of its own
 * and billed as one. The subject is left out.
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
