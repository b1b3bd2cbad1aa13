import { loadConditions } from '../nodes/properties.ts';
import { byDanger, type Finding, findingId } from './finding.ts';
import type { Verified, VerifyOptions } from './options.ts';
import { createRound } from './round.ts';

/** Walks over the table: a repaired item may be the source of others. */
const MAX_ROUNDS = 4;

/**
 * Checks that nodes, edges, guards, copies and decision items agree, by Query and by key, a partition at a
 * time.
 *
 * @throws GatehouseError as the service fails; `not_found` when there is nothing of the tenant;
 *   `limit_exceeded` when
 *   there are too many findings
 */
export async function verify(options: VerifyOptions): Promise<Verified> {
  await loadConditions();
  const repaired = new Map<string, Finding>();
  for (let round = 1; ; round++) {
    const walk = createRound(options);
    const result = await walk.run();
    for (const finding of walk.repaired) repaired.set(findingId(finding), finding);
    // A repair may have made other items right, so everything is checked again.
    if (walk.repaired.length > 0 && round < MAX_ROUNDS) continue;
    const open = [...result.open].sort(byDanger);
    for (const finding of open) repaired.delete(findingId(finding));
    return { ...result, open, repaired: [...repaired.values()].sort(byDanger) };
  }
}
