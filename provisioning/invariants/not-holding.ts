import { formatRef } from '../../table/identifiers.ts';
import { parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { invariantsIn } from './invariants-of.ts';
import { violationText } from './new-violations.ts';
import { proveInvariants } from './prove.ts';

/** How much is looked at for who breaks a new one. */
const BOUNDS = { people: 2_000, items: 20_000, calls: 2_000, violations: 5 };

/** Who breaks the invariants that actions make or change already: no reason to refuse them. */
export async function notHolding(
  actions: readonly Action[],
  reader: Reader,
  at: number,
): Promise<string | undefined> {
  const found: string[] = [];
  for (const action of actions) {
    const parsed = parseKey(keyOf(action));
    if (action.kind !== 'update' || parsed?.form !== 'invariants') continue;
    const root = formatRef(parsed);
    for (const invariant of invariantsIn(action.set)) {
      const proof = await proveInvariants({ reader, root, invariants: [invariant], at, bounds: BOUNDS });
      found.push(...proof.violations.map(violationText));
      if (proof.moreViolations > 0) found.push(`and ${proof.moreViolations} more`);
      if (proof.unproved !== undefined) found.push(`not all is known: ${proof.unproved}`);
    }
  }
  return found.length === 0 ? undefined : `not all holds (gatehouse prove): ${found.join('; ')}`;
}
