import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { writtenScope } from '../routes/written-scopes.ts';
import { beside, fault, type Relation } from './relation.ts';

const CODES: Readonly<Record<string, 'route_scope_missing' | 'resource_type_scope_missing'>> = {
  route: 'route_scope_missing',
  'resource-type': 'resource_type_scope_missing',
};

/** A scope that a route or a type of resources writes out exists: otherwise it refuses everybody. */
export function writtenScopeRelation(ref: Ref, item: Item): readonly Relation[] {
  const code = CODES[ref.type];
  const scope = writtenScope(item.scope);
  if (code === undefined || !scope) return [];
  const expected = `the scope ${formatRef(scope)}, or another one`;
  return [
    beside('written scope', ref, scope, (node, found) =>
      node.scope !== item.scope || found
        ? []
        : [fault(code, nodeKey(ref), expected, { attribute: 'scope', effect: 'closes' })],
    ),
  ];
}
