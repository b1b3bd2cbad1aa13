import { MAX_ANCESTORS } from '../../table/entities/scope-types.ts';
import { loadConditions } from '../nodes/properties.ts';
import { byDanger, type Finding, findingId } from './finding.ts';
import type { Verified, VerifyOptions } from './options.ts';
import { createRound } from './round.ts';

/**
 * Walks that repair: a repaired item may be the source of others, and the path of a scope follows that of its parent. One
 * more says what is left.
 */
const MAX_ROUNDS = MAX_ANCESTORS;

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
      repair: round <= MAX_ROUNDS ? options.repair : undefined,
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
    // A repair may have made other items right, or wrong, so everything is checked again.
    if (here.length > 0) continue;
    const open = [...result.open].sort(byDanger);
    for (const finding of open) repaired.delete(findingId(finding));
    return { ...result, open, repaired: [...repaired.values()].sort(byDanger) };
  }
}
