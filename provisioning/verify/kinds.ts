import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import { ENTITLEMENT_KINDS } from '../commands/entitlements.ts';
import { GROUP_KINDS } from '../commands/groups.ts';
import { PERMISSION_KINDS } from '../commands/permissions.ts';
import { PLATFORM_KINDS } from '../commands/platform.ts';
import { POLICY_KINDS } from '../commands/policies.ts';
import { RECORD_KINDS } from '../commands/records.ts';
import { TEMPLATE_KINDS } from '../commands/role-templates.ts';
import { ROLE_KINDS } from '../commands/roles.ts';
import { ROUTE_KINDS } from '../commands/routes.ts';
import { SCOPE_TYPE_KINDS } from '../commands/scope-types.ts';
import { SCOPE_KINDS } from '../commands/scopes.ts';
import { TOKEN_KINDS } from '../commands/tokens.ts';
import { USER_KINDS } from '../commands/users.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { isScope } from './entries.ts';

/** All kinds of nodes that there are. */
const KINDS: ReadonlyMap<string, NodeKind> = new Map(
  [
    ...SCOPE_KINDS,
    ...SCOPE_TYPE_KINDS,
    ...USER_KINDS,
    ...GROUP_KINDS,
    ...ROLE_KINDS,
    ...TEMPLATE_KINDS,
    ...PERMISSION_KINDS,
    ...ENTITLEMENT_KINDS,
    ...PLATFORM_KINDS,
    ...TOKEN_KINDS,
    ...RECORD_KINDS,
    ...POLICY_KINDS,
    ...ROUTE_KINDS,
  ].map((kind) => [kind.entity.type, kind]),
);

/** Scopes of types that were added share one kind. */
const ADDED = 'scope';

const kindOf = (ref: Ref): NodeKind | undefined =>
  ref.type === ADDED ? undefined : (KINDS.get(ref.type) ?? (isScope(ref) ? KINDS.get(ADDED) : undefined));

/** Types whose nodes are listed under their own name. */
export const LISTED_TYPES = [...KINDS.values()]
  .map(({ entity }) => entity.type)
  .filter((type) => type !== ADDED);

/** The node that an item is, by its key. */
export function nodeAt(
  item: Pick<Item, 'PK' | 'SK'>,
): { readonly ref: Ref; readonly kind: NodeKind } | undefined {
  const parsed = parseKey(item);
  if (parsed?.form !== 'node') return undefined;
  const ref = { type: parsed.type, id: parsed.id };
  const kind = kindOf(ref);
  return kind && { ref, kind };
}
