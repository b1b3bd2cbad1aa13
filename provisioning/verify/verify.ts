import { byDanger, type Finding, identityOf } from './finding.ts';
import type { Verified, VerifyOptions } from './options.ts';
import { createRound } from './round.ts';

/** How often the table is walked: what was put right may be what other items are made from. */
const MAX_ROUNDS = 4;

/**
 * Looks at everything that nodes, edges, guards, copies and decision items say of each other, by Query and by key, a
 * partition at a time.
 *
 * @throws GatehouseError as the service fails; `not_found` when there is nothing of the tenant; `limit_exceeded` when
 *   more is wrong than can be told
 */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const repaired = new Map<string, Finding>();
  for (let round = 1; ; round++) {
    const walk = createRound(options);
    const result = await walk.run();
    for (const finding of walk.repaired) repaired.set(identityOf(finding), finding);
    // What was wrong because of something else may be right by now; so all is looked at again.
    if (walk.repaired.length > 0 && round < MAX_ROUNDS) continue;
    const open = [...result.open].sort(byDanger);
    for (const finding of open) repaired.delete(identityOf(finding));
    return { ...result, open, repaired: [...repaired.values()].sort(byDanger) };
  }
}
