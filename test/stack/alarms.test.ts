import { describe, expect, test } from 'vitest';
import { createRequestMetrics } from '../../authorizer/metrics.ts';
import { samTemplate } from '../../deploy/bundle/sam-template.ts';
import type { Observation } from '../../engine/index.ts';
import { noNotes } from '../../table/reader.ts';
import { evaluateTemplate } from './evaluate.ts';
import type { Resource, Template } from './template.ts';

/**
 * What watches the stack, in the template of the package; that of Serverless has the same (stack.integration.test.ts).
 */
const TEMPLATE = samTemplate() as unknown as Template;
const { Resources } = evaluateTemplate(TEMPLATE, { AlarmTopicArn: 'arn:topic' });
const NAMESPACE = 'gatehouse-live';

const ofType = (type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);
const ALARMS = ofType('AWS::CloudWatch::Alarm');
const COMPOSITES = ofType('AWS::CloudWatch::CompositeAlarm');
const partsOf = (rule: string): string[] =>
  [...rule.matchAll(/ALARM\("(\w+)"\)/g)].map(([, name]) => name ?? '');

/** Metrics of AWS that are watched: Lambda's (monitoring-metrics-types) and DynamoDB's (metrics-dimensions). */
const OF_AWS: Readonly<Record<string, readonly string[]>> = {
  'AWS/Lambda': ['Invocations', 'Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
  'AWS/DynamoDB': ['ReadThrottleEvents', 'WriteThrottleEvents', 'SystemErrors'],
};

/** What the metric filters publish, without dimensions. */
const FILTERED: readonly string[] = ofType('AWS::Logs::MetricFilter').map(([, { Properties }]) => {
  const [{ MetricNamespace, MetricName }] = Properties.MetricTransformations;
  expect(MetricNamespace).toBe(NAMESPACE);
  return MetricName;
});

/** What the functions write in the Embedded Metric Format: `Name` to its dimensions, in order. */
const WRITTEN = new Map<string, string>();
const options = {
  namespace: NAMESPACE,
  service: 'default',
  write: (line: string) => {
    for (const { Namespace, Metrics, Dimensions } of JSON.parse(line)._aws.CloudWatchMetrics) {
      expect(Namespace).toBe(NAMESPACE);
      for (const { Name } of Metrics) WRITTEN.set(Name, Dimensions[0].toSorted().join());
    }
  },
};
const { counted, observe, withCounts } = createRequestMetrics({ ...options, now: () => 0 });
const { getMany } = withCounts({
  getMany: async (_: unknown, notes = noNotes()) => {
    Object.assign(notes, { calls: 1, units: 1 });
    return [];
  },
} as never);
await counted(async (count) => count({ outcome: 'role', decisions: 1, allowed: 1 }));
await counted(async (count) => {
  await getMany([]);
  observe({ isStale: true } as Observation);
  count({ outcome: 'transient', isFault: true });
});

/** That something publishes a metric. */
function expectPublished(namespace: string, name: string): void {
  const known = OF_AWS[namespace] ?? (namespace === NAMESPACE ? FILTERED : []);
  expect(known, `${namespace} ${name}`).toContain(name);
}

interface MetricOfAlarm {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData?: boolean;
  readonly MetricStat?: {
    readonly Metric: { readonly Namespace: string; readonly MetricName: string };
    readonly Period: number;
    readonly Stat: string;
  };
}
const metricsOf = (name: string): readonly MetricOfAlarm[] => Resources[name]?.Properties.Metrics ?? [];

describe('alarms', () => {
  test.each([...ALARMS, ...COMPOSITES])(
    '%s notifies the topic, or is part of one that does',
    (name, { Properties }) => {
      const parents = COMPOSITES.filter(([, each]) => partsOf(each.Properties.AlarmRule).includes(name));
      const notifying = parents.length > 0 ? parents.map(([, each]) => each.Properties) : [Properties];
      for (const each of notifying)
        expect(each).toMatchObject({ AlarmActions: ['arn:topic'], OKActions: ['arn:topic'] });
      const silent = evaluateTemplate(TEMPLATE).Resources[name]?.Properties;
      expect(silent.AlarmActions ?? []).toEqual([]);
    },
  );

  test.each(ALARMS)('%s looks at metrics that something publishes', (name, { Properties }) => {
    if (Properties.MetricName !== undefined) expectPublished(Properties.Namespace, Properties.MetricName);
    const metrics = metricsOf(name);
    for (const { MetricStat } of metrics)
      if (MetricStat !== undefined)
        expectPublished(MetricStat.Metric.Namespace, MetricStat.Metric.MetricName);
    // Every name in an expression is that of a metric.
    const [result, ...operands] = metrics;
    const ids = new Set((result?.Expression ?? '').match(/\b[a-z]\w*\b/g));
    expect([...ids].sort()).toEqual(operands.map(({ Id }) => Id).sort());
    expect(Properties.TreatMissingData).toBe('notBreaching');
  });

  test('each line that a filter counts has an alarm', () => {
    const watched = ALARMS.flatMap(([name, { Properties }]) => [
      Properties.MetricName,
      ...metricsOf(name).map(({ MetricStat }) => MetricStat?.Metric.MetricName),
    ]);
    for (const metric of FILTERED) expect(watched).toContain(metric);
  });

  test.each([
    ['AuthorizerRequestFaults', 'AuthorizerLogGroup', 'request failed'],
    ['AuthorizerKeyRefreshFailures', 'AuthorizerLogGroup', 'keys not refreshed'],
    ['AuthorizerInitFailures', 'AuthorizerLogGroup', 'start failed'],
    ['ProvisioningInitFailures', 'ProvisioningLogGroup', 'start failed'],
    ['CommandsRefused', 'ProvisioningLogGroup', 'command refused'],
    // A 401 is an error for Lambda, and what provisioning answers with a fault is none.
    ['CredentialsRefused', 'AuthorizerLogGroup', 'credentials refused'],
    ['ProvisioningFaults', 'ProvisioningLogGroup', 'command failed'],
  ])('%s counts lines by their message', (name, group, message) => {
    expect(Resources[name]?.Properties).toMatchObject({
      LogGroupName: group,
      FilterPattern: `{ $.message = "${message}" }`,
    });
  });
});

describe('objectives', () => {
  /** The value of an alarm's expression for the sums of its metrics. */
  function burnRate(name: string, sums: Readonly<Record<string, number>>, parameters = {}): number {
    const { Properties } = evaluateTemplate(TEMPLATE, parameters).Resources[name] as Resource;
    const [result] = Properties.Metrics as MetricOfAlarm[];
    const text = result?.Expression ?? '';
    const body = `const IF = (c, a, b) => c ? a : b; const FILL = (v) => v; return ${text};`;
    return Number(new Function(...Object.keys(sums), body)(...Object.values(sums)));
  }
  const DAY = { requests: 100_000, errors: 0, refused: 0, throttled: 0 };

  test.each([
    ['no fault', {}, 0],
    ['refused credentials, which Lambda counts as errors', { errors: 5_000, refused: 5_000 }, 0],
    ['as many faults as the budget has', { errors: 100 }, 1],
    ['faults beside refused credentials', { errors: 1_540, refused: 100 }, 14.4],
    ['throttled requests', { throttled: 600, requests: 99_400 }, 6],
    ['nothing', { requests: 0 }, 0],
  ])('availability burns by faults alone: %s', (_, sums, expected) => {
    expect(burnRate('AvailabilityBurn1h', { ...DAY, ...sums })).toBeCloseTo(expected, 6);
  });

  test('a 401, an error for Lambda, is no fault', () => {
    const hundred = { requests: 100, errors: 5 };
    expect(burnRate('AuthorizerErrorsAlarm', { ...hundred, refused: 5 })).toBe(0);
    expect(burnRate('AuthorizerErrorsAlarm', { ...hundred, refused: 1 })).toBe(4);
  });

  test('an objective is a parameter', () => {
    expect(
      burnRate('AvailabilityBurn1h', { ...DAY, errors: 100 }, { AvailabilityObjective: 99 }),
    ).toBeCloseTo(0.1);
    expect(burnRate('LatencyBurn6h', { fast: 97 }, { LatencyObjective: 95 })).toBeCloseTo(0.6);
    expect(burnRate('LatencyBurn6h', { fast: 99 })).toBeCloseTo(1);
    const quick = evaluateTemplate(TEMPLATE, { LatencyAlarmMs: 250 }).Resources;
    expect(JSON.stringify(quick.LatencyBurn1h)).toContain('"Stat":"PR(:250)"');
  });

  test.each(['Availability', 'Latency'])(
    '%s: a long window and a short one, both, at two rates',
    (objective) => {
      const periodsOf = (name: string) =>
        partsOf(Resources[name]?.Properties.AlarmRule).map((part) => {
          const { Threshold, EvaluationPeriods } = Resources[part]?.Properties ?? {};
          const periods = metricsOf(part).flatMap(({ MetricStat }) => MetricStat?.Period ?? []);
          expect([EvaluationPeriods, new Set(periods).size]).toEqual([1, 1]);
          return [(periods[0] ?? 0) / 60, Threshold];
        });
      const rule = (name: string) => Resources[name]?.Properties.AlarmRule;
      expect(rule(`${objective}FastBurnAlarm`)).toMatch(/^ALARM\("\w+"\) AND ALARM\("\w+"\)$/);
      expect(periodsOf(`${objective}FastBurnAlarm`)).toEqual([
        [60, 14.4],
        [5, 14.4],
      ]);
      expect(periodsOf(`${objective}SlowBurnAlarm`)).toEqual([
        [360, 6],
        [30, 6],
      ]);
    },
  );
});

describe('the dashboard', () => {
  const { DashboardName, DashboardBody } = Resources.Dashboard?.Properties ?? {};
  const { widgets } = JSON.parse(DashboardBody) as {
    widgets: { type: string; x: number; width: number; properties: Record<string, unknown> }[];
  };
  const metrics = widgets.flatMap(({ properties }) => (properties.metrics ?? []) as unknown[][]);

  test('is that of the stack, and shows each alarm that notifies', () => {
    expect(DashboardName).toBe(NAMESPACE);
    const shown = widgets.flatMap(({ properties }) => (properties.alarms ?? []) as string[]);
    const parts = COMPOSITES.flatMap(([, { Properties }]) => partsOf(Properties.AlarmRule));
    const notifying = [...ALARMS, ...COMPOSITES]
      .map(([name]) => name)
      .filter((name) => !parts.includes(name));
    expect(shown.sort()).toEqual(notifying.map((name) => `${name}.Arn`).sort());
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
  });

  test('names only metrics that something publishes, by the dimensions that they have', () => {
    const searched: string[] = [];
    for (const [first, name] of metrics) {
      if (typeof first === 'string') {
        expectPublished(first, String(name));
        continue;
      }
      const { expression } = first as { expression: string };
      const searches = [...expression.matchAll(/SEARCH\('\{"([^"]+)",([\w,]+)\} MetricName="(\w+)"'/g)];
      expect(searches.length).toBe(expression.split('SEARCH(').length - 1);
      for (const [, namespace, dimensions, metric = ''] of searches) {
        expect(namespace).toBe(NAMESPACE);
        expect([metric, WRITTEN.get(metric)]).toEqual([metric, dimensions]);
        searched.push(metric);
      }
    }
    // All of it but the allows, which the reasons say.
    expect([...new Set(searched)].sort()).toEqual(
      [...WRITTEN.keys()].filter((name) => name !== 'Allowed').sort(),
    );
  });

  test('shows what the logs and AWS count as well', () => {
    const named = metrics.map(([first, name]) => (typeof first === 'string' ? `${first} ${name}` : ''));
    for (const metric of new Set(FILTERED)) expect(named).toContain(`${NAMESPACE} ${metric}`);
    for (const metric of ['Throttles', 'Errors', 'Duration']) expect(named).toContain(`AWS/Lambda ${metric}`);
  });

  test('is not empty: metrics of decisions are on unless a parameter says otherwise', () => {
    const namespace = (parameters = {}) =>
      evaluateTemplate(TEMPLATE, parameters).Resources.AuthorizerLambdaFunction?.Properties.Environment
        .Variables.METRICS_NAMESPACE;
    expect(namespace()).toBe(NAMESPACE);
    expect(namespace({ Metrics: 'false' })).toBe('');
  });
});
