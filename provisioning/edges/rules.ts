import { invalid } from '../../table/errors.ts';
import { isRef } from '../../table/identifiers.ts';
import { loadNode, textOf } from '../nodes/nodes.ts';
import type { Planning } from '../plan.ts';

/**
 * A role that a tenant owns is granted inside that tenant only (SPEC section 2, step 6). The engine
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
