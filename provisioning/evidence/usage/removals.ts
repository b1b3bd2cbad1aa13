import { defined } from '../../../table/defined.ts';
import {
  type AccessDifference,
  accessDifference,
  type DifferenceOptions,
} from '../../access-difference/access-difference.ts';
import { createCopy } from '../../access-difference/copy.ts';
import { peopleText } from '../../access-difference/summary.ts';
import type { Unused } from './usage.ts';

/** What would come of ending something that is not used. */
export interface Removal extends Unused {
  readonly access: AccessDifference;
  /** Why it is not offered; left out where it takes away only, and all that it does is known. */
  readonly refusal?: string;
}

/** Items and calls for all of them together: what one has read, the next need not read. */
const MOST = { items: 500_000, calls: 100_000 };

/**
 * Says of each removal who would lose and who would gain by it, each by itself, on a copy.
 *
 * @param at the instant to decide for, in epoch milliseconds
 * @throws GatehouseError faults of the table
 */
export async function checkRemovals(
  all: readonly Unused[],
  options: Omit<DifferenceOptions, 'bounds'> & { readonly onProgress?: (done: number) => void },
): Promise<readonly Removal[]> {
  const { commands, at, onProgress } = options;
  const { before: reader } = createCopy(options.reader, MOST);
  const removals: Removal[] = [];
  for (const unused of all) {
    const access = await accessDifference(unused.ends, { reader, commands, at });
    const refusal = unused.givenBy ?? refusalOf(access);
    removals.push({ ...unused, access, ...defined({ refusal }) });
    onProgress?.(removals.length);
  }
  return removals;
}

function refusalOf({ gains, incomplete }: AccessDifference): string | undefined {
  if (gains.people > 0)
    return `${peopleText(gains, incomplete !== undefined)} would gain access: a DENY goes, too`;
  return incomplete === undefined ? undefined : `nobody can say who would gain access: ${incomplete}`;
}
