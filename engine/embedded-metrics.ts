export interface MetricsOptions {
  /** The CloudWatch namespace. */
  readonly namespace: string;
  /** The `service` dimension: an API, an application. */
  readonly service: string;
  /** Writes one line of JSON to standard output. Not `console.log`: Lambda adds a prefix to its lines. */
  readonly write: (line: string) => void;
  /** Epoch milliseconds. Default: the wall clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * Writes metrics with one outcome as one line.
 *
 * @param values by the name of the metric: counts, and milliseconds for `Latency`. A count of 0 is left out:
 *   to a sum it adds nothing, and CloudWatch bills each byte.
 * @param properties for Logs Insights: they are no dimensions, for which CloudWatch bills each value
 */
export type WriteMetrics = (
  outcome: string,
  values: Readonly<Record<string, number>>,
  properties?: Readonly<Record<string, string | undefined>>,
) => void;

/**
 * Metrics in the Embedded Metric Format (CW CloudWatch_Embedded_Metric_Format_Specification), which CloudWatch
 * extracts from the log. The dimensions are the service and the outcome.
 */
export function createEmbeddedMetrics({
  namespace,
  service,
  write,
  now = Date.now,
}: MetricsOptions): WriteMetrics {
  return (outcome, values, properties) => {
    const written = Object.entries(values).filter(([name, value]) => value !== 0 || name === 'Latency');
    const directive = {
      Namespace: namespace,
      Dimensions: [['service', 'outcome']],
      Metrics: written.map(([Name]) => ({ Name })),
    };
    const _aws = { Timestamp: now(), CloudWatchMetrics: [directive] };
    write(JSON.stringify({ ...properties, _aws, service, outcome, ...Object.fromEntries(written) }));
  };
}
