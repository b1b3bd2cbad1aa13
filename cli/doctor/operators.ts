import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Result, reporter } from './result.ts';

const { ok, failed, notChecked } = reporter('operators');

/** Whether the scope in which operators have the rights for what belongs to no tenant exists. */
export async function checkOperations(reader: Reader, scope: string | undefined): Promise<Result> {
  if (scope === undefined)
    return notChecked('OPERATIONS_SCOPE is not given: --provisioning FUNCTION reads it from the function');
  const ref = isRef(scope) ? parseRef(scope, 'OPERATIONS_SCOPE') : undefined;
  if (!ref || !mayBeScopeType(ref.type))
    return failed(
      `OPERATIONS_SCOPE ${scope.slice(0, 100)} is no reference to a scope, such as tenant:operations`,
    );
  const node = await reader.get(nodeKey(ref));
  if (node && node.deletingSince === undefined) return ok(`OPERATIONS_SCOPE ${scope} exists`);
  return failed(
    `OPERATIONS_SCOPE ${scope} ${node ? 'is being deleted' : 'does not exist'}: only administrators may do what belongs to no tenant, and whoever creates that id decides who else may. Name another scope`,
  );
}
