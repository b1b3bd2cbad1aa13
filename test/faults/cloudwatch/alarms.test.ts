import { describe, expect, test } from 'vitest';
import { firingAlarms } from './alarms.ts';
import { metricMath } from './metric-math.ts';
import { type Datum, dataOfFilters, embeddedData } from './metrics.ts';
import type { Resources } from './resources.ts';

const datum = (name: string, value: number): Datum => ({ namespace: 'N', name, dimensions: {}, value });
const times = (count: number, each: Datum): readonly Datum[] => Array.from({ length: count }, () => each);

describe('metric math', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 2 - 3', 5],
    ['a / 8', 0.5],
    ['IF(a > 3, 1, 0)', 1],
    ['IF(b > 3, 1, 0)', 0],
    ['IF(b >= 2, 1, 0)', 1],
    ['FILL(absent, 0) + a', 4],
    ['absent + a', undefined],
  ])('%s is %s', (expression, expected) => {
    expect(metricMath(expression)((id) => ({ a: 4, b: 2 })[id])).toBe(expected);
  });

  test.each(['1 +', 'a b', 'MAX(a, 2)', 'FILL(a', "a + 'b'"])('%s is refused', (expression) => {
    expect(() => metricMath(expression)(() => 1)).toThrow('expression');
  });
});

const alarm = (properties: object): Resources => ({
  Alarm: {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      Namespace: 'N',
      MetricName: 'M',
      Statistic: 'Sum',
      Threshold: 2,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: ['topic'],
      ...properties,
    },
  },
});

describe('an alarm', () => {
  test('goes off above its threshold, not at it', () => {
    expect(firingAlarms(alarm({}), times(2, datum('M', 1)))).toEqual([]);
    expect(firingAlarms(alarm({}), times(3, datum('M', 1)))).toEqual(['Alarm']);
  });

  test('treats missing data as it says', () => {
    expect(firingAlarms(alarm({}), [])).toEqual([]);
    expect(firingAlarms(alarm({ TreatMissingData: 'breaching' }), [])).toEqual(['Alarm']);
  });

  test('looks at a percentile', () => {
    const slow = [...times(98, datum('M', 1)), ...times(2, datum('M', 9))];
    const p99 = { Statistic: undefined, ExtendedStatistic: 'p99' };
    expect(firingAlarms(alarm(p99), slow)).toEqual(['Alarm']);
    expect(firingAlarms(alarm(p99), [...times(99, datum('M', 1)), datum('M', 9)])).toEqual([]);
  });

  test('looks at a percentile rank', () => {
    const rank = { Statistic: 'PR(:5)', Threshold: 99, ComparisonOperator: 'LessThanThreshold' };
    expect(firingAlarms(alarm(rank), [...times(98, datum('M', 5)), ...times(2, datum('M', 6))])).toEqual([
      'Alarm',
    ]);
    expect(firingAlarms(alarm(rank), [...times(99, datum('M', 5)), datum('M', 6)])).toEqual([]);
  });

  test('does not look at a metric with other dimensions', () => {
    const other = { ...datum('M', 9), dimensions: { FunctionName: 'f' } };
    expect(firingAlarms(alarm({}), [other])).toEqual([]);
    expect(firingAlarms(alarm({ Dimensions: [{ Name: 'FunctionName', Value: 'f' }] }), [other])).toEqual([
      'Alarm',
    ]);
  });

  test('that is composite follows its rule', () => {
    const both: Resources = {
      ...alarm({}),
      Other: alarm({ Threshold: 5, AlarmActions: undefined }).Alarm as Resources[string],
      Both: {
        Type: 'AWS::CloudWatch::CompositeAlarm',
        Properties: { AlarmRule: 'ALARM("Alarm") AND ALARM("Other")', AlarmActions: ['topic'] },
      },
    };
    expect(firingAlarms(both, times(3, datum('M', 1)))).toEqual(['Alarm']);
    expect(firingAlarms(both, times(6, datum('M', 1)))).toEqual(['Alarm', 'Both']);
  });
});

test('metrics are made of the lines of their log group, and of the Embedded Metric Format', () => {
  const filter: Resources = {
    Filter: {
      Type: 'AWS::Logs::MetricFilter',
      Properties: {
        LogGroupName: 'Group',
        FilterPattern: '{ $.message = "failed" }',
        MetricTransformations: [{ MetricNamespace: 'N', MetricName: 'M', MetricValue: '1' }],
      },
    },
  };
  const [failed, done] = ['{"message":"failed"}', '{"message":"done"}'];
  expect(dataOfFilters(filter, 'Group', [failed, done, failed])).toEqual(times(2, datum('M', 1)));
  expect(dataOfFilters(filter, 'Other', [failed])).toEqual([]);
  const line = JSON.stringify({
    _aws: { CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [['service']], Metrics: [{ Name: 'M' }] }] },
    service: 's',
    M: 3,
  });
  expect(embeddedData([line, 'failed'])).toEqual([{ ...datum('M', 3), dimensions: { service: 's' } }]);
});
