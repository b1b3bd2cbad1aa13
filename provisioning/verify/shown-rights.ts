import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { administratorKeys } from './decisions.ts';
import { attempt, changeOf, fault, type Relation } from './relation.ts';

/** A subject's node repeats its global roles, and whether it is an administrator. */
export function shownRights(ref: Ref, item: Item): readonly Relation[] {
  if (ref.type !== 'user' && ref.type !== 'technical-user') return [];
  return [
    ...(item.isAdmin === undefined ? [] : [shownAdmin(ref)]),
    ...(item.roles instanceof Set ? [...item.roles] : []).flatMap(
      (id) => attempt(() => shownRole(ref, String(id))) ?? [],
    ),
  ];
}

export function shownAdmin(ref: Ref): Relation {
  const key = nodeKey(ref);
  return {
    name: `admin ${key.PK}`,
    keys: [key, ...administratorKeys(ref)],
    judge: ([node, ...edges]) => {
      if (!node) return [];
      const isAdmin = edges.some((edge) => edge !== undefined);
      const isShown = isAdmin ? node.isAdmin === true : node.isAdmin === undefined || node.isAdmin === false;
      return isShown
        ? []
        : [
            fault('node_repeats', key, String(isAdmin), {
              attribute: 'isAdmin',
              repair: changeOf(key, { isAdmin }),
            }),
          ];
    },
  };
}

export function shownRole(ref: Ref, id: string): Relation {
  const key = nodeKey(ref);
  const role = { type: 'role', id };
  return {
    name: `shown ${key.PK} ${id}`,
    keys: [key, edgeKey(ref, role), edgeKey(role, ref)],
    judge: ([node, ...edges]) => {
      if (!node) return [];
      const has = edges.some((edge) => edge !== undefined);
      const isShown = node.roles instanceof Set && node.roles.has(id);
      if (has === isShown) return [];
      const members = new Set([id]);
      const repair: Action =
        node.roles === undefined || node.roles instanceof Set
          ? {
              kind: 'update',
              key,
              add: has ? { rev: 1, roles: members } : { rev: 1 },
              takeOut: has ? {} : { roles: members },
            }
          : { kind: 'update', key, add: { rev: 1 }, set: { roles: members } };
      const expected = has ? 'this role' : 'not this role';
      return [fault('node_repeats', key, expected, { attribute: `roles ${id}`, repair: [repair] })];
    },
  };
}
