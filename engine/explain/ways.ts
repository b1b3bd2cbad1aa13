import type { Effect, Interval, PermissionFacts, RoleFacts, RoleTable } from '../../table/decision/facts.ts';
import type { CheckedPermission } from '../needs.ts';
import type { View } from '../view.ts';
import type { Period, PeriodState, Source } from './explanation.ts';
import type { Names } from './names.ts';

/** A role that a subject holds on the path, and how: in the order in which the decision walks them. */
export type Hold =
  | { readonly kind: 'group'; readonly group: string; readonly scope: string; readonly role: string }
  | ({ readonly kind: 'assignment'; readonly scope: string; readonly role: string } & Interval)
  | { readonly kind: 'grant'; readonly scope: string; readonly role: string }
  | { readonly kind: 'global_role'; readonly role: string };

/** What a tenant knows of roles and of one permission. */
export interface Tables {
  readonly global: RoleTable;
  readonly root: RoleTable;
  readonly permission: CheckedPermission | null;
  readonly owned: PermissionFacts | null;
}

export const tablesOf = ({ global, scopes, permission, owned }: View): Tables => ({
  global: global.roles,
  root: scopes.at(-1)?.roles ?? new Map(),
  permission,
  owned,
});

/** What is held on the path, whether its time has come or not. */
export function* holdsOf({ subject, scopes }: View): Generator<Hold> {
  const root = scopes.at(-1);
  if (!subject || !root) return;
  for (const scope of scopes) {
    if (!scope) continue;
    for (const group of subject.groups) {
      for (const role of scope.groups.get(group) ?? [])
        yield { kind: 'group', group, scope: scope.ref, role };
    }
    for (const each of subject.assignments.get(scope.ref) ?? [])
      yield { kind: 'assignment', scope: scope.ref, ...each };
  }
  for (const role of subject.grants.get(root.ref) ?? []) yield { kind: 'grant', scope: root.ref, role };
  for (const role of subject.globalRoles) yield { kind: 'global_role', role };
}

/** How a period stands to an instant: from its start until before its end. */
export function stateOf({ start, end }: Interval, at: number): PeriodState {
  if (at < start) return 'not_begun';
  return at < end ? 'holds' : 'ended';
}

export const holdState = (hold: Hold, at: number): PeriodState =>
  hold.kind === 'assignment' ? stateOf(hold, at) : 'holds';

export const factsOf = (role: string, { root, global }: Tables): RoleFacts | undefined =>
  root.get(role) ?? global.get(role);

/** A role with an effect on the permission, reached by inheritance from the role that is held. */
export interface Reached {
  readonly chain: readonly string[];
  readonly effect: Effect;
  readonly by: { readonly kind: 'exact' | 'pattern'; readonly name: string };
  /** How much is allowed by it: 0 for the permission itself, more for wider patterns. */
  readonly width: number;
}

/** Every effect on the permission of a role and of all that it inherits from. */
export function* effectsOf(held: string, permission: string, tables: Tables): Generator<Reached> {
  const chain: string[] = [];
  for (let role: string | undefined = held; role !== undefined && !chain.includes(role); ) {
    const facts = factsOf(role, tables);
    if (!facts) return;
    chain.push(role);
    const exact = tables.root.has(role) ? tables.owned : tables.permission;
    const by = { kind: 'exact', name: permission } as const;
    if (exact?.allow.has(role)) yield { chain: [...chain], effect: 'ALLOW', by, width: 0 };
    if (exact?.deny.has(role)) yield { chain: [...chain], effect: 'DENY', by, width: 0 };
    for (const [width, name] of (tables.permission?.covering ?? []).entries()) {
      const effect = facts.patterns.get(name);
      if (effect) yield { chain: [...chain], effect, by: { kind: 'pattern', name }, width: width + 1 };
    }
    role = facts.parent;
  }
}

/**
 * How a role would help: its first ALLOW, unless it also denies where one DENY refuses. Undefined when it would
 * not.
 */
export function helpOf(role: string, permission: string, tables: Tables, denyOverrides: boolean) {
  const effects = [...effectsOf(role, permission, tables)];
  if (denyOverrides && effects.some(({ effect }) => effect === 'DENY')) return undefined;
  return effects.find(({ effect }) => effect === 'ALLOW');
}

const isoOf = (time: number): string | undefined =>
  Number.isFinite(time) ? new Date(time).toISOString() : undefined;

/** A period as plain data: an open side is left out. */
export function periodOf({ start, end }: Interval): Period {
  const [from, until] = [isoOf(start), isoOf(end)];
  return {
    ...(from === undefined ? {} : { start: from }),
    ...(until === undefined ? {} : { end: until }),
  };
}

/** What ties the subject to a role, with names. */
export function sourceOf(hold: Hold, names: Names): Source {
  if (hold.kind === 'global_role') return { kind: 'global_role' };
  const scope = names.of(hold.scope);
  if (hold.kind === 'grant') return { kind: 'grant', scope };
  return hold.kind === 'group'
    ? { kind: 'group', group: names.of(`group:${hold.group}`), scope }
    : { kind: 'assignment', scope, ...periodOf(hold) };
}

export const roleRef = (id: string): string => `role:${id}`;
