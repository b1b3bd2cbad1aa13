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
 * @param values by the name of the metric, a plain word: counts, and milliseconds for `Latency`. A count of 0 is left out:
 *   to a sum it adds nothing, and CloudWatch bills each byte.
 * @param tenant for Logs Insights: it is no dimension, for which CloudWatch bills each value
 */
export type WriteMetrics = (
  outcome: string,
  values: Readonly<Record<string, number>>,
  tenant?: string | undefined,
) => void;

/** Takes a line that is made when it is written. Until then all values of one outcome and tenant are joined in it. */
export type WriteLater = (line: () => string) => void;

/** Values of a metric that one line may have. */
const MOST_VALUES = 100;

/**
 * Metrics in the Embedded Metric Format (CW CloudWatch_Embedded_Metric_Format_Specification), which CloudWatch
 * extracts from the log. The dimensions are the service and the outcome.
 *
 * The line is put together as text: with objects made for `JSON.stringify` it takes four times as long.
 */
export function createEmbeddedMetrics(
  { namespace, service, write, now = Date.now }: MetricsOptions,
  writeLater?: WriteLater,
): WriteMetrics {
  const ofService = `"service":${JSON.stringify(service)}`;
  const directive = `"Namespace":${JSON.stringify(namespace)},"Dimensions":[["service","outcome"]]`;
  const lineOf = (outcome: string, values: Readonly<Record<string, number | number[]>>, tenant?: string) => {
    const ofTenant = tenant === undefined ? '' : `"tenant":${JSON.stringify(tenant)},`;
    const fields = `${ofTenant}${ofService},"outcome":${JSON.stringify(outcome)}`;
    let metrics = '';
    let counts = '';
    for (const name in values) {
      const value = values[name];
      if (!value && name !== 'Latency') continue;
      metrics += `${metrics && ','}{"Name":"${name}"}`;
      counts += `,"${name}":${typeof value === 'number' ? value : `[${value}]`}`;
    }
    const aws = `{"Timestamp":${now()},"CloudWatchMetrics":[{${directive},"Metrics":[${metrics}]}]}`;
    return `{${fields},"_aws":${aws}${counts}}`;
  };
  if (!writeLater) return (...ending) => write(lineOf(...ending));
  const open = new Map<string, Record<string, number[]>>();
  return (outcome, values, tenant) => {
    const key = `${outcome} ${tenant}`;
    const before = open.get(key);
    const joined = before?.Latency && before.Latency.length < MOST_VALUES ? before : {};
    for (const [name, value] of Object.entries(values)) {
      if (value === 0 && name !== 'Latency') continue;
      joined[name] ??= [];
      joined[name].push(value);
    }
    if (joined === before) return;
    open.set(key, joined);
    writeLater(() => {
      if (open.get(key) === joined) open.delete(key);
      return lineOf(outcome, joined, tenant);
    });
  };
}
