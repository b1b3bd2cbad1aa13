import { describe, expect, test } from 'vitest';
import type { Resources } from '../../stack/evaluate.ts';
import { firingAlarms } from './alarms.ts';
import { type Datum, embeddedData } from './metrics.ts';

/** What no fault of the functions shows of how alarms are evaluated: faults.integration.test.ts. */
const datum = (name: string, value: number): Datum => ({ namespace: 'N', name, dimensions: {}, value });
const times = (count: number, each: Datum): readonly Datum[] => Array.from({ length: count }, () => each);

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
});

test('metrics are made of the Embedded Metric Format', () => {
  const line = JSON.stringify({
    _aws: { CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [['service']], Metrics: [{ Name: 'M' }] }] },
    service: 's',
    M: 3,
  });
  expect(embeddedData([line, 'failed'])).toEqual([{ ...datum('M', 3), dimensions: { service: 's' } }]);
});
