import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
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
  const said = parseAttribute(attribute);
  if (parsed.form === 'tenant-effects' || own.type === 'page' || own.type === 'permission') {
    const text = parsed.form === 'tenant-effects' ? parsed.permission : own.id;
    const exact = readPermissionName(text);
    if (!exact) return undefined;
    if ((attribute === Attribute.allow || attribute === Attribute.deny) && member !== undefined)
      return both(role(member), permissionRef(exact));
    if (said?.kind === 'when') return both(role(said.role), permissionRef(exact));
    const isOfNode =
      attribute === Attribute.registered || (attribute === Attribute.module && own.type === 'page');
    return parsed.form === 'decision' && isOfNode ? node : undefined;
  }
  if (said?.kind === 'role') return [nodeKey(role(said.role))];
  if (said?.kind === 'wild' && isPermissionPattern(said.pattern))
    return both(role(said.role), { type: 'permission', id: said.pattern });
  if (own.type === GLOBAL.type) {
    if (said?.kind === 'property') return [nodeKey({ type: 'property', id: `${said.of}:${said.name}` })];
    return said?.kind === 'module' ? [nodeKey({ type: 'module', id: said.module })] : undefined;
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
    if (!said || !('scope' in said) || !isRef(said.scope)) return undefined;
    const scope = parseRef(said.scope, 'scope');
    if (said.kind === 'at' && member !== undefined) return both(own, group(member));
    if (said.kind === 'grant') return [edgeKey(own, scope), grantKey(scope, own)];
    if (said.kind !== 'assign') return undefined;
    const assigned = role(said.role);
    return [wideEdgeKey(own, 'assignment', scope, assigned), wideEdgeKey(scope, 'assignment', own, assigned)];
  }
  if (['status', 'combination', 'ancestors', 'enterprise', 'properties'].includes(attribute)) return node;
  if (attribute === Attribute.everyone && member !== undefined) return [nodeKey(group(member))];
  if (said?.kind === 'sub') return [nodeKey({ type: 'subscription', id: said.id })];
  if (said?.kind === 'license') return [nodeKey({ type: 'license', id: said.id })];
  if (member === undefined) return undefined;
  if (said?.kind === 'group') return [nodeKey(group(said.group)), ...both(group(said.group), role(member))];
  if (said?.kind === 'heirs' || attribute === Attribute.closing) return [nodeKey(role(member))];
  if (said?.kind === 'folded' && isPermissionPattern(said.pattern))
    return both(role(member), { type: 'permission', id: said.pattern });
  return undefined;
}
