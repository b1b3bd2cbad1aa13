import { Attribute, splitAttribute } from '../../table/decision/attributes.ts';
import { isRef, isSubjectNode, parseRef, type Ref } from '../../table/identifiers.ts';
import {
  edgeKey,
  GLOBAL,
  type Key,
  nodeKey,
  type ParsedKey,
  permissionRef,
  wideEdgeKey,
} from '../../table/keys.ts';
import { isPermissionPattern, readPermissionName } from '../../table/permission-name.ts';
import { grantKey, group, role } from '../edges/rights.ts';
import { isApiRevision } from './decision-form.ts';

/**
 * The keys of the node or edge items that an entry comes from; undefined for an attribute without a source.
 *
 * @param member of a set; of `everyone`, which is none, its value
 */
export function sourcesOf(
  parsed: ParsedKey,
  attribute: string,
  member: string | undefined,
): readonly Key[] | undefined {
  if (parsed.form === 'memberships') {
    const [subject, of] = [{ type: parsed.type, id: parsed.id }, group(member ?? '')];
    return [edgeKey(subject, of), edgeKey(of, subject)];
  }
  if (parsed.form !== 'decision' && parsed.form !== 'tenant-effects') return undefined;
  if (isApiRevision(parsed)) return undefined;
  const own: Ref = { type: parsed.type, id: parsed.id };
  const node = [nodeKey(own)];
  const both = (a: Ref, b: Ref) => [edgeKey(a, b), edgeKey(b, a)];
  if (parsed.form === 'tenant-effects' || own.type === 'page' || own.type === 'permission') {
    const text = parsed.form === 'tenant-effects' ? parsed.permission : own.id;
    const exact = readPermissionName(text);
    if (!exact) return undefined;
    if ((attribute === Attribute.allow || attribute === Attribute.deny) && member !== undefined)
      return both(role(member), permissionRef(exact));
    const [kind, conditional, ...others] = splitAttribute(attribute);
    if (kind === 'when' && conditional !== undefined && others.length === 0)
      return both(role(conditional), permissionRef(exact));
    const isOfNode =
      attribute === Attribute.registered || (attribute === Attribute.module && own.type === 'page');
    return parsed.form === 'decision' && isOfNode ? node : undefined;
  }
  const [kind, a = '', b, ...more] = splitAttribute(attribute);
  if (more.length > 0) return undefined;
  if (kind === 'role' && b === undefined && a !== '') return [nodeKey(role(a))];
  if (kind === 'wild' && b !== undefined && isPermissionPattern(b))
    return both(role(a), { type: 'permission', id: b });
  if (own.type === GLOBAL.type) {
    if (kind === 'property' && b !== undefined) return [nodeKey({ type: 'property', id: `${a}:${b}` })];
    return kind === 'module' && b === undefined ? [nodeKey({ type: 'module', id: a })] : undefined;
  }
  if (own.type === 'resource-type')
    return ['permission', 'actions', 'scope'].includes(attribute) ? node : undefined;
  if (own.type === 'token' || own.type === 'session')
    return ['subject', 'hash', 'status', 'endsAt', 'ttl'].includes(attribute) ? node : undefined;
  if (isSubjectNode(own)) {
    if ([Attribute.status, Attribute.endsAt, Attribute.properties].some((each) => each === attribute))
      return node;
    if (attribute === Attribute.isAdmin) return both(own, GLOBAL);
    if (attribute === Attribute.groups && member !== undefined) return both(own, group(member));
    if (attribute === Attribute.globalRoles && member !== undefined) return both(own, role(member));
    if (!isRef(a)) return undefined;
    if (kind === 'at' && b === undefined && member !== undefined) return both(own, group(member));
    const scope = parseRef(a, 'scope');
    if (kind === 'grant' && b === undefined) return [edgeKey(own, scope), grantKey(scope, own)];
    if (kind === 'assign' && b !== undefined) {
      return [wideEdgeKey(own, 'assignment', scope, role(b)), wideEdgeKey(scope, 'assignment', own, role(b))];
    }
    return undefined;
  }
  if (['status', 'combination', 'ancestors', 'enterprise', 'properties'].includes(attribute)) return node;
  if (attribute === Attribute.everyone && member !== undefined) return [nodeKey(group(member))];
  if (kind === 'group' && b === undefined && member !== undefined)
    return [nodeKey(group(a)), ...both(group(a), role(member))];
  if ((kind === 'heirs' || attribute === Attribute.closing) && b === undefined && member !== undefined)
    return [nodeKey(role(member))];
  if ((kind === 'allow' || kind === 'deny') && isPermissionPattern(a) && member !== undefined)
    return both(role(member), { type: 'permission', id: a });
  if (kind === 'sub' && b !== undefined) return [nodeKey({ type: 'subscription', id: b })];
  if (kind === 'license' && b !== undefined) return [nodeKey({ type: 'license', id: b })];
  return undefined;
}
