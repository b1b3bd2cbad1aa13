import { parseRef, parseSubjectRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, mandateUsesKey, nodeKey } from '../../table/keys.ts';
import { isOwnership, ownedRef } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import type { Owner } from './ownership.ts';

/**
 * The owners of a mandate: whose it is, who acts, and where. It goes with any of them: its creation counts up the revision
 * of each, so a deletion that has read what hangs there without it is planned again. Otherwise it would stay behind, and
 * count for another one of the same id. No decision rests on these revisions.
 */
export const ownersOfMandate = ({
  subject,
  actor,
  scopes,
}: Readonly<Record<string, unknown>>): readonly Owner[] => [
  { ref: parseSubjectRef(String(subject), 'subject'), field: 'subject' },
  { ref: parseSubjectRef(String(actor), 'actor'), field: 'actor' },
  ...[scopes as string | readonly string[]]
    .flat()
    .map((scope) => ({ ref: parseRef(scope, 'scopes'), field: 'scopes' })),
];

/** All items of a mandate, from its copy at an owner. */
const removeMandate = (ref: Ref, copy: Item): readonly Action[] =>
  [
    nodeKey(ref),
    decisionKey(ref),
    mandateUsesKey(ref.id),
    ...ownersOfMandate(copy).map((owner) => edgeKey(owner.ref, ref)),
  ].map((key) => ({ kind: 'delete', key }));

export const isMandate = (item: Item): boolean => isOwnership(item) && ownedRef(item).type === 'mandate';

/**
 * What the deletion of an owner deletes of its mandates: none ever counts for another subject, actor or scope of the same
 * id.
 */
export const mandatesAround = (around: readonly Item[]): readonly Action[][] =>
  around.filter(isMandate).map((copy) => [...removeMandate(ownedRef(copy), copy)]);
