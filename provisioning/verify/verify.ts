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
  const { from, onCheckpoint } = options;
  const repaired = new Map<string, Finding>();
  const remember = (findings: readonly Finding[]): void => {
    for (const finding of findings) repaired.set(findingId(finding), finding);
  };
  if (from) remember(from.repairedBefore);
  for (let round = from?.round ?? 1, start = from; ; round++, start = undefined) {
    const walk = createRound({
      ...options,
      from: start,
      onCheckpoint:
        onCheckpoint &&
        ((checkpoint) =>
          onCheckpoint({
            ...checkpoint,
            repaired: [...(start?.repaired ?? []), ...checkpoint.repaired],
            round,
            repairedBefore: [...repaired.values()],
          })),
    });
    const result = await walk.run();
    const here = [...(start?.repaired ?? []), ...walk.repaired];
    remember(here);
    // A repair may have made other items right, so everything is checked again.
    if (here.length > 0 && round < MAX_ROUNDS) continue;
    const open = [...result.open].sort(byDanger);
    for (const finding of open) repaired.delete(findingId(finding));
    return { ...result, open, repaired: [...repaired.values()].sort(byDanger) };
  }
}
