import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { type Key, nodeKey } from '../../table/keys.ts';
import { isAllowOnly } from '../edges/allow-only.ts';
import type { Edge } from '../edges/edge.ts';
import { role } from '../edges/rights.ts';
import { isOfOperators } from '../operator-permissions.ts';
import { beside, type Fault, type Found, fault, type Relation } from './relation.ts';

/** What commands keep from allow-only roles and groups, and an edit by hand does not. People say which side goes. */
const broken = (key: Key, attribute: string, expected: string): Fault =>
  fault('allow_only_broken', key, expected, { attribute, effect: 'opens' });

const anAllowOnly = (ref: Ref): string => `an allow-only role, as ${formatRef(ref)} is not`;

/** What an allow-only role must not hold; what an allow-only group carries. `ends` are the nodes at the edge's ends. */
export function brokenBy(edge: Edge, [from, to]: readonly Found[]): readonly Fault[] {
  if (!from || !isAllowOnly(from)) return [];
  const { label, keys, attributes } = edge;
  if (label === 'RolePermission' && attributes.effect === 'DENY')
    return [broken(keys[0], 'effect', 'ALLOW, or no effect')];
  if (label === 'RolePermission' && isOfOperators(attributes.permission))
    return [broken(keys[0], 'permission', 'no permission of operators')];
  if (label === 'GroupRole' && to && !isAllowOnly(to))
    return [broken(keys[0], 'role', anAllowOnly(role(String(attributes.role))))];
  return [];
}

/** The group that one of an identity provider means. */
export function meaningRelation(ref: Ref, { Type, group }: Item): readonly Relation[] {
  if (Type !== 'ExternalGroup' || typeof group !== 'string') return [];
  const [key, meant] = [nodeKey(ref), { type: 'group', id: group }];
  return [
    beside('meaning', ref, meant, (node, found) => {
      if (node.group !== group || !found) return [];
      const attribute = 'groupScope';
      return [
        ...(isAllowOnly(found)
          ? []
          : [broken(key, 'group', `an allow-only group, as ${formatRef(meant)} is not`)]),
        ...(node.groupScope === found.scope
          ? []
          : [fault('node_repeats', key, String(found.scope), { attribute, effect: 'closes' })]),
      ];
    }),
  ];
}

/** What an allow-only role inherits. */
export function inheritanceRelation(ref: Ref, { parent }: Item): readonly Relation[] {
  if (ref.type !== 'role' || typeof parent !== 'string') return [];
  const above = role(parent);
  return [
    beside('inheritance', ref, above, (node, found) =>
      isAllowOnly(node) && node.parent === parent && found && !isAllowOnly(found)
        ? [broken(nodeKey(ref), 'parent', anAllowOnly(above))]
        : [],
    ),
  ];
}
