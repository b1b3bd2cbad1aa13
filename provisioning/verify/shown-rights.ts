import { isSubjectNode, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, GLOBAL, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { role } from '../edges/rights.ts';
import { attempt, changeOf, fault, type Relation } from './relation.ts';

/** A subject's node repeats its global roles, and whether it is an administrator. */
export function shownRights(ref: Ref, item: Item): readonly Relation[] {
  if (!isSubjectNode(ref)) return [];
  return [
    ...(item.isAdmin === undefined ? [] : [shownAdmin(ref)]),
    ...(item.roles instanceof Set ? [...item.roles] : []).flatMap(
      (id) => attempt(() => shownRole(ref, String(id))) ?? [],
    ),
  ];
}

interface Shown {
  readonly attribute: string;
  /** What has an edge with the subject where the subject has the right. */
  readonly source: Ref;
  readonly isRight: (node: Item, has: boolean) => boolean;
  readonly expected: (has: boolean) => string;
  readonly repair: (node: Item, has: boolean) => readonly Action[];
}

const shown = (ref: Ref, { attribute, source, isRight, expected, repair }: Shown): Relation => ({
  name: `shown ${nodeKey(ref).PK} ${attribute}`,
  keys: [nodeKey(ref), edgeKey(ref, source), edgeKey(source, ref)],
  judge: ([node, ...edges]) => {
    const has = edges.some((edge) => edge !== undefined);
    if (!node || isRight(node, has)) return [];
    return [fault('node_repeats', nodeKey(ref), expected(has), { attribute, repair: repair(node, has) })];
  },
});

export const shownAdmin = (ref: Ref): Relation =>
  shown(ref, {
    attribute: 'isAdmin',
    source: GLOBAL,
    isRight: ({ isAdmin = false }, has) => isAdmin === has,
    expected: String,
    repair: (_node, isAdmin) => changeOf(nodeKey(ref), { isAdmin }),
  });

export const shownRole = (ref: Ref, id: string): Relation =>
  shown(ref, {
    attribute: `roles ${id}`,
    source: role(id),
    isRight: ({ roles }, has) => has === (roles instanceof Set && roles.has(id)),
    expected: (has) => (has ? 'this role' : 'not this role'),
    repair: ({ roles }, has) => {
      const members = new Set([id]);
      const key = nodeKey(ref);
      if (roles !== undefined && !(roles instanceof Set)) return changeOf(key, { roles: members });
      const change = has
        ? { add: { rev: 1, roles: members } }
        : { add: { rev: 1 }, takeOut: { roles: members } };
      return [{ kind: 'update', key, ...change }];
    },
  });
