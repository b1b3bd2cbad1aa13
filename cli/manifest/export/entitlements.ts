import type { Row } from '../../../provisioning/apply/entry.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import type { Places } from './scopes.ts';

/** The section `subscriptions`. */
export async function subscriptionsSection(
  { queries, idOf }: Exporting,
  { refs, names }: Places,
): Promise<readonly Row[]> {
  const lists = await inTurns(refs, (scope) => queries.list('subscription.list', { scope }));
  return lists.flat().map((row) =>
    kept({
      ...idOf(row),
      scope: names.of(row.scope),
      module: row.module,
      status: unless(row.status, 'active'),
      from: row.startDate,
      until: row.endDate,
      tier: row.tier,
      autoRenew: unless(row.autoRenew, false),
      usageQuota: row.usageQuota,
    }),
  );
}

/** The section `licenses`. */
export async function licensesSection(
  { queries, idOf }: Exporting,
  { refs, names }: Places,
): Promise<readonly Row[]> {
  const accounts = refs.filter((ref) => ref.startsWith('account:'));
  const lists = await inTurns(accounts, (account) => queries.list('license.list', { account }));
  return lists.flat().map((row) => {
    if (names.of(row.enterprise) === undefined)
      throw new Error(`a licence is for ${row.enterprise}, which is not exported: name it as well (--root)`);
    return kept({
      ...idOf(row),
      account: names.of(row.account),
      enterprise: names.of(row.enterprise),
      name: row.name,
      status: unless(row.status, 'active'),
      from: row.startDate,
      until: row.endDate,
    });
  });
}
