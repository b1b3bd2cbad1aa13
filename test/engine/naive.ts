import type { Decision } from '../../engine/index.ts';

/**
 * SPEC section 2 once more, written only to be obviously right: lists of world as a person would note them,
 * and a decision that goes through them step by step. It shares no code with the engine.
 */
export interface World {
  readonly user: {
    readonly exists: boolean;
    readonly active: boolean;
    readonly endsAt: number;
    readonly isAdmin: boolean;
  };
  readonly scopes: readonly {
    readonly ref: string;
    readonly parent: string | undefined;
    readonly exists: boolean;
    readonly active: boolean;
    readonly combination: 'allow-overrides' | 'deny-overrides';
    /** The enterprise that it is linked to. */
    readonly enterprise: string | undefined;
  }[];
  readonly permissions: readonly {
    readonly name: string;
    readonly registered: boolean;
    /** Of a page only. */
    readonly module: string | undefined;
  }[];
  readonly soldModules: readonly string[];
  /** Subscriptions to modules and licences for enterprises. */
  readonly entitlements: readonly {
    readonly scope: string;
    readonly to: string;
    readonly start: number;
    readonly end: number;
  }[];
  /** `owner` is a root, or undefined for a global role. A deleted role is granted by people but is not there. */
  readonly roles: readonly {
    readonly id: string;
    readonly owner: string | undefined;
    readonly parent: string | undefined;
    readonly deleted: boolean;
  }[];
  readonly groups: readonly {
    readonly id: string;
    readonly scope: string;
    readonly roles: readonly string[];
  }[];
  readonly memberships: readonly string[];
  readonly assignments: readonly {
    readonly scope: string;
    readonly role: string;
    readonly start: number;
    readonly end: number;
  }[];
  readonly grants: readonly { readonly root: string; readonly role: string }[];
  readonly globalRoles: readonly string[];
  readonly effects: readonly {
    readonly role: string;
    readonly on: string;
    readonly effect: 'ALLOW' | 'DENY';
  }[];
}

/** The scope and its ancestors, by name, whether they exist or not. */
export function chainOf(world: World, scope: string): readonly string[] {
  const chain = [scope];
  for (;;) {
    const last = world.scopes.find(({ ref }) => ref === chain.at(-1));
    if (last?.parent === undefined) return chain;
    chain.push(last.parent);
  }
}

/** Step 6. */
function rolesInForce(world: World, chain: readonly string[], at: number): ReadonlySet<string> {
  const root = chain.at(-1);
  const counts = (id: string) =>
    world.roles.some(
      (role) => role.id === id && !role.deleted && (role.owner === undefined || role.owner === root),
    );
  const granted = [
    ...world.groups
      .filter(({ id, scope }) => world.memberships.includes(id) && chain.includes(scope))
      .flatMap(({ roles }) => roles),
    ...world.assignments
      .filter(({ scope, start, end }) => chain.includes(scope) && start <= at && at < end)
      .map(({ role }) => role),
    ...world.grants.filter((grant) => grant.root === root).map(({ role }) => role),
    ...world.globalRoles,
  ];
  const inForce = new Set(granted.filter(counts));
  for (let before = -1; before !== inForce.size; ) {
    before = inForce.size;
    for (const { id, parent } of world.roles) {
      if (inForce.has(id) && parent !== undefined && counts(parent)) inForce.add(parent);
    }
  }
  return inForce;
}

/** Step 7: exact, or by wildcard. */
function concerns(on: string, permission: string): boolean {
  if (on === permission || on === '*:*:*') return true;
  const [wanted, given] = [on.split(':'), permission.split(':')];
  return (
    wanted.length === given.length && wanted.every((part, i) => part === given[i] || (i > 0 && part === '*'))
  );
}

export function decideNaively(world: World, permission: string, scope: string, at: number): Decision {
  const deny = (reason: Decision['reason']): Decision => ({ allowed: false, reason });
  // 1
  if (!world.user.exists) return deny('subject_unknown');
  if (!world.user.active) return deny('subject_inactive');
  if (world.user.endsAt <= at) return deny('subject_ended');
  // 2
  const own = world.scopes.find(({ ref }) => ref === scope);
  if (!own?.exists) return deny('scope_unknown');
  const chain = chainOf(world, scope);
  for (const name of chain) {
    const node = world.scopes.find(({ ref }) => ref === name);
    if (!node?.exists) return deny('scope_unknown');
    if (!node.active) return deny('scope_inactive');
  }
  // 3
  if (!world.permissions.some(({ name, registered }) => name === permission && registered)) {
    return deny('permission_unknown');
  }
  // 4
  if (world.user.isAdmin) return { allowed: true, reason: 'admin' };
  // 5
  const entitled = (to: string) =>
    world.entitlements.some(
      (each) => each.to === to && chain.includes(each.scope) && each.start <= at && at < each.end,
    );
  const module = permission.includes(':')
    ? String(permission.split(':')[0])
    : world.permissions.find(({ name }) => name === permission)?.module;
  if (module !== undefined && world.soldModules.includes(module) && !entitled(module)) {
    return deny('not_subscribed');
  }
  const links = world.scopes.filter(({ ref }) => chain.includes(ref)).map(({ enterprise }) => enterprise);
  for (const link of links) if (link !== undefined && !entitled(link)) return deny('not_licensed');
  // 6 and 7
  const roles = rolesInForce(world, chain, at);
  const effects = world.effects
    .filter(({ role, on }) => roles.has(role) && concerns(on, permission))
    .map(({ effect }) => effect);
  // 8
  const root = world.scopes.find(({ ref }) => ref === chain.at(-1));
  const isRefused = root?.combination === 'deny-overrides' && effects.includes('DENY');
  if (effects.includes('ALLOW') && !isRefused) return { allowed: true, reason: 'role' };
  // 9
  return deny(effects.includes('DENY') ? 'denied_by_role' : 'no_grant');
}
