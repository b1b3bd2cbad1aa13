import type { Decision } from '../../engine/index.ts';
import type { Model, Question } from './model.ts';

/**
 * SPEC section 2 over a plain model, step by step in its order and its words, written only to be obviously
 * right. It shares no code with the engine or the table.
 */
export function judge(model: Model, { subject, permission, scope, at }: Question): Decision {
  const deny = (reason: Decision['reason']): Decision => ({ allowed: false, reason });

  // 1. The subject exists and is active at `at` (status, end date).
  const who = model.subjects.find(({ ref }) => ref === subject);
  if (!who) return deny('subject_unknown');
  if (who.status !== 'active') return deny('subject_inactive');
  if (at >= who.endsAt) return deny('subject_ended');

  // 2. The scope exists, and it and all its ancestors are active: the first that is not, upwards, is the reason.
  const path: Scope[] = [];
  for (let ref: string | undefined = scope; ref !== undefined; ref = path.at(-1)?.parent) {
    const place = model.scopes.find((each) => each.ref === ref);
    if (!place) return deny('scope_unknown');
    if (place.status !== 'active') return deny('scope_inactive');
    path.push(place);
  }
  const isOnPath = (ref: string) => path.some((each) => each.ref === ref);
  const root = path[path.length - 1] as Scope;

  // 3. The permission is registered.
  const checked = model.permissions.find(({ name }) => name === permission);
  if (!checked) return deny('permission_unknown');

  // 4. A global admin is allowed.
  if (model.admins.includes(subject)) return { allowed: true, reason: 'admin' };

  // 5. Entitlement: a subscription at the scope or an ancestor; a workstream needs a licence.
  const isWithin = ({ from, until }: { from: number; until: number }) => from <= at && at < until;
  const module = permission.includes(':') ? permission.split(':')[0] : checked.module;
  if (model.modules.some(({ name, sold }) => name === module && sold)) {
    const isPaid = model.subscriptions.some(
      (each) =>
        each.module === module &&
        isOnPath(each.scope) &&
        (each.status === 'active' || each.status === 'trial') &&
        isWithin(each),
    );
    if (!isPaid) return deny('not_subscribed');
  }
  for (const { enterprise } of path) {
    if (enterprise === undefined) continue;
    const isLicensed = model.licences.some(
      (each) =>
        each.enterprise === enterprise &&
        isOnPath(each.account) &&
        each.status === 'active' &&
        isWithin(each),
    );
    if (!isLicensed) return deny('not_licensed');
  }

  // 6. Roles in force.
  const inForce = rolesInForce(model, subject, path, at);

  // 7. Effects of those roles on the permission, exact and by wildcard.
  const effects = model.effects
    .filter(({ role, on }) => inForce.includes(role) && covers(on, permission))
    .map(({ effect }) => effect);
  const isAllowed = effects.includes('ALLOW');
  const isDenied = effects.includes('DENY');

  // 8. and 9. Combination, and nothing found.
  if (isDenied && (root.combination === 'deny-overrides' || !isAllowed)) return deny('denied_by_role');
  return isAllowed ? { allowed: true, reason: 'role' } : deny('no_grant');
}

/**
 * The root of the scope and the roles in force there, in order. Whether subject and scope are
 * active does not matter; undefined when there is no such one.
 */
export function rolesAt(model: Model, { subject, scope, at }: Omit<Question, 'permission'>) {
  const path = pathOf(model, scope);
  if (!path || !model.subjects.some(({ ref }) => ref === subject)) return undefined;
  return { tenant: path[path.length - 1]?.ref, roles: rolesInForce(model, subject, path, at).sort() };
}

type Scope = Model['scopes'][number];

/** The scope and all above it; undefined when one of them is missing. */
function pathOf(model: Model, scope: string): readonly Scope[] | undefined {
  const place = model.scopes.find(({ ref }) => ref === scope);
  if (!place) return undefined;
  const path = [place];
  for (let top = place; top.parent !== undefined; ) {
    const above = model.scopes.find(({ ref }) => ref === top.parent);
    if (!above) return undefined;
    path.push(above);
    top = above;
  }
  return path;
}

function rolesInForce(model: Model, subject: string, path: readonly Scope[], at: number): string[] {
  const isOnPath = (ref: string) => path.some((each) => each.ref === ref);
  const isWithin = ({ from, until }: { from: number; until: number }) => from <= at && at < until;
  const root = path[path.length - 1] as Scope;
  const granted: string[] = [];
  for (const { id, scope: where, everyone } of model.groups) {
    if (!isOnPath(where)) continue;
    if (!everyone && !model.memberships.some((each) => each.group === id && each.subject === subject))
      continue;
    for (const { group, role } of model.groupRoles) if (group === id) granted.push(role);
  }
  for (const each of model.assignments) {
    if (each.subject === subject && isOnPath(each.scope) && isWithin(each)) granted.push(each.role);
  }
  for (const each of model.grants) {
    if (each.subject === subject && each.root === root.ref) granted.push(...each.roles);
  }
  for (const each of model.globalRoles) if (each.subject === subject) granted.push(each.role);
  const inForce: string[] = [];
  for (const first of granted) {
    for (let next: string | undefined = first; next !== undefined && !inForce.includes(next); ) {
      const id: string = next;
      const role = model.roles.find((each) => each.id === id);
      const counts = role && (role.scope === 'global' || role.scope === 'tenant' || role.scope === root.ref);
      if (!counts) break;
      inForce.push(id);
      next = role.parent;
    }
  }
  return inForce;
}

/** `*` for action or resource, or for all three; all three cover pages as well. */
function covers(on: string, permission: string): boolean {
  if (on === permission || on === '*:*:*') return true;
  const [wanted, given] = [on.split(':'), permission.split(':')];
  if (wanted.length !== 3 || given.length !== 3 || wanted[0] !== given[0]) return false;
  return [1, 2].every((part) => wanted[part] === '*' || wanted[part] === given[part]);
}
