import {
  Attribute,
  assignmentAttribute,
  formatInterval,
  grantAttribute,
  groupAttribute,
  licenseAttribute,
  moduleAttribute,
  patternAttribute,
  roleAttribute,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import { SESSION_DAYS } from '../../table/entities/records.ts';
import { isBuiltIn, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  globalKey,
  type Key,
  nodeKey,
  parseKey,
  permissionRef,
  tenantEffectsKey,
} from '../../table/keys.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import { ownerOf, subject } from '../edges/rights.ts';
import { optionalText, textOf, textsOf } from '../nodes/nodes.ts';

/**
 * What nodes and edges say that decision items must hold, fact by fact, and where the node or edge of a fact
 * stands. Both directions are needed: a decision item may lack a fact, and it may hold one that nothing says.
 */
export interface Fact {
  /** The decision item. */
  readonly at: Key;
  readonly attribute: string;
  /** Where the attribute is a set: this member of it. */
  readonly member?: string;
  readonly value?: unknown;
}

const ifText = (item: Item, attribute: string) => optionalText(item, attribute) ?? undefined;
const counts = ({ status }: Item): boolean => status === 'active' || status === 'trial';

/** `deleting` and `moving` close what is under way. */
const statusOf = (item: Item): unknown =>
  item.deletingSince !== undefined ? 'deleting' : item.movingTo !== undefined ? 'moving' : item.status;

const values = (at: Key, of: Readonly<Record<string, unknown>>): readonly Fact[] =>
  Object.entries(of).flatMap(([attribute, value]) => (value === undefined ? [] : [{ at, attribute, value }]));

/** Facts of a node. Throws `damaged_item` where an attribute that it needs is not there. */
export function factsOfNode(ref: Ref, item: Item): readonly Fact[] {
  const at = decisionKey(ref);
  const closing = item.deletingSince !== undefined;
  switch (ref.type) {
    case 'user':
    case 'technical-user':
      return values(at, { status: statusOf(item), endsAt: item.endsAt });
    case 'page':
    case 'permission':
      return values(at, {
        registered: closing ? undefined : true,
        module: ref.type === 'page' ? item.module : undefined,
      });
    case 'module':
      return item.soldBySubscription === true ? values(globalKey(), { [moduleAttribute(ref.id)]: true }) : [];
    case 'subscription':
    case 'license': {
      if (!counts(item)) return [];
      const window = formatInterval(ifText(item, 'startDate'), ifText(item, 'endDate'));
      return ref.type === 'license'
        ? values(decisionKey(parseRef(textOf(item, 'account'), 'account')), {
            [licenseAttribute(textOf(item, 'enterprise'), ref.id)]: window,
          })
        : values(decisionKey(parseRef(textOf(item, 'scope'), 'scope')), {
            [subscriptionAttribute(textOf(item, 'module'), ref.id)]: window,
          });
    }
    case 'session': {
      const end = Date.parse(textOf(item, 'sessionStart')) + SESSION_DAYS * DAY_MS;
      if (Number.isNaN(end)) return [];
      return values(at, {
        subject: formatRef(subject(textOf(item, 'user'))),
        status: item.status,
        endsAt: item.sessionEnd ?? new Date(end).toISOString(),
        ttl: Math.floor(end / 1_000),
      });
    }
    case 'token': {
      const end = Date.parse(textOf(item, 'expiresAt'));
      if (Number.isNaN(end)) return [];
      return values(at, {
        subject: formatRef(subject(textOf(item, 'user'))),
        hash: item.hash,
        status: item.revoked === false ? 'active' : 'revoked',
        endsAt: item.expiresAt,
        ttl: Math.floor(end / 1_000),
      });
    }
    case 'role': {
      if (closing) return [];
      const owner = ownerOf(textOf(item, 'scope'));
      return values(owner ? decisionKey(owner) : globalKey(), {
        [roleAttribute(ref.id)]: ifText(item, 'parent') ?? '',
      });
    }
    default:
      if (!isScope(ref)) return [];
      return values(at, {
        status: statusOf(item),
        combination: item.combination,
        ancestors: item.ancestors,
        enterprise: item.enterprise,
      });
  }
}

export const isScope = ({ type }: Ref): boolean => isBuiltIn(type) || mayBeScopeType(type);

/** For facts of an edge whatever becomes of its group. */
export const ANY_GROUP: Item = { ...nodeKey({ type: 'group', id: 'any' }), Type: 'Group' };

/** Facts of an edge, by any of its items; `group` is the node of the group that carries a role. */
export function factsOfEdge(item: Item, groupNode: Item | undefined): readonly Fact[] {
  const member = (at: Key, attribute: string, name: string): Fact => ({ at, attribute, member: name });
  const at = () => decisionKey(subject(textOf(item, 'user')));
  switch (item.Type) {
    case 'Membership':
      return [member(at(), Attribute.groups, textOf(item, 'group'))];
    case 'GlobalRole':
      return [member(at(), Attribute.globalRoles, textOf(item, 'role'))];
    case 'Admin':
      return values(at(), { [Attribute.isAdmin]: true });
    case 'GroupRole':
      if (!groupNode || groupNode.deletingSince !== undefined) return [];
      return [
        member(
          decisionKey(parseRef(textOf(item, 'scope'), 'scope')),
          groupAttribute(textOf(item, 'group')),
          textOf(item, 'role'),
        ),
      ];
    case 'Assignment':
      return values(at(), {
        [assignmentAttribute(textOf(item, 'scope'), textOf(item, 'role'))]: formatInterval(
          ifText(item, 'startsAt'),
          ifText(item, 'endsAt'),
        ),
      });
    case 'TenantGrant':
      return textsOf(item, 'roles').map((id) => member(at(), grantAttribute(textOf(item, 'scope')), id));
    case 'RolePermission': {
      const [id, permission] = [textOf(item, 'role'), textOf(item, 'permission')];
      const owner = ownerOf(textOf(item, 'roleScope'));
      const exact = readPermissionName(permission);
      if (!exact) {
        return values(owner ? decisionKey(owner) : globalKey(), {
          [patternAttribute(id, permission)]: item.effect,
        });
      }
      const key = owner ? tenantEffectsKey(owner, exact) : decisionKey(permissionRef(exact));
      const isDenied = item.effect === 'DENY';
      return [
        member(key, isDenied ? Attribute.deny : Attribute.allow, id),
        ...(owner && isDenied ? [member(decisionKey(owner), Attribute.denials, permission)] : []),
      ];
    }
    default:
      return [];
  }
}

/** All facts of what stands at these keys. */
export function factsOf(items: readonly (Item | undefined)[]): readonly Fact[] {
  const groupNode = items.find((item) => item?.Type === 'Group' && item.SK === 'META');
  return items.flatMap((item) => {
    if (!item) return [];
    const parsed = parseKey(item);
    return parsed?.form === 'node' && parsed.type !== 'grant'
      ? factsOfNode({ type: parsed.type, id: parsed.id }, item)
      : factsOfEdge(item, groupNode);
  });
}
