import { groupsOf } from '../../table/decision/items.ts';
import type { DecisionInput } from '../decision-input.ts';
import { findRole, type Holding, holdingsOf } from '../effective-roles.ts';
import { type InheritedEffect, ownRolesOn } from '../permission-effects.ts';
import { allowingEffect, type PermissionAt, permissionAt } from './derivations.ts';
import { type Elsewhere, rootOf } from './elsewhere.ts';
import type { Names } from './explained-names.ts';
import { MAX_SHOWN, type PeriodState, type Relation, type Some, type Suggestions } from './explanation.ts';
import { holdingState, roleRef, sourceOf } from './holdings.ts';

/**
 * How a role would allow the requested permission under these roles and effects; undefined when it would not.
 */
type AllowOf = (role: string, permission: PermissionAt) => InheritedEffect | undefined;

/** What would have allowed the request, from the decision input and from the subject's other holdings. */
export function suggestionsOf(
  input: DecisionInput,
  elsewhere: Elsewhere,
  at: number,
  names: Names,
): Suggestions {
  const isDenyOverriding = input.scopes.at(-1)?.combination === 'deny-overrides';
  const allowOf: AllowOf = (role, permission) => allowingEffect(role, permission, isDenyOverriding);
  return {
    granted: some(grantsThatHelp(relatedHoldings(input, elsewhere), at, allowOf), (each) => ({
      from: sourceOf(each.holding, names),
      roles: each.roles.map((id) => names.of(roleRef(id))),
      relation: each.relation,
      period: each.period,
    })),
    groups: some(groupsThatHelp(input, allowOf), ({ group, scope, role }) => ({
      group: names.of(`group:${group}`),
      scope: names.of(scope),
      role: names.of(roleRef(role)),
    })),
    roles: some(rolesThatHelp(permissionAt(input), allowOf), ({ role, by }) => ({
      role: names.of(roleRef(role)),
      by,
    })),
    lookedAt: elsewhere.lookedAt,
  };
}

/** A holding, its relation to the requested scope, and the roles and effects that apply where it is. */
interface RelatedHolding {
  readonly holding: Holding;
  readonly relation: Relation;
  readonly permission: PermissionAt;
}

/** Holdings on the path first, then those elsewhere. */
function* relatedHoldings(input: DecisionInput, elsewhere: Elsewhere): Generator<RelatedHolding> {
  const permission = permissionAt(input);
  const here = input.scopes[0]?.ref ?? '';
  const root = input.scopes.at(-1)?.ref;
  for (const holding of holdingsOf(input.subject, input)) {
    if ('scope' in holding)
      yield { holding, relation: holding.scope === here ? 'here' : 'above', permission };
  }
  for (const holding of elsewhere.holdings) {
    const scope = 'scope' in holding ? elsewhere.scopes.get(holding.scope) : undefined;
    if (!scope) continue;
    if (rootOf(scope) === root) {
      yield { holding, relation: scope.ancestors.includes(here) ? 'below' : 'beside', permission };
    } else {
      const tenantEffects = elsewhere.tenantEffects.get(rootOf(scope)) ?? null;
      const place = { scopes: [elsewhere.scopes.get(rootOf(scope)) ?? null], global: input.global };
      const there = { place, items: { ...permission.items, tenantEffects } };
      yield { holding, relation: 'other_tenant', permission: there };
    }
  }
}

const RELATIONS: readonly Relation[] = ['here', 'above', 'below', 'beside', 'other_tenant'];

/** Items have no order of their own; sorting gives the same question the same answer. */
const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Grants of the subject that allow the permission but are not in force here: the closest first. */
function grantsThatHelp(related: Iterable<RelatedHolding>, at: number, allowOf: AllowOf) {
  const found: {
    holding: Holding;
    roles: readonly string[];
    relation: Relation;
    period: PeriodState;
  }[] = [];
  for (const { holding, relation, permission } of related) {
    const period = holdingState(holding, at);
    const isOnPath = relation === 'here' || relation === 'above';
    // A grant on the path that is in force was already considered by the decision.
    if (isOnPath && period === 'holds') continue;
    const allow = allowOf(holding.role, permission);
    if (allow) found.push({ holding, roles: allow.roles, relation, period });
  }
  const rank = ({ relation, period }: (typeof found)[number]) =>
    RELATIONS.indexOf(relation) * 2 + (period === 'holds' ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other) || inOrder(one.holding.role, other.holding.role));
}

/** Groups on the path that carry a role which would allow the permission, and that the subject is not in. */
function groupsThatHelp(input: DecisionInput, allowOf: AllowOf) {
  const permission = permissionAt(input);
  const isMember = new Set([
    ...(input.subject ? groupsOf(input.subject) : []),
    ...input.scopes.map((scope) => scope?.everyone),
    ...input.tokenGroups.map(({ group }) => group),
  ]);
  return input.scopes.flatMap((scope) => {
    if (!scope) return [];
    const groups = [...scope.groups].sort(([one], [other]) => inOrder(one, other));
    return groups.flatMap(([group, carried]) => {
      const role = isMember.has(group) ? undefined : carried.find((each) => allowOf(each, permission));
      return role ? [{ group, scope: scope.ref, role }] : [];
    });
  });
}

/** Roles that can be granted here and would allow the permission: the narrowest first. */
function rolesThatHelp(permission: PermissionAt, allowOf: AllowOf) {
  const { place, items } = permission;
  const roles: { role: string; by: string; rank: number }[] = [];
  const own = [...ownRolesOn(items, place)].map(([role]) => role);
  for (const role of new Set([...own, ...place.global.roles.keys()])) {
    const allow = allowOf(role, permission);
    if (!allow) continue;
    const rank = (allow.width * 100 + allow.roles.length) * 2 + (findRole(role, place)?.isOwn ? 0 : 1);
    const by = allow.condition ? `${allow.by.name} when ${allow.condition.when}` : allow.by.name;
    roles.push({ role, by, rank });
  }
  return roles.sort((one, other) => one.rank - other.rank || inOrder(one.role, other.role));
}

/** The first {@link MAX_SHOWN}, converted by `show`; the rest are only counted. */
export const some = <T, S>(all: readonly T[], show: (one: T) => S): Some<S> => ({
  items: all.slice(0, MAX_SHOWN).map(show),
  more: Math.max(0, all.length - MAX_SHOWN),
});
