import type { Entitlements, ScopeFacts } from '../table/decision/facts.ts';
import { DENIED, type Decision } from './decision.ts';
import type { View } from './view.ts';

/**
 * Step 5 of SPEC section 2. A module that is sold needs a subscription at the scope or above it; a scope that
 * is linked to an enterprise, as a workstream is, needs a licence of the account above it.
 *
 * @returns the refusal, or undefined when nothing is missing
 */
export function notEntitled({ scopes, permission, global }: View, at: number): Decision | undefined {
  const module = permission?.module;
  if (module !== undefined && global.soldModules.has(module)) {
    if (!someHolds(scopes, at, (scope) => scope.subscriptions, module)) return DENIED.not_subscribed;
  }
  for (const scope of scopes) {
    if (scope?.enterprise === undefined) continue;
    if (!someHolds(scopes, at, ({ licenses }) => licenses, scope.enterprise)) return DENIED.not_licensed;
  }
  return undefined;
}

function someHolds(
  scopes: View['scopes'],
  at: number,
  entitlementsOf: (scope: ScopeFacts) => Entitlements,
  name: string,
): boolean {
  for (const scope of scopes) {
    for (const { start, end } of (scope && entitlementsOf(scope).get(name)) ?? []) {
      if (start <= at && at < end) return true;
    }
  }
  return false;
}
