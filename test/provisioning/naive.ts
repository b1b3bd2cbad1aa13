import type { Reason } from '../../engine/index.ts';
import type { Item } from '../../table/item.ts';
import { patternsCovering } from '../../table/permission-name.ts';

/**
 * SPEC section 2 over nodes and edges, written only to be obviously right: no decision item, no cache, no
 * index, every step a walk over all items.
 */
export function decideNaively(
  items: readonly Item[],
  question: { subject: string; permission: string; scope: string },
  at: number,
): Reason {
  const node = (type: string, id: string) =>
    items.find((item) => item.PK === `${type}#${id}` && item.SK === 'META');
  const scopeNode = (ref: string) => node((ref.split(':')[0] ?? '').toUpperCase(), ref.split(':')[1] ?? '');
  /** Each edge once: its mirrors say the same. */
  const edges = (type: string, from: string) =>
    items.filter((item) => item.Type === type && item.PK.startsWith(from));
  const instant = (value: unknown, otherwise: number) => (value ? Date.parse(String(value)) : otherwise);

  const id = question.subject.split(':')[1] ?? '';
  const user = node('USER', id);
  if (!user) return 'subject_unknown';
  if (user.status !== 'active') return 'subject_inactive';
  if (at >= instant(user.endsAt, Number.POSITIVE_INFINITY)) return 'subject_ended';

  const scope = scopeNode(question.scope);
  const path = [question.scope, ...((scope?.ancestors as string[] | undefined) ?? [])];
  for (const ref of path) {
    const each = scopeNode(ref);
    if (!each) return 'scope_unknown';
    if (each.status !== 'active') return 'scope_inactive';
  }
  const root = path.at(-1) ?? '';

  const { permission } = question;
  if (!node(permission.includes(':') ? 'PERMISSION' : 'PAGE', permission)) return 'permission_unknown';
  if (edges('Admin', 'USER#').some((edge) => edge.user === id)) return 'admin';

  const groups = edges('Membership', 'USER#')
    .filter((edge) => edge.user === id && path.includes(String(edge.scope)))
    .map((edge) => edge.group);
  const held = [
    ...edges('GroupRole', 'GROUP#').filter((edge) => groups.includes(edge.group)),
    ...edges('Assignment', 'USER#').filter(
      (edge) =>
        edge.user === id &&
        path.includes(String(edge.scope)) &&
        instant(edge.startsAt, Number.NEGATIVE_INFINITY) <= at &&
        at < instant(edge.endsAt, Number.POSITIVE_INFINITY),
    ),
    ...edges('GlobalRole', 'USER#').filter((edge) => edge.user === id),
  ].map((edge) => String(edge.role));
  for (const grant of edges('TenantGrant', 'USER#')) {
    if (grant.user === id && grant.scope === root) held.push(...(grant.roles as string[]));
  }

  const inForce = new Set<string>();
  const enter = (role: string | undefined): void => {
    const found = role === undefined ? undefined : node('ROLE', role);
    if (!found || role === undefined || inForce.has(role)) return;
    if (!['global', 'tenant', root].includes(String(found.scope))) return;
    inForce.add(role);
    enter(found.parent as string | undefined);
  };
  for (const role of held) enter(role);

  const names = [permission, ...patternsCovering(permission)];
  const effects = edges('RolePermission', 'ROLE#')
    .filter((edge) => inForce.has(String(edge.role)) && names.includes(String(edge.permission)))
    .map((edge) => edge.effect);
  const [allowed, denied] = [effects.includes('ALLOW'), effects.includes('DENY')];
  if (denied && (!allowed || scopeNode(root)?.combination === 'deny-overrides')) return 'denied_by_role';
  return allowed ? 'role' : 'no_grant';
}
