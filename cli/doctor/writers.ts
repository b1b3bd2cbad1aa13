import { GetResourcePolicyCommand } from '@aws-sdk/client-dynamodb';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { allScopes, logOf } from '../../table/index-queries.ts';
import { parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { CLOCK_SKEW_MS } from '../../table/timing.ts';
import type { OpenTable } from '../connection.ts';
import { sdkFaultOf } from '../faults.ts';
import { type Found, type Result, reporter } from './result.ts';

const { ok, warning, failed, notChecked } = reporter('writers');

/** Tenants whose logs are looked at: each is a Query of every part of its log. */
const MOST_TENANTS = 20;

/**
 * Looks for audit records from the future: their writer's clock was ahead of this one by more than readers allow
 * for (table/timing.ts). A clock that is behind leaves nothing that tells it.
 *
 * @param now the clock of this machine, which another check compares with that of DynamoDB
 */
export async function checkStamps(reader: Reader, now: () => number): Promise<Result> {
  const from = new Date(now() + CLOCK_SKEW_MS + 1).toISOString();
  try {
    const owners = [undefined, ...(await someTenants(reader))];
    for (const owner of owners) {
      const { items } = await reader.listMerged({ ...logOf(owner, { from }), limit: 1 });
      const [record] = items;
      if (record)
        return failed(
          `${String(record.action)} at ${String(record.timestamp)} is from the future (log of ${owner ? formatRef(owner) : 'what belongs to no tenant'}): a writer's clock was ahead by more than ${CLOCK_SKEW_MS} ms. Synchronise the clock of whatever ran operation ${String(record.operationId)}; see docs/internals/assumptions.md`,
        );
    }
    return ok(`no write is stamped with a time to come (${owners.length} audit logs)`);
  } catch (error) {
    if (sdkFaultOf((error as { readonly cause?: unknown }).cause) === 'forbidden')
      return notChecked('these credentials must not read the audit log');
    throw error;
  }
}

async function someTenants(reader: Reader): Promise<readonly Ref[]> {
  const isRoot = (item: { readonly PK: string; readonly SK: string; readonly root?: unknown }): boolean => {
    const key = parseKey(item);
    return key?.form === 'node' && item.root === formatRef(key);
  };
  const { items } = await reader.list({ ...allScopes(), keep: isRoot, limit: MOST_TENANTS });
  return items.flatMap((item) => {
    const key = parseKey(item);
    return key?.form === 'node' ? [{ type: key.type, id: key.id }] : [];
  });
}

/** Looks for a policy on the table itself, which may let others write to it. The roles of the account are IAM's. */
export async function checkPolicy(
  { client }: Pick<OpenTable, 'client'>,
  arn: string | undefined,
): Promise<Found> {
  if (arn === undefined) return [];
  try {
    const { Policy } = await client.send(new GetResourcePolicyCommand({ ResourceArn: arn }));
    if (!Policy) return [];
    return warning(
      'the table has a policy of its own (aws dynamodb get-resource-policy): it must let nobody but provisioning write, because other writes carry no stamp',
    );
  } catch (error) {
    // None, which is usual; local engines do not know the question.
    return sdkFaultOf(error) === 'forbidden' ? notChecked('dynamodb:GetResourcePolicy is not allowed') : [];
  }
}
