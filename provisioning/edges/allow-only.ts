import { conflict, type GatehouseError } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Update } from '../../table/write/action.ts';
import { isOfOperators } from '../operator-permissions.ts';

/**
 * An allow-only role holds no effect DENY and no permission of operators, and inherits only from allow-only roles; an
 * allow-only group carries only such roles. So nobody gains access by not being in the group, and whoever fills it from
 * outside makes nobody an operator. The mark is never taken off: what was found while a node got
 * it stays true. Whatever could break this has a condition on the mark in its transaction.
 */
export const isAllowOnly = (attributes: Readonly<Record<string, unknown>>): boolean =>
  attributes.allowOnly === true;

export const notAllowOnly = (field: string, ref: Ref): GatehouseError =>
  conflict(field, `${formatRef(ref)} is not allow-only`);

const onMark = (
  ref: Ref,
  allowOnly: true | undefined,
  failure: (found: Item | undefined) => GatehouseError,
): Update => ({ kind: 'update', key: nodeKey(ref), when: { exists: true, equals: { allowOnly } }, failure });

/** The condition that a role or group has the mark. */
export const whenAllowOnly = (ref: Ref, field: string): Update =>
  onMark(ref, true, () => notAllowOnly(field, ref));

/** The condition that it has not. */
export const unlessAllowOnly = (ref: Ref, refusal: () => GatehouseError): Update =>
  onMark(ref, undefined, refusal);

/** Why an allow-only role does not take an effect; undefined where it does. */
export function refusedEffect(role: Ref, effect: unknown, permission: unknown): GatehouseError | undefined {
  const holdsNo = (field: string, what: string) =>
    conflict(field, `${formatRef(role)} is allow-only: it holds no ${what}`);
  if (effect === 'DENY') return holdsNo('effect', 'effect DENY');
  return isOfOperators(permission) ? holdsNo('permission', 'permission of operators') : undefined;
}
