import type { Resources } from '../../stack/evaluate.ts';
import { filterPattern } from './filter-pattern.ts';

/** One datum of a metric. */
export interface Datum {
  readonly namespace: string;
  readonly name: string;
  /** By name. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MetricFilter {
  readonly LogGroupName: string;
  readonly FilterPattern: string;
  readonly MetricTransformations: readonly {
    readonly MetricNamespace: string;
    readonly MetricName: string;
    readonly MetricValue: string;
  }[];
}

/** The data that the metric filters of a stack make of the lines of a log group. */
export function dataOfFilters(
  resources: Resources,
  logGroup: string,
  lines: readonly string[],
): readonly Datum[] {
  const filters = Object.values(resources).filter(({ Type }) => Type === 'AWS::Logs::MetricFilter');
  return filters.flatMap(({ Properties }) => {
    const { LogGroupName, FilterPattern, MetricTransformations } = Properties as unknown as MetricFilter;
    if (LogGroupName !== logGroup) return [];
    const found = lines.filter(filterPattern(FilterPattern));
    return MetricTransformations.flatMap(({ MetricNamespace: namespace, MetricName: name, MetricValue }) => {
      // Another value than a number is taken from the event.
      const value = Number(MetricValue);
      if (Number.isNaN(value)) throw new Error(`metric value ${MetricValue}`);
      return found.map(() => ({ namespace, name, dimensions: {}, value }));
    });
  });
}

interface EmbeddedMetrics {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

/** Whether a line is one of the Embedded Metric Format. */
export const isEmbeddedMetrics = (line: string): boolean => line.startsWith('{') && line.includes('"_aws"');

/** The data in lines of the Embedded Metric Format (CW CloudWatch_Embedded_Metric_Format_Specification). */
export function embeddedData(lines: readonly string[]): readonly Datum[] {
  return lines.filter(isEmbeddedMetrics).flatMap((line) => {
    const event = JSON.parse(line) as EmbeddedMetrics;
    return event._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
      Dimensions.flatMap((names) =>
        Metrics.flatMap(({ Name }) =>
          [event[Name]].flat().map((value) => ({
            namespace: Namespace,
            name: Name,
            dimensions: Object.fromEntries(names.map((name) => [name, String(event[name])])),
            value: Number(value),
          })),
        ),
      ),
    );
  });
}

/** A metric, and how the data of a period become one value. */
export interface Statistic {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  readonly stat: string;
}

/** The value of a statistic over the data of one period; undefined when there are none. */
export function statisticOf(
  data: readonly Datum[],
  { Namespace, MetricName, Dimensions = [], stat }: Statistic,
) {
  const values = data
    .filter(
      ({ namespace, name, dimensions }) =>
        namespace === Namespace &&
        name === MetricName &&
        Object.keys(dimensions).length === Dimensions.length &&
        Dimensions.every(({ Name, Value }) => dimensions[Name] === Value),
    )
    .map(({ value }) => value)
    .sort((a, b) => a - b);
  if (values.length === 0) return undefined;
  const [, percentile] = /^p(\d+(?:\.\d+)?)$/.exec(stat) ?? [];
  if (percentile !== undefined) return values[Math.ceil((Number(percentile) / 100) * values.length) - 1];
  // A percentile rank: how many percent of the values are not above the bound.
  const [, bound] = /^PR\(:(\d+)\)$/.exec(stat) ?? [];
  if (bound !== undefined)
    return (100 * values.filter((value) => value <= Number(bound)).length) / values.length;
  const statistics: Readonly<Record<string, number | undefined>> = {
    Sum: values.reduce((total, value) => total + value, 0),
    Maximum: values.at(-1),
    Minimum: values[0],
  };
  if (!(stat in statistics)) throw new Error(`statistic ${stat}`);
  return statistics[stat];
}
