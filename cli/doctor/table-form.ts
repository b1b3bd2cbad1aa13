import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import definition from '../../table/dynamodb/definition.json' with { type: 'json' };
import type { OpenTable } from '../connection.ts';
import { checkRegions } from './regions.ts';
import { type Found, type Result, reporter } from './result.ts';

const { ok, warning, failed, notChecked } = reporter('table');

const keysOf = (schema: readonly KeySchemaElement[] = []): string =>
  schema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');

/** What DynamoDB says of the table; undefined where these credentials may not ask. */
export const describeTable = async ({ client, table }: OpenTable): Promise<TableDescription | undefined> =>
  (await describe(() => client.send(new DescribeTableCommand({ TableName: table }))))?.Table;

/**
 * What the table is, beside its definition (table/dynamodb/definition.json), and how it is protected.
 *
 * @param region what TABLE_REGION says
 */
export async function checkTable(
  { client, table }: OpenTable,
  found: TableDescription | undefined,
  region: string | undefined,
): Promise<Found> {
  if (!found) return notChecked('dynamodb:DescribeTable is not allowed to these credentials');
  return [
    formOf(found),
    checkRegions(found, region),
    protectionOf(found),
    await timeToLive(client, table),
    await backups(client, table),
  ].flat();
}

function formOf(found: TableDescription): Found {
  const results: Result[] = [];
  if (found.TableStatus !== 'ACTIVE') results.push(failed(`the table is ${found.TableStatus}, not ACTIVE`));
  const expected = keysOf(definition.KeySchema as KeySchemaElement[]);
  if (keysOf(found.KeySchema) !== expected)
    results.push(
      failed(`its key is ${keysOf(found.KeySchema)} instead of ${expected}: it is no table of Gatehouse`),
    );
  for (const index of definition.GlobalSecondaryIndexes) results.push(...[indexOf(found, index)].flat());
  return results.length > 0 ? results : ok('key and indexes are as defined');
}

function indexOf(
  { GlobalSecondaryIndexes = [] }: TableDescription,
  { IndexName, KeySchema, Projection }: (typeof definition.GlobalSecondaryIndexes)[number],
): Found {
  const index: GlobalSecondaryIndexDescription | undefined = GlobalSecondaryIndexes.find(
    (each) => each.IndexName === IndexName,
  );
  if (index === undefined) return failed(`the index ${IndexName} is missing: lists and searches fail`);
  if (keysOf(index.KeySchema) !== keysOf(KeySchema as KeySchemaElement[]))
    return failed(`the index ${IndexName} has another key than defined`);
  if (index.Projection?.ProjectionType !== Projection.ProjectionType)
    return failed(`the index ${IndexName} does not hold all attributes`);
  // Local engines leave it out.
  if ((index.IndexStatus ?? 'ACTIVE') !== 'ACTIVE')
    return warning(`the index ${IndexName} is ${index.IndexStatus}`);
  return [];
}

const protectionOf = ({ DeletionProtectionEnabled, StreamSpecification }: TableDescription): Found =>
  [
    DeletionProtectionEnabled ? [] : warning('the table is not protected against deletion'),
    StreamSpecification?.StreamViewType === 'NEW_AND_OLD_IMAGES'
      ? []
      : warning(
          'it has no stream of new and old images: no change feed, and no audit log outside of the table',
        ),
  ].flat();

async function timeToLive(client: OpenTable['client'], table: string): Promise<Found> {
  const found = await describe(() => client.send(new DescribeTimeToLiveCommand({ TableName: table })));
  if (!found) return notChecked('dynamodb:DescribeTimeToLive is not answered');
  const { AttributeName, TimeToLiveStatus = '' } = found.TimeToLiveDescription ?? {};
  return AttributeName === 'ttl' && TimeToLiveStatus.startsWith('ENABL')
    ? []
    : failed('its time-to-live is not on the attribute ttl: expired sessions and old audit records stay');
}

async function backups(client: OpenTable['client'], table: string): Promise<Found> {
  const found = await describe(() => client.send(new DescribeContinuousBackupsCommand({ TableName: table })));
  const state =
    found?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  if (state === undefined) return notChecked('dynamodb:DescribeContinuousBackups is not answered');
  return state === 'ENABLED' ? [] : warning('point-in-time recovery is off: what is lost cannot be restored');
}

/** The answer; undefined where it is not allowed, or not known to this engine. */
const describe = <T>(ask: () => Promise<T>): Promise<T | undefined> => ask().catch(() => undefined);
