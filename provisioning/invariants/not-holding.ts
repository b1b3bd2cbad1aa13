import { GatehouseError } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import type { Invariant } from '../../table/invariant.ts';
import { parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { invariantsIn } from './invariants-of.ts';
import { violationText } from './new-violations.ts';
import { proveInvariants } from './prove.ts';

/** How much is looked at for who breaks new ones of a root. */
const BOUNDS = { people: 2_000, items: 20_000, calls: 2_000, decisions: 100_000, violations: 10 };

/**
 * Who breaks the invariants that actions make or change already: no reason to refuse them, and neither is a fault of
 * what is read for it.
 */
export async function notHolding(
  actions: readonly Action[],
  reader: Reader,
  at: number,
): Promise<string | undefined> {
  const of = new Map<string, Invariant[]>();
  for (const action of actions) {
    const parsed = parseKey(keyOf(action));
    if (action.kind !== 'update' || parsed?.form !== 'invariants') continue;
    const root = formatRef(parsed);
    of.set(root, [...(of.get(root) ?? []), ...invariantsIn(action.set)]);
  }
  const found: string[] = [];
  for (const [root, invariants] of of) {
    if (invariants.length === 0) continue;
    try {
      const proof = await proveInvariants({ reader, root, invariants, at, bounds: BOUNDS });
      found.push(...proof.violations.map(violationText));
      if (proof.moreViolations > 0) found.push(`and ${proof.moreViolations} more`);
      if (proof.unproved !== undefined) found.push(`not all is known: ${proof.unproved}`);
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      found.push(`not all is known: ${error.message}`);
    }
  }
  return found.length === 0 ? undefined : `not all holds (gatehouse prove): ${found.join('; ')}`;
}
