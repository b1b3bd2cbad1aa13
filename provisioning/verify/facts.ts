import {
  Attribute,
  assignmentAttribute,
  DECISION_VERSION,
  formatInterval,
  grantAttribute,
  groupAttribute,
  licenseAttribute,
  moduleAttribute,
  patternAttribute,
  roleAttribute,
  splitAttribute,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import { SESSION_DAYS } from '../../table/entities/records.ts';
import { isBuiltIn, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { formatRef, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  edgeKey,
  GLOBAL,
  globalKey,
  type Key,
  nodeKey,
  ownedEffectsKey,
  type ParsedKey,
  parseKey,
  permissionRef,
  wideEdgeKey,
} from '../../table/keys.ts';
import { isPermissionPattern, readPermissionName } from '../../table/permission-name.ts';
import { grantKey, group, ownerOf, role, subject } from '../edges/rights.ts';
import { optionalText, textOf, textsOf } from '../nodes/nodes.ts';
import type { Effect } from './finding.ts';

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

/** Kinds of nodes that have a decision item of their own. */
export const hasDecision = (ref: Ref): boolean =>
  ['user', 'technical-user', 'page', 'permission', 'token', 'session'].includes(ref.type) || isScope(ref);

export const isScope = ({ type }: Ref): boolean => isBuiltIn(type) || mayBeScopeType(type);

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
      const key = owner ? ownedEffectsKey(owner, exact) : decisionKey(permissionRef(exact));
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

/** Where the node, or the items of the edge, of a fact stand; undefined for an attribute that nothing says. */
export function sourcesOf(
  parsed: ParsedKey,
  attribute: string,
  member: string | undefined,
): readonly Key[] | undefined {
  if (parsed.form !== 'decision' && parsed.form !== 'owned-effects') return undefined;
  const own: Ref = { type: parsed.type, id: parsed.id };
  const node = [nodeKey(own)];
  const both = (a: Ref, b: Ref) => [edgeKey(a, b), edgeKey(b, a)];
  if (parsed.form === 'owned-effects' || own.type === 'page' || own.type === 'permission') {
    const text = parsed.form === 'owned-effects' ? parsed.permission : own.id;
    const exact = readPermissionName(text);
    if (!exact) return undefined;
    if ((attribute === Attribute.allow || attribute === Attribute.deny) && member !== undefined)
      return both(role(member), permissionRef(exact));
    const isOfNode =
      attribute === Attribute.registered || (attribute === Attribute.module && own.type === 'page');
    return parsed.form === 'decision' && isOfNode ? node : undefined;
  }
  const [kind, a = '', b, ...more] = splitAttribute(attribute);
  if (more.length > 0) return undefined;
  if (kind === 'role' && b === undefined && a !== '') return [nodeKey(role(a))];
  if (kind === 'wild' && b !== undefined && isPermissionPattern(b))
    return both(role(a), { type: 'permission', id: b });
  if (own.type === GLOBAL.type)
    return kind === 'module' && b === undefined ? [nodeKey({ type: 'module', id: a })] : undefined;
  if (own.type === 'token' || own.type === 'session')
    return ['subject', 'hash', 'status', 'endsAt', 'ttl'].includes(attribute) ? node : undefined;
  if (own.type === 'user' || own.type === 'technical-user') {
    if (attribute === Attribute.status || attribute === Attribute.endsAt) return node;
    if (attribute === Attribute.isAdmin) return both(own, GLOBAL);
    if (attribute === Attribute.groups && member !== undefined) return both(own, group(member));
    if (attribute === Attribute.globalRoles && member !== undefined) return both(own, role(member));
    if (!isRef(a)) return undefined;
    const scope = parseRef(a, 'scope');
    if (kind === 'grant' && b === undefined) return [edgeKey(own, scope), grantKey(scope, own)];
    if (kind === 'assign' && b !== undefined) {
      return [wideEdgeKey(own, 'assignment', scope, role(b)), wideEdgeKey(scope, 'assignment', own, role(b))];
    }
    return undefined;
  }
  if (['status', 'combination', 'ancestors', 'enterprise'].includes(attribute)) return node;
  if (kind === 'group' && b === undefined && member !== undefined)
    return [nodeKey(group(a)), ...both(group(a), role(member))];
  if (kind === 'sub' && b !== undefined) return [nodeKey({ type: 'subscription', id: b })];
  if (kind === 'license' && b !== undefined) return [nodeKey({ type: 'license', id: b })];
  return undefined;
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

/** What every decision item has besides facts. `denials` only grows. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  ...['PK', 'SK', 'Type'],
  ...[Attribute.version, Attribute.writtenAt, Attribute.denials],
]);

export const isMarked = (item: Item): boolean =>
  item.Type === 'Decision' &&
  item[Attribute.version] === DECISION_VERSION &&
  typeof item[Attribute.writtenAt] === 'number' &&
  Number.isInteger(item[Attribute.writtenAt]);

/** Sets, by the names of their attributes. */
export function isSetAttribute(parsed: ParsedKey, attribute: string): boolean {
  if (parsed.form === 'owned-effects') return attribute === 'allow' || attribute === 'deny';
  if (parsed.form !== 'decision') return false;
  const [kind] = splitAttribute(attribute);
  if (parsed.type === 'page' || parsed.type === 'permission')
    return attribute === 'allow' || attribute === 'deny';
  if (parsed.type === 'user' || parsed.type === 'technical-user')
    return attribute === 'groups' || attribute === 'roles' || kind === 'grant';
  return attribute === 'denials' || (kind === 'group' && attribute !== 'group');
}

/** What it does that a decision item holds a fact that nothing says, lacks one, or has another value for it. */
export function effectOf(
  how: 'more' | 'less' | 'differs',
  attribute: string,
  held: unknown,
  wanted: unknown,
): Effect {
  const [kind] = splitAttribute(attribute);
  const turn = (opens: boolean): Effect => (opens ? 'opens' : 'closes');
  if (attribute === 'status') return turn(held === 'active');
  if (kind === 'module' && attribute !== 'module') return turn(how !== 'more');
  if (attribute === 'deny' || kind === 'denials') return turn(how === 'less');
  if (attribute === 'allow') return turn(how === 'more');
  if (kind === 'wild')
    return how === 'more'
      ? turn(held !== 'DENY')
      : turn(how === 'differs' ? held !== 'DENY' : wanted === 'DENY');
  if (attribute === 'endsAt') {
    if (how === 'less') return 'opens';
    return how === 'more' ? 'closes' : turn(String(held) > String(wanted));
  }
  if (['combination', 'ancestors', 'enterprise', 'module', 'ttl'].includes(attribute)) return 'either';
  if (attribute === 'registered' || attribute === 'isAdmin' || kind === 'sub' || kind === 'license')
    return turn(how !== 'less');
  if (attribute === 'subject' || attribute === 'hash') return 'opens';
  // A role may refuse as well: who lacks one may be let in where refusals count.
  return how === 'less' ? 'either' : 'opens';
}
