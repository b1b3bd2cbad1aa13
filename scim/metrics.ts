import { defined } from '../table/defined.ts';
/** Where lines of metrics go. */
export interface ScimMetricsOptions {
  /** The CloudWatch namespace. */
  readonly namespace: string;
  /** Writes one line of JSON. */
  readonly write: (line: string) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface ScimMetrics {
  /** A request: of a connection, or undefined without a valid credential. */
  readonly answered: (connection: string | undefined, status: number, milliseconds: number) => void;
  /** Days until the credential that was shown ends. */
  readonly daysLeft: (connection: string, days: number) => void;
  readonly administratorEnded: (connection: string) => void;
}

/**
 * Metrics in the Embedded Metric Format (CW CloudWatch_Embedded_Metric_Format_Specification): of each connection, and of
 * all of them by the service.
 */
export function createScimMetrics({ namespace, write, now }: ScimMetricsOptions): ScimMetrics {
  const line = (
    values: Readonly<Record<string, number>>,
    of: Readonly<Record<string, string>>,
    by: readonly string[] = [],
  ): void => {
    const dimensions = ['service', 'connection'].filter((each) => each === 'service' || each in of);
    const directive = {
      Namespace: namespace,
      Dimensions: dimensions.map((each) => [each, ...by]),
      Metrics: Object.keys(values).map((name) => ({ Name: name })),
    };
    const aws = { Timestamp: now(), CloudWatchMetrics: [directive] };
    write(JSON.stringify({ service: 'scim', ...of, _aws: aws, ...values }));
  };
  return {
    answered: (connection, status, milliseconds) =>
      line(
        { ScimRequests: 1, Latency: milliseconds },
        { ...defined({ connection }), status: `${Math.floor(status / 100)}xx` },
        ['status'],
      ),
    daysLeft: (connection, days) => line({ ScimCredentialDaysLeft: days }, { connection }),
    administratorEnded: (connection) => line({ ScimAdministratorsEnded: 1 }, { connection }),
  };
}
