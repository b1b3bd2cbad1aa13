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
  const nodeOf = (ref: string) =>
    node((ref.split(':')[0] ?? '').toUpperCase().replaceAll('-', '_'), ref.split(':')[1] ?? '');
  /** Each edge once: its mirrors say the same. */
  const edges = (type: string, ...from: readonly string[]) =>
    items.filter((item) => item.Type === type && from.some((prefix) => item.PK.startsWith(prefix)));
  const ofSubject = (type: string) =>
    edges(type, 'USER#', 'TECHNICAL_USER#').filter((edge) => edge.user === id);
  const instant = (value: unknown, otherwise: number) => (value ? Date.parse(String(value)) : otherwise);
  const holdsAt = (start: unknown, end: unknown) =>
    instant(start, Number.NEGATIVE_INFINITY) <= at && at < instant(end, Number.POSITIVE_INFINITY);
  /** What is being deleted in steps counts for nothing from the first of them on. */
  const isClosing = (item: Item | undefined) => item?.deletingSince !== undefined;

  /** Edges name a user by id, a technical user by reference. */
  const id = question.subject.startsWith('user:') ? question.subject.slice(5) : question.subject;
  const user = nodeOf(question.subject);
  if (!user) return 'subject_unknown';
  if (user.status !== 'active' || isClosing(user)) return 'subject_inactive';
  if (at >= instant(user.endsAt, Number.POSITIVE_INFINITY)) return 'subject_ended';

  const scope = nodeOf(question.scope);
  const path = [question.scope, ...((scope?.ancestors as string[] | undefined) ?? [])];
  for (const ref of path) {
    const each = nodeOf(ref);
    if (!each) return 'scope_unknown';
    // What is being moved in steps is closed until it stands in its new place.
    if (each.status !== 'active' || isClosing(each) || each.movingTo) return 'scope_inactive';
  }
  const root = path.at(-1) ?? '';

  const { permission } = question;
  const registered = node(permission.includes(':') ? 'PERMISSION' : 'PAGE', permission);
  if (!registered || isClosing(registered)) return 'permission_unknown';
  if (ofSubject('Admin').length > 0) return 'admin';

  const module = permission.includes(':') ? permission.split(':')[0] : registered.module;
  const entitled = (type: string, wanted: Readonly<Record<string, unknown>>, at: string) =>
    items.some(
      (item) =>
        item.Type === type &&
        item.SK === 'META' &&
        Object.entries(wanted).every(([name, value]) => item[name] === value) &&
        path.includes(String(item[at])) &&
        ['active', 'trial'].includes(String(item.status)) &&
        holdsAt(item.startDate, item.endDate),
    );
  if (module !== undefined && node('MODULE', String(module))?.soldBySubscription === true) {
    if (!entitled('Subscription', { module }, 'scope')) return 'not_subscribed';
  }
  for (const ref of path) {
    const enterprise = nodeOf(ref)?.enterprise;
    if (enterprise && !entitled('License', { enterprise }, 'account')) return 'not_licensed';
  }

  const groups = ofSubject('Membership')
    .filter((edge) => path.includes(String(edge.scope)) && !isClosing(node('GROUP', String(edge.group))))
    .map((edge) => edge.group);
  const held = [
    ...edges('GroupRole', 'GROUP#').filter((edge) => groups.includes(edge.group)),
    ...ofSubject('Assignment').filter(
      (edge) => path.includes(String(edge.scope)) && holdsAt(edge.startsAt, edge.endsAt),
    ),
    ...ofSubject('GlobalRole'),
  ].map((edge) => String(edge.role));
  for (const grant of ofSubject('TenantGrant')) {
    if (grant.scope === root) held.push(...(grant.roles as string[]));
  }

  const inForce = new Set<string>();
  const enter = (role: string | undefined): void => {
    const found = role === undefined ? undefined : node('ROLE', role);
    if (!found || role === undefined || isClosing(found) || inForce.has(role)) return;
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
  if (denied && (!allowed || nodeOf(root)?.combination === 'deny-overrides')) return 'denied_by_role';
  return allowed ? 'role' : 'no_grant';
}
