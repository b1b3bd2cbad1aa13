import { isScopeType } from '../../table/entities/registry.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { ENTITLEMENT_KINDS } from './entitlements.ts';
import { EXTERNAL_GROUP } from './external-groups.ts';
import { GROUP } from './groups.ts';
import { INVARIANT } from './invariants.ts';
import { MANDATE } from './mandates.ts';
import { PERMISSION_KINDS } from './permissions.ts';
import { PLAIN_KINDS } from './plain.ts';
import { POLICY } from './policies.ts';
import { PROPERTY } from './properties.ts';
import { RECORD_KINDS } from './records.ts';
import { RESOURCE_TYPE } from './resource-types.ts';
import { TEMPLATE } from './role-templates.ts';
import { ROLE } from './roles.ts';
import { ROUTE } from './routes.ts';
import { DOMAIN, SCIM_CONNECTION, SCIM_CREDENTIAL } from './scim-connections.ts';
import { SCIM_GROUP } from './scim-groups.ts';
import { SCIM_USER } from './scim-users.ts';
import { SCOPE_TYPE } from './scope-types.ts';
import { SCOPE_KINDS } from './scopes.ts';
import { TOKEN } from './tokens.ts';
import { USER_KINDS } from './users.ts';

/** Every kind of node. */
export const NODE_KINDS: readonly NodeKind[] = [
  ...SCOPE_KINDS,
  SCOPE_TYPE,
  ...USER_KINDS,
  GROUP,
  EXTERNAL_GROUP,
  INVARIANT,
  ROLE,
  TEMPLATE,
  ...PERMISSION_KINDS,
  PROPERTY,
  RESOURCE_TYPE,
  ...ENTITLEMENT_KINDS,
  ...PLAIN_KINDS,
  DOMAIN,
  SCIM_CONNECTION,
  SCIM_CREDENTIAL,
  SCIM_USER,
  SCIM_GROUP,
  TOKEN,
  MANDATE,
  ...RECORD_KINDS,
  POLICY,
  ROUTE,
];

/** The kind that all scopes of added types share. It is no type of a node itself. */
export const ADDED = 'scope';

const BY_TYPE: ReadonlyMap<string, NodeKind> = new Map(NODE_KINDS.map((kind) => [kind.entity.type, kind]));

/** The kind of the nodes of a type. */
export const kindOf = (type: string): NodeKind | undefined =>
  type === ADDED ? undefined : BY_TYPE.get(isScopeType(type) && !BY_TYPE.has(type) ? ADDED : type);

/** The node that an item is, by its key. */
export function nodeAt(
  item: Pick<Item, 'PK' | 'SK'>,
): { readonly ref: Ref; readonly kind: NodeKind } | undefined {
  const parsed = parseKey(item);
  if (parsed?.form !== 'node') return undefined;
  const ref = { type: parsed.type, id: parsed.id };
  const kind = kindOf(ref.type);
  return kind && { ref, kind };
}
