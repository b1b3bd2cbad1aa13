import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { DecisionMetricsOptions } from '../engine/metrics.ts';

/**
 * How a request ended: with an answer, with 401 for bad credentials, or with a fault of ours. Lambda counts a thrown
 * 401 as an error of the function; here they are told apart.
 */
export type Outcome = 'allowed' | 'denied' | 'policy' | 'unauthorized' | 'fault';

/** Told of each request: its outcome, and for what the answer holds. */
export type Count = (outcome: Outcome, coverage: 'api' | 'route' | 'none') => void;

/**
 * Requests as metrics of CloudWatch (Embedded Metric Format), by service, outcome and coverage: `api` is a policy that
 * is true for the caller on the whole API, `route` an answer for one route.
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
