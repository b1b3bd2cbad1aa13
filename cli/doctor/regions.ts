import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { type Found, reporter } from './result.ts';

const { ok, warning, failed } = reporter('table');

/**
 * Whether one region decides (ADR 0028): a global table of the strong kind has no transactions, and a function that is
 * not told the region of the table uses the replica in its own.
 *
 * @param region what TABLE_REGION says
 */
export function checkRegions(table: TableDescription, region: string | undefined): Found {
  if (table.MultiRegionConsistency === 'STRONG')
    return failed(
      'it is a global table with strong consistency (MRSC), which has no transactions: no command works. Make a table in one region; see docs/regions.md',
    );
  // arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
  const here = table.TableArn?.split(':')[3] || undefined;
  const standbys = (table.Replicas ?? []).flatMap(({ RegionName }) =>
    RegionName === undefined || RegionName === here ? [] : [RegionName],
  );
  if (region !== undefined && here !== undefined && region !== here && table.Replicas?.length)
    return failed(
      `this is the replica in ${here}, and TABLE_REGION is ${region}: nothing may decide from it or write to it. Give --region ${region}`,
    );
  if (standbys.length === 0) return [];
  return region === undefined
    ? warning(
        `it has replicas in ${standbys.join(', ')}, and TABLE_REGION is not set: a function there uses its replica, where decisions are of no instant and unique values are not unique. Set TABLE_REGION=${here} for every function; see docs/regions.md`,
      )
    : ok(`${region} decides; the replicas in ${standbys.join(', ')} are standbys`);
}
