import type { Interval } from '../table/decision/facts.ts';
import type { Place } from './view.ts';

/**
 * Step 5 of SPEC section 2. A module that is sold needs a subscription at the scope or above it; a scope that is
 * linked to an enterprise, as a workstream is, needs a licence of the account above it.
 */
export function isSubscribed({ scopes }: Place, module: string | undefined, at: number): boolean {
  if (module === undefined) return true;
  for (const scope of scopes) {
    for (const { start, end } of scope?.subscriptions.get(module) ?? []) {
      if (start <= at && at < end) return true;
    }
  }
  return false;
}

/** The licences of which one has to hold, for each enterprise that a scope here is linked to. */
export const licensesAsked = ({ scopes }: Place): readonly (readonly Interval[])[] =>
  scopes.flatMap((linked) => {
    const { enterprise } = linked ?? {};
    return enterprise === undefined ? [] : [scopes.flatMap((scope) => scope?.licenses.get(enterprise) ?? [])];
  });
