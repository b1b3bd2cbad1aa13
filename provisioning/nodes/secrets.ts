import type { Entity } from '../../table/entities/entity.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { secretKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Attributes } from '../visible.ts';
import { toUpdate } from './nodes.ts';

/**
 * Secrets of a node (password hashes) are in an item of their own, in a partition of their own, which the
 * authorizer's rights do not reach (ADR 0016). It is written and deleted in the transactions of its node.
 */
export const SECRET = 'Secret';

/** Attributes of a node as they are kept: with it, and apart from it. */
export function splitSecrets(
  { secret = [] }: Entity,
  attributes: Attributes,
): { readonly open: Attributes; readonly secrets: Attributes } {
  const entries = Object.entries(attributes);
  return {
    open: Object.fromEntries(entries.filter(([attribute]) => !secret.includes(attribute))),
    secrets: Object.fromEntries(entries.filter(([attribute]) => secret.includes(attribute))),
  };
}

export const secretItem = (ref: Ref, secrets: Attributes, now: string): Item => ({
  ...secretKey(ref),
  Type: SECRET,
  ...secrets,
  updatedAt: now,
});

/** With the creation of their node: nothing where it has none. */
export const putSecrets = (ref: Ref, secrets: Attributes, now: string): readonly Action[] =>
  Object.keys(secrets).length === 0 ? [] : [{ kind: 'put', item: secretItem(ref, secrets, now) }];

/** With a change of their node: null clears a secret, and one that is not named stays. */
export const changeSecrets = (ref: Ref, secrets: Attributes, now: string): readonly Action[] =>
  Object.keys(secrets).length === 0
    ? []
    : [{ kind: 'update', key: secretKey(ref), ...toUpdate({ Type: SECRET, ...secrets, updatedAt: now }) }];

/** With the deletion of their node, whether there are any or not. */
export const deleteSecrets = ({ secret }: Entity, ref: Ref): readonly Action[] =>
  secret === undefined ? [] : [{ kind: 'delete', key: secretKey(ref) }];
