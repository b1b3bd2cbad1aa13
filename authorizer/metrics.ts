import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { DecisionMetricsOptions } from '../engine/metrics.ts';

/**
 * How a request ended: with an answer, with 401, or with a fault. Lambda's own metrics count the last two as
 * errors.
 */
type Outcome = 'allowed' | 'denied' | 'policy' | 'unauthorized' | 'fault';

/** Counts a request by its outcome and by what the answer covers. */
export type Count = (outcome: Outcome, coverage: 'api' | 'route' | 'none') => void;

/**
 * Writes requests as CloudWatch metrics (Embedded Metric Format), by service, outcome and coverage: `api` for
 * a policy that covers the whole API, `route` for an answer for one route.
 */
export function createAnswerMetrics({ namespace, service, write }: DecisionMetricsOptions): Count {
  const metrics = new Metrics({ namespace, serviceName: service });
  return (outcome, coverage) => {
    metrics.addDimension('outcome', outcome);
    metrics.addDimension('coverage', coverage);
    metrics.addMetric('Requests', MetricUnit.Count, 1);
    write(JSON.stringify(metrics.serializeMetrics()));
    metrics.clearMetrics();
    metrics.clearDimensions();
  };
}
