import type {
  Assignment,
  GlobalItem,
  Interval,
  RoleItem,
  RoleTable,
  ScopeItem,
  SubjectItem,
} from '../table/decision/items.ts';
import { GatehouseError } from '../table/errors.ts';
import type { DenyReason } from './decision.ts';
import { NO_TOKEN_GROUPS, type TokenGroup } from './token-groups.ts';
import { holdsAt } from './validity.ts';

/**
 * A scope with its ancestors up to the root, and the global item: all that determines which roles count
 * there.
 */
export interface Place {
  readonly scopes: readonly (ScopeItem | null)[];
  readonly global: GlobalItem;
  /** The groups of ours that a token of the subject names. */
  readonly tokenGroups?: readonly TokenGroup[];
}

/** A role that was granted to a subject at a scope or an ancestor, and the kind of grant. */
export type Holding =
  | { readonly kind: 'group'; readonly group: string; readonly scope: string; readonly role: string }
  | ({ readonly kind: 'assignment'; readonly scope: string; readonly role: string } & Interval)
  | { readonly kind: 'grant'; readonly scope: string; readonly role: string }
  | ({ readonly kind: 'token_group'; readonly role: string } & Omit<TokenGroup, 'roles'>)
  | { readonly kind: 'global_role'; readonly role: string };

/**
 * Step 6 of a decision: the roles granted to a subject at a scope and its ancestors, without inherited
 * ones. Includes what is not in force; see {@link isInForce}.
 */
export function holdingsOf(
  subject: SubjectItem | null,
  { scopes, tokenGroups = NO_TOKEN_GROUPS }: Pick<Place, 'scopes' | 'tokenGroups'>,
): readonly Holding[] {
  const root = scopes.at(-1);
  if (!subject || !root) return NOTHING;
  const holdings: Holding[] = [];
  for (const scope of scopes) {
    if (!scope) continue;
    const { ref } = scope;
    // Where groups stand apart, those count that the subject lists by scope.
    if (!scope.groupsApart)
      for (const group of subject.groups) hold(holdings, group, ref, scope.groups.get(group));
    if (subject.groupsAt.size > 0)
      for (const group of subject.groupsAt.get(ref) ?? NONE)
        hold(holdings, group, ref, scope.groupsApart ? rolesApart(subject, group) : scope.groups.get(group));
    // The group of everyone needs no membership.
    if (scope.everyone !== undefined) hold(holdings, scope.everyone, ref, scope.groups.get(scope.everyone));
    if (subject.assignments.size === 0) continue;
    for (const { role, start, end } of subject.assignments.get(ref) ?? NOTHING_ASSIGNED)
      holdings.push({ kind: 'assignment', scope: ref, role, start, end });
  }
  if (subject.grants.size > 0)
    for (const role of subject.grants.get(root.ref) ?? NONE)
      holdings.push({ kind: 'grant', scope: root.ref, role });
  for (const role of subject.globalRoles) holdings.push({ kind: 'global_role', role });
  for (const { group, scope, roles, end } of tokenGroups)
    for (const role of roles) holdings.push({ kind: 'token_group', group, scope, role, end });
  return holdings;
}

/** Adds what a group gives. */
function hold(to: Holding[], group: string, scope: string, roles: readonly string[] | undefined): void {
  if (roles) for (const role of roles) to.push({ kind: 'group', group, scope, role });
}

/** The roles of a group that stand apart. One of the decision's scopes whose item was not read is a fault. */
function rolesApart({ groupRoles }: SubjectItem, group: string): readonly string[] {
  const roles = groupRoles.get(group);
  if (roles === undefined) throw new GatehouseError('internal', `the roles of group ${group} were not read`);
  return roles;
}

const NOTHING: readonly Holding[] = [];
const NONE: readonly string[] = [];
const NOTHING_ASSIGNED: readonly Assignment[] = [];

/** Whether something is granted to the subject by name: not only by the group of everyone. In force or not. */
export const hasGrant = (
  subject: SubjectItem | null,
  { scopes }: Roots,
  holdings: readonly Holding[] = holdingsOf(subject, { scopes }),
): boolean =>
  subject?.isAdmin === true ||
  holdings.some(
    (holding) => holding.kind !== 'group' || !scopes.some((scope) => scope?.everyone === holding.group),
  );

/** Whether a holding is in force at an instant. */
export function isInForce(holding: Holding, at: number): boolean {
  if (holding.kind === 'assignment') return holdsAt(holding, at);
  return holding.kind !== 'token_group' || at < holding.end;
}

type Roots = Pick<Place, 'scopes'>;

/**
 * Whether a role that is in no table is one of the root's own: its roles are folded, so that only those that inherit
 * or hold a pattern are listed (ADR 0003). Nobody holds a role of another tenant here: commands refuse it.
 */
const isUnlisted = (role: string, { scopes }: Roots): boolean => scopes.at(-1)?.closing?.has(role) === false;

/** A role without a parent and without patterns. */
const PLAIN: RoleItem = { parent: undefined, patterns: new Map() };

/** A role that counts at a place. */
export interface RoleAt {
  readonly id: string;
  readonly item: RoleItem;
  /** Whether the root of the place owns it; all others are global. */
  readonly isOwn: boolean;
}

/** A role by id: one that the root owns, or a global one. A role of another tenant is neither. */
export function findRole(id: string, place: Place): RoleAt | undefined {
  const own = ownRoles(place).get(id);
  if (own) return { id, item: own, isOwn: true };
  const global = place.global.roles.get(id);
  if (global) return { id, item: global, isOwn: false };
  return isUnlisted(id, place) ? { id, item: PLAIN, isOwn: true } : undefined;
}

/**
 * A role and the roles that it inherits from. Ends at a role that does not count at the place, and at a cycle in
 * damaged data.
 */
export function inheritance(first: string, place: Place): readonly RoleAt[] {
  let role = findRole(first, place);
  if (role === undefined) return NO_ROLES_AT;
  const roles = [role];
  while (role?.item.parent !== undefined) {
    const { parent }: RoleItem = role.item;
    role = roles.some(({ id }) => id === parent) ? undefined : findRole(parent, place);
    if (role) roles.push(role);
  }
  return roles;
}

const NO_ROLES_AT: readonly RoleAt[] = [];

const NO_ROLES: RoleTable = new Map();

/** The roles that the root of a place lists as its own. */
export const ownRoles = ({ scopes }: Roots): RoleTable => scopes.at(-1)?.roles ?? NO_ROLES;

/** The roles of holdings that are in force for the instant `at` (epoch milliseconds), without inherited ones, each once. */
export function rolesInForce(holdings: readonly Holding[], at: number): readonly string[] {
  const roles: string[] = [];
  for (const holding of holdings)
    if (isInForce(holding, at) && !roles.includes(holding.role)) roles.push(holding.role);
  return roles;
}

/** These roles and all that they inherit from at a place: the effective roles, by id. */
export function withInherited(roles: readonly string[], place: Place): readonly string[] {
  const all = new Set<string>();
  for (const granted of roles) for (const { id } of inheritance(granted, place)) all.add(id);
  return [...all];
}

/**
 * The effective roles of a subject at a place for the instant `at` (epoch milliseconds), by id, inherited
 * ones included.
 */
export const effectiveRoles = (subject: SubjectItem | null, place: Place, at: number): readonly string[] =>
  withInherited(rolesInForce(holdingsOf(subject, place), at), place);

/** Steps 1 and 2 of a decision: why any permission is refused here. Also refuses if `at` is NaN. */
export function refusalOf(
  subject: SubjectItem | null,
  { scopes }: Pick<Place, 'scopes'>,
  at: number,
): DenyReason | undefined {
  if (!subject) return 'subject_unknown';
  if (!subject.active) return 'subject_inactive';
  if (!(at < subject.endsAt)) return 'subject_ended';
  for (const scope of scopes) {
    if (!scope) return 'scope_unknown';
    if (!scope.active) return 'scope_inactive';
  }
  return undefined;
}
