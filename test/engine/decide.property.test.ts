import { expect, test } from 'vitest';
import { decide } from '../../engine/decide.ts';
import type { Reason } from '../../engine/decision.ts';
import { type DecisionInput, decisionInput } from '../../engine/decision-input.ts';
import { effectiveRoles } from '../../engine/effective-roles.ts';
import { externalGroupsId, GLOBAL_ID, type Kind, subjectId } from '../../engine/items.ts';
import type { Look } from '../../engine/load.ts';
import type { Assignment, Effect, RoleItem, SubjectItem } from '../../table/decision/items.ts';
import { patternsCovering } from '../../table/permission-name.ts';
import type { Model } from '../proof/oracle/model.ts';
import { judge } from '../proof/oracle/oracle.ts';
import fc from '../support/fast-check.ts';
import { size } from '../support/tier.ts';

/** In random worlds, the engine decides as SPEC section 2 says. */
const SCOPES = ['1', '2', '3', '4', '5'].map((n) => `location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9${n}`);
/** A subject of an added type that has the type and the id of a scope: they are two. */
const SUBJECT = String(SCOPES[0]);
const ROLES = ['r0', 'r1', 'r2', 'r3', 'r4'];
const GROUPS = ['g0', 'g1', 'g2'];
const ISSUER = 'https://login.example.com';
/** What its tokens call groups. */
const NAMED = ['staff', 'guests', 'cleaners'];
const PERMISSIONS = ['dashboard', 'a:b:c', 'a:b:d'];
const MODULES = ['a', 'x'];
const ENTERPRISES = ['enterprise:e', 'enterprise:f'];
const TARGETS = [...PERMISSIONS, '*:*:*', 'a:*:*', 'a:b:*', 'a:*:c', 'x:*:*', 'a:*:d'];

/** Lists of what is true, of one user and many places: whether what they name exists or not. */
interface World {
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
  /** `owner` is a root, or undefined for a global role. A deleted role is held by people but is not there. */
  readonly roles: readonly {
    readonly id: string;
    readonly owner: string | undefined;
    readonly parent: string | undefined;
    readonly deleted: boolean;
  }[];
  readonly groups: readonly {
    readonly id: string;
    readonly scope: string;
    readonly everyone: boolean;
    readonly roles: readonly string[];
  }[];
  readonly memberships: readonly string[];
  /** Of the token: how the groups that it names are called, and until when. */
  readonly token: { readonly ids: readonly string[]; readonly until: number };
  /** What they are at each root: a group of this world, or of none. */
  readonly meant: readonly { readonly root: string; readonly id: string; readonly group: string }[];
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
function chainOf(world: World, scope: string): readonly string[] {
  const chain = [scope];
  for (;;) {
    const last = world.scopes.find(({ ref }) => ref === chain.at(-1));
    if (last?.parent === undefined) return chain;
    chain.push(last.parent);
  }
}

/** The same for the oracle, which knows only what exists. */
function modelOf(world: World): Model {
  const { user, soldModules, entitlements, ...granted } = world;

  const of = ({ scope, start, end }: World['entitlements'][number], n: number) => ({
    id: String(n),
    scope,
    account: scope,
    status: 'active',
    from: start,
    until: end,
  });
  return {
    subjects: user.exists
      ? [{ ref: SUBJECT, status: statusOf(user), endsAt: user.endsAt, account: undefined }]
      : [],
    admins: user.isAdmin ? [SUBJECT] : [],
    scopes: granted.scopes
      .filter(({ exists }) => exists)
      .map((each) => ({ ...each, status: statusOf(each) })),
    scopeTypes: [],
    credentials: [],
    routes: [],
    groups: [...granted.groups],
    memberships: granted.memberships.map((group) => ({ subject: SUBJECT, group })),
    externalGroups: granted.meant.map(({ id: name, ...each }) => ({
      ...each,
      id: name,
      issuer: ISSUER,
      name,
    })),
    groupRoles: granted.groups.flatMap(({ id, roles }) => roles.map((role) => ({ group: id, role }))),
    roles: granted.roles
      .filter(({ deleted }) => !deleted)
      .map(({ id, owner, parent }) => ({ id, scope: owner ?? 'global', parent })),
    effects: [...granted.effects],
    declarations: [],
    assignments: granted.assignments.map(({ start, end, ...each }) => ({
      ...each,
      subject: SUBJECT,
      from: start,
      until: end,
    })),
    grants: granted.grants.map(({ root, role }) => ({ subject: SUBJECT, root, roles: [role] })),
    globalRoles: granted.globalRoles.map((role) => ({ subject: SUBJECT, role })),
    permissions: granted.permissions.filter(({ registered }) => registered),
    modules: soldModules.map((name) => ({ name, sold: true })),
    subscriptions: entitlements.map((each, n) => ({ ...of(each, n), module: each.to })),
    licences: entitlements.map((each, n) => ({ ...of(each, n), enterprise: each.to })),
  };
}
const statusOf = ({ active }: { readonly active: boolean }) => (active ? 'active' : 'inactive');

const mostly = fc.nat({ max: 9 }).map((n) => n < 9);
const seldom = fc.nat({ max: 9 }).map((n) => n === 9);
const time = fc.integer({ min: 0, max: 10 });
const role = fc.constantFrom(...ROLES);
const scope = fc.constantFrom(...SCOPES);
const owner = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, scope);
const some = <T>(one: fc.Arbitrary<T>, maxLength: number) => fc.array(one, { maxLength });
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

const worlds: fc.Arbitrary<World> = fc.record({
  user: fc.record({
    exists: mostly,
    active: mostly,
    endsAt: fc.oneof({ weight: 9, arbitrary: fc.constant(Number.POSITIVE_INFINITY) }, time),
    isAdmin: seldom,
  }),
  // A parent comes before its children in the list, so that there is no circle.
  scopes: fc
    .tuple(
      ...SCOPES.map((ref, i) =>
        fc.record({
          ref: fc.constant(ref),
          parent: i === 0 ? fc.constant(undefined) : optional(fc.constantFrom(...SCOPES.slice(0, i))),
          exists: mostly,
          active: mostly,
          combination: fc.constantFrom('allow-overrides' as const, 'deny-overrides' as const),
          enterprise: fc.oneof(
            { weight: 5, arbitrary: fc.constant(undefined) },
            fc.constantFrom(...ENTERPRISES),
          ),
        }),
      ),
    )
    .map((all) => [...all]),
  permissions: fc
    .tuple(
      ...PERMISSIONS.map((name) =>
        fc.record({
          name: fc.constant(name),
          registered: mostly,
          module: name.includes(':') ? fc.constant(undefined) : optional(fc.constantFrom(...MODULES)),
        }),
      ),
    )
    .map((all) => [...all]),
  soldModules: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    fc.subarray(MODULES, { minLength: 1 }),
  ),
  entitlements: fc.array(
    fc.record({
      scope,
      to: fc.constantFrom(...MODULES, ...ENTERPRISES),
      start: fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), time),
      end: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), time),
    }),
    { minLength: 2, maxLength: 8 },
  ),
  // Parents are any role, also in a circle.
  roles: fc
    .tuple(
      ...ROLES.map((id) =>
        fc.record({ id: fc.constant(id), owner, parent: optional(role), deleted: seldom }),
      ),
    )
    .map((all) => [...all]),
  groups: fc
    .tuple(
      ...GROUPS.map((id) =>
        fc.record({ id: fc.constant(id), scope, everyone: seldom, roles: some(role, 3) }),
      ),
    )
    // A scope has one group of everyone.
    .map((all) =>
      all.map((each, n) => ({
        ...each,
        everyone:
          each.everyone && !all.slice(0, n).some((other) => other.everyone && other.scope === each.scope),
      })),
    ),
  memberships: fc.subarray(GROUPS),
  token: fc.record({ ids: some(fc.constantFrom(...NAMED), 4), until: time }),
  // Of each name at a root, once.
  meant: fc.uniqueArray(
    fc.record({ root: scope, id: fc.constantFrom(...NAMED), group: fc.constantFrom(...GROUPS, 'deleted') }),
    { minLength: 4, maxLength: 10, selector: (each) => `${each.root} ${each.id}` },
  ),
  assignments: fc.uniqueArray(
    fc.record({
      scope,
      role,
      start: fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), time),
      end: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), time),
    }),
    { minLength: 1, maxLength: 5, selector: (each) => `${each.scope} ${each.role}` },
  ),
  grants: some(fc.record({ root: scope, role }), 4),
  globalRoles: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    fc.subarray(ROLES, { maxLength: 1 }),
  ),
  effects: fc.uniqueArray(
    fc.record({
      role,
      on: fc.constantFrom(...TARGETS),
      effect: fc.constantFrom('ALLOW' as const, 'DENY' as const),
    }),
    { minLength: 4, maxLength: 14, selector: (each) => `${each.role} ${each.on}` },
  ),
});

/** What the table's decision items hold for this world, by the names under which the engine asks. */
function itemsOf({ user, scopes, permissions, roles, ...granted }: World): ReadonlyMap<string, unknown> {
  const tableOf = (owner: string | undefined): ReadonlyMap<string, RoleItem> =>
    new Map(
      roles
        .filter((each) => each.owner === owner && !each.deleted)
        .map(({ id, parent }) => [id, { parent, patterns: effectsOf(id, (on) => on.includes('*')) }]),
    );
  const effectsOf = (id: string, wanted: (on: string) => boolean): ReadonlyMap<string, Effect> =>
    new Map(
      granted.effects
        .filter((each) => each.role === id && wanted(each.on))
        .map(({ on, effect }) => [on, effect]),
    );
  const exactOf = (owner: string | undefined, name: string) => {
    const having = (effect: Effect) =>
      new Set(
        roles
          .filter(
            (each) => each.owner === owner && effectsOf(each.id, (on) => on === name).get(name) === effect,
          )
          .map(({ id }) => id),
      );
    return { isStored: true, allow: having('ALLOW'), deny: having('DENY'), conditional: new Map() };
  };
  const assignments = new Map<string, Assignment[]>();
  for (const { scope: where, ...each } of granted.assignments) {
    assignments.set(where, [...(assignments.get(where) ?? []), each]);
  }
  const grants = new Map<string, string[]>();
  for (const grant of granted.grants) grants.set(grant.root, [...(grants.get(grant.root) ?? []), grant.role]);
  const subject: SubjectItem = {
    ...user,
    groups: granted.memberships,
    groupsApart: false,
    groupsAt: new Map(),
    groupRoles: new Map(),
    globalRoles: granted.globalRoles,
    grants,
    assignments,
    properties: {},
  };

  const entitlementsOf = (ref: string, names: readonly string[]) =>
    new Map(
      names.map((name) => [
        name,
        granted.entitlements.filter(({ scope: at, to }) => at === ref && to === name),
      ]),
    );
  const global = { roles: tableOf(undefined), soldModules: new Set(granted.soldModules) };
  const items = new Map<string, unknown>([[GLOBAL_ID, global]]);
  if (user.exists) items.set(subjectId(SUBJECT), subject);
  for (const { ref, active, combination, exists, enterprise } of scopes) {
    const groups = new Map(
      granted.groups.filter((each) => each.scope === ref).map((each) => [each.id, each.roles]),
    );
    const [, ...ancestors] = chainOf({ user, scopes, permissions, roles, ...granted }, ref);
    const entitlements = {
      subscriptions: entitlementsOf(ref, MODULES),
      licenses: entitlementsOf(ref, ENTERPRISES),
      enterprise,
    };
    const roots = { roles: tableOf(ref), denials: new Set(permissions.map(({ name }) => name)) };
    const everyone = granted.groups.find((each) => each.scope === ref && each.everyone)?.id;
    const own = { ref, active, ancestors, combination, groups, everyone, ...roots };
    if (exists) items.set(ref, { ...own, ...entitlements });
    const meant = granted.meant
      .filter(({ root }) => root === ref)
      .map(({ id, group }) => {
        const at = granted.groups.find((each) => each.id === group)?.scope ?? ref;
        return [id, { group, scope: at }] as const;
      });
    if (meant.length > 0) items.set(externalGroupsId(ref, ISSUER), new Map(meant));
    for (const { name } of permissions) items.set(`${ref} ${name}`, exactOf(ref, name));
  }
  for (const { name, registered, module } of permissions) {
    items.set(name, {
      ...exactOf(undefined, name),
      registered,
      module: name.includes(':') ? name.split(':')[0] : module,
      patterns: patternsCovering(name),
      effectsIds: new Map(),
    });
  }
  return items;
}

/** Looks things up in a world of which all is loaded: the same values each time, as from the cache. */
function lookInto(world: World): Look {
  const items = itemsOf(world);
  return {
    item: <T>(kind: Kind<T>, id: string): T | null =>
      (items.get(id) as T | undefined) ?? kind.absent?.() ?? null,
    prefetch: () => {},
    recall: () => undefined,
  };
}

const judged = (world: World, permission: string, where: string, at: number) =>
  judge(modelOf(world), {
    subject: SUBJECT,
    permission,
    scope: where,
    at,
    groups: { issuer: ISSUER, ...world.token },
  });

function inputOf(look: Look, { token }: World, permission: string, where: string): DecisionInput {
  const groups = { issuer: ISSUER, ...token };
  const input = decisionInput({ subject: SUBJECT, scope: where, permission, groups }, look);
  if (!input) throw new Error('something was missing');
  return input;
}

test('the engine and a naive evaluator give the same answer for the same reason', () => {
  const counts = new Map<Reason, number>();
  fc.assert(
    fc.property(worlds, fc.constantFrom(...PERMISSIONS), scope, time, (world, permission, where, at) => {
      const expected = judged(world, permission, where, at);
      counts.set(expected.reason, (counts.get(expected.reason) ?? 0) + 1);
      expect(decide(inputOf(lookInto(world), world, permission, where), at)).toEqual(expected);
    }),
    { numRuns: size(800, 20_000) },
  );
  // The property is meaningful only if every reason occurs often.
  expect(counts.size).toBe(12);
  expect(Math.min(...counts.values())).toBeGreaterThan(size(5, 20));
});

test('values derived from items are reused with the same result, at any instant', () => {
  const question = fc.record({ permission: fc.constantFrom(...PERMISSIONS), where: scope, at: time });
  fc.assert(
    fc.property(worlds, fc.array(question, { minLength: 1, maxLength: 25 }), (world, questions) => {
      const look = lookInto(world);
      for (const { permission, where, at } of [...questions, ...questions]) {
        const input = inputOf(look, world, permission, where);
        expect(decide(input, at)).toEqual(judged(world, permission, where, at));
        const unkept = inputOf(lookInto(world), world, permission, where);
        expect(effectiveRoles(input.subject, input, at)).toEqual(effectiveRoles(unkept.subject, unkept, at));
      }
    }),
    { numRuns: size(100, 4_000) },
  );
});

test('each effective role is listed once and exists here', () => {
  fc.assert(
    fc.property(worlds, scope, time, (world, where, at) => {
      const input = inputOf(lookInto(world), world, 'dashboard', where);
      const inForce = effectiveRoles(input.subject, input, at);
      expect(new Set(inForce).size).toBe(inForce.length);
      const root = chainOf(world, where).at(-1);
      for (const id of inForce) {
        const found = world.roles.find((each) => each.id === id && !each.deleted);
        expect(found && (found.owner === undefined || found.owner === root)).toBe(true);
      }
    }),
    { numRuns: size(100, 2_000) },
  );
});

test('under allow-overrides another ALLOW never refuses, under deny-overrides another DENY never allows', () => {
  fc.assert(
    fc.property(
      worlds,
      fc.constantFrom(...PERMISSIONS),
      scope,
      time,
      role,
      (world, permission, where, at, holder) => {
        const root = world.scopes.find(({ ref }) => ref === chainOf(world, where).at(-1));
        const effect = root?.combination === 'deny-overrides' ? 'DENY' : 'ALLOW';
        const others = world.effects.filter((each) => each.role !== holder || each.on !== permission);
        const more = { ...world, effects: [...others, { role: holder, on: permission, effect } as const] };
        const without = decide(
          inputOf(lookInto({ ...world, effects: others }), world, permission, where),
          at,
        ).allowed;
        const having = decide(inputOf(lookInto(more), more, permission, where), at).allowed;
        if (effect === 'ALLOW' && without) expect(having).toBe(true);
        if (effect === 'DENY' && !without) expect(having).toBe(false);
      },
    ),
    { numRuns: size(150, 3_000) },
  );
});
