import { invalid } from '../../table/errors.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import { loadNode, textOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import type { Planning } from '../plan.ts';

/**
 * A role that a tenant owns is granted inside that tenant only. The engine
 * would not count it elsewhere; refusing it here tells the operator.
 *
 * @param root the root scope in which the role is to be granted
 */
export async function refuseForeignRole(
  planning: Planning,
  id: string,
  root: string,
  field: string,
): Promise<void> {
  const node = await loadNode(planning, 'role', id, field);
  const scope = textOf(node.item, 'scope');
  if (isRef(scope) && scope !== root)
    throw invalid(field, `the role belongs to ${scope} and cannot be granted in ${root}`);
}

/** Throws `invalid` on `scope` when its type does not exist: a better error than a missing item. */
export async function refuseUnknownType(
  reader: Reader,
  { scope }: { readonly scope?: unknown },
): Promise<void> {
  if (typeof scope !== 'string' || parseRef(scope, 'scope').type === 'user') return;
  await readScopeRef(reader, scope, 'scope');
}

/** Throws `invalid` on the end of a period that does not come after its start; either may be open. */
export function refuseEmptyPeriod(of: Readonly<Record<string, unknown>>, start: string, end: string): void {
  const [from, until] = [of[start], of[end]];
  if (typeof from === 'string' && typeof until === 'string' && until <= from) {
    throw invalid(end, `${end} is not after ${start}`);
  }
}
