import type { Resources } from '../../stack/evaluate.ts';
import { metricMath } from './metric-math.ts';
import { type Datum, statisticOf } from './metrics.ts';

interface MetricStat {
  readonly Metric: {
    readonly Namespace: string;
    readonly MetricName: string;
    readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  };
  readonly Stat: string;
}

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: MetricStat;
  readonly ReturnData?: boolean;
}

interface Alarm {
  readonly Metrics?: readonly MetricQuery[];
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: MetricStat['Metric']['Dimensions'];
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Threshold: number | string;
  readonly ComparisonOperator: string;
  readonly TreatMissingData?: string;
}

const BREACHES: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};

/** The value that an alarm looks at, of the data of one period. */
function observed(alarm: Alarm, data: readonly Datum[]): number | undefined {
  const { Metrics, Namespace = '', MetricName = '', Dimensions = [], Statistic, ExtendedStatistic } = alarm;
  if (Metrics === undefined)
    return statisticOf(data, {
      Namespace,
      MetricName,
      Dimensions,
      stat: Statistic ?? ExtendedStatistic ?? '',
    });
  const queries = new Map(Metrics.map((query) => [query.Id, query]));
  const valueOfId = (id: string): number | undefined => {
    const query = queries.get(id);
    if (query?.Expression !== undefined) return metricMath(query.Expression)(valueOfId);
    if (query?.MetricStat === undefined) throw new Error(`metric ${id}`);
    const { Metric, Stat } = query.MetricStat;
    return statisticOf(data, { ...Metric, stat: Stat });
  };
  const [returned, ...others] = Metrics.filter(({ ReturnData = true }) => ReturnData);
  if (returned === undefined || others.length > 0) throw new Error('an alarm looks at one value');
  return valueOfId(returned.Id);
}

/**
 * The alarms of a stack that notify somebody when every period has these data: what lasts for as long as an alarm
 * looks back. Composite alarms follow those that their rule names; an alarm without actions is a part of one.
 *
 * @returns logical ids, in alphabetical order
 */
export function firingAlarms(resources: Resources, data: readonly Datum[]): readonly string[] {
  const isFiring = (id: string): boolean => {
    const { Type, Properties } = resources[id] ?? {};
    if (Type === 'AWS::CloudWatch::CompositeAlarm') return isTrue(String(Properties?.AlarmRule), isFiring);
    const alarm = Properties as unknown as Alarm;
    const value = observed(alarm, data);
    if (value === undefined) return alarm.TreatMissingData === 'breaching';
    const breaches = BREACHES[alarm.ComparisonOperator];
    if (breaches === undefined) throw new Error(`${id}: ${alarm.ComparisonOperator}`);
    return breaches(value, Number(alarm.Threshold));
  };
  const alarms = Object.entries(resources).filter(
    ([, { Type, Properties }]) =>
      /^AWS::CloudWatch::(?:Composite)?Alarm$/.test(Type) && Properties.AlarmActions !== undefined,
  );
  return alarms.flatMap(([id]) => (isFiring(id) ? [id] : [])).sort();
}

/** The rule of a composite alarm: `ALARM("a") AND ALARM("b")`. */
const isTrue = (rule: string, isFiring: (id: string) => boolean): boolean =>
  rule.split(' AND ').every((part) => {
    const [, id] = /^ALARM\("(\w+)(?:\.Arn)?"\)$/.exec(part) ?? [];
    if (id === undefined) throw new Error(`rule ${rule}`);
    return isFiring(id);
  });
