import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { percentile } from '../harness/statistics.ts';
import type { Aws } from './aws.ts';
import type { Deployed } from './deploy.ts';
import { coldStartsIn } from './page.ts';
import type { Section } from './proof.ts';
import { during } from './traffic.ts';
import type { World } from './world.ts';

const alias = z.object({
  FunctionVersion: z.string(),
  RoutingConfig: z
    .object({ AdditionalVersionWeights: z.record(z.string(), z.number()).default({}) })
    .nullish(),
});
const described = z.object({ Table: z.object({ TableStatus: z.string() }) });
const counted = z.object({ Count: z.number() });
const statistics = z.object({ Datapoints: z.array(z.object({ Sum: z.number() })) });
const events = z.object({ events: z.array(z.object({ message: z.string() })) });

export const secondsSince = (begun: number): number => Math.round((Date.now() - begun) / 1_000);

/** How often something is looked at. */
const PAUSE_MS = 10_000;

/** A changed parameter, which the alias takes over in two parts. */
export async function canary(
  aws: Aws,
  { authorizer, url, change }: Deployed,
  world: World,
  signal: AbortSignal,
): Promise<Section> {
  const look = async () => {
    const words = ['lambda', 'get-alias', '--function-name', authorizer, '--name', 'live'];
    return alias.parse(await aws(words, signal));
  };
  const { FunctionVersion: before } = await look();
  const begun = Date.now();
  const seen = new Set<string>();
  const meanwhile = await during(url, world, signal, async () => {
    let isOver = false;
    const changing = change({ CacheTtlSeconds: '61' }, signal).finally(() => {
      isOver = true;
    });
    const looking = async (): Promise<void> => {
      for (; !isOver; await sleep(PAUSE_MS, undefined, { signal })) {
        const weights = (await look()).RoutingConfig?.AdditionalVersionWeights ?? {};
        for (const [version, weight] of Object.entries(weights))
          seen.add(`${Math.round(weight * 100)} % on version ${version}`);
      }
    };
    await Promise.all([changing, looking()]);
  });
  const { FunctionVersion: after } = await look();
  if (after === before) throw new Error('the alias stayed at its version');
  if (seen.size === 0) throw new Error('the alias went to its new version at once');
  const seenThen = `seen on the way: ${[...seen].join(', ')}`;
  return {
    title: 'Canary',
    lines: [`From version ${before} to ${after} in ${secondsSince(begun)} s; ${seenThen}.`, '', ...meanwhile],
  };
}

/**
 * The restore of the runbook, into a table beside the first.
 *
 * @param verify verifies the items of a table; says what came of it
 */
export async function restore(
  aws: Aws,
  table: string,
  restored: string,
  verify: (table: string) => Promise<string>,
  signal: AbortSignal,
): Promise<Section> {
  const begun = Date.now();
  const dynamodb = (...words: readonly string[]) => aws(['dynamodb', ...words], signal);
  const names = ['--source-table-name', table, '--target-table-name', restored];
  await dynamodb('restore-table-to-point-in-time', '--use-latest-restorable-time', ...names);
  const look = async () =>
    described.parse(await dynamodb('describe-table', '--table-name', restored)).Table.TableStatus;
  while ((await look()) !== 'ACTIVE') await sleep(PAUSE_MS, undefined, { signal });
  const seconds = secondsSince(begun);
  const count = async (name: string) =>
    counted.parse(await dynamodb('scan', '--select', 'COUNT', '--table-name', name)).Count;
  const [here, there] = [await count(table), await count(restored)];
  if (there === 0 && here > 0) throw new Error('the restored table is empty');
  return {
    title: 'Restore drill',
    lines: [
      `Restored in ${seconds} s: ${there} items, ${here} in the table now.`,
      `gatehouse verify: ${await verify(restored)}.`,
    ],
  };
}

/** CloudWatch has the last minutes a while later. */
const METRICS_AFTER_MS = 180_000;
/** What is billed by quantity; durations in milliseconds. */
const METRICS = [
  ['AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName'],
  ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName'],
  ['AWS/Lambda', 'Invocations', 'FunctionName'],
  ['AWS/Lambda', 'Duration', 'FunctionName'],
] as const;

/** What CloudWatch and the log know of the run. */
export async function measure(
  aws: Aws,
  { table, authorizer }: Deployed,
  since: Date,
  signal: AbortSignal,
): Promise<Section> {
  await sleep(METRICS_AFTER_MS, undefined, { signal });
  const names = { TableName: table, FunctionName: authorizer };
  const lines: string[] = [];
  for (const [namespace, metric, name] of METRICS) {
    const words = ['cloudwatch', 'get-metric-statistics', '--namespace', namespace, '--metric-name', metric];
    const of = ['--dimensions', `Name=${name},Value=${names[name]}`, '--statistics', 'Sum'];
    const span = ['--start-time', since.toISOString(), '--end-time', new Date().toISOString()];
    const { Datapoints } = statistics.parse(await aws([...words, ...of, ...span, '--period', '300'], signal));
    lines.push(`- ${metric}: ${Datapoints.reduce((total, { Sum }) => total + Sum, 0)}`);
  }
  const group = ['--log-group-name', `/aws/lambda/${authorizer}`, '--filter-pattern', '"Init Duration"'];
  const begun = ['--start-time', `${since.getTime()}`];
  const log = events.parse(await aws(['logs', 'filter-log-events', ...group, ...begun], signal));
  const starts = coldStartsIn(log.events.map(({ message }) => message));
  const inMs = (share: number) => `${Math.round(percentile(starts, share))} ms`;
  const found =
    starts.length === 0
      ? 'No cold start is in the log.'
      : `${starts.length} cold starts: INIT p50 ${inMs(0.5)}, p99 ${inMs(0.99)}, longest ${inMs(1)}.`;
  return { title: 'Cold starts, and what AWS bills', lines: [found, '', ...lines] };
}
