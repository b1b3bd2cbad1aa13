import { createIds } from '../../../provisioning/ids.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import { Attribute, groupsAtAttribute } from '../../../table/decision/attributes.ts';
import { defined } from '../../../table/defined.ts';
import type { Invariant } from '../../../table/invariant.ts';
import type { Item } from '../../../table/item.ts';
import { parseKey } from '../../../table/keys.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import type { Random } from '../../proof/oracle/random.ts';

/** Small tenants with everything by which a permission can be held, and the same tenants with all of it open. */
export const NOW = Date.parse('2026-01-15T12:00:00.000Z');
export const PERMISSIONS = ['pay:create:bill', 'pay:approve:bill', 'desk'];
const SAID = [...PERMISSIONS, 'pay:*:bill', 'pay:*:*', '*:*:*'];
export const ROOT = 'tenant:acme';
export const SCOPES = [ROOT, 'location:north', 'wing:east', 'location:south'];
const ISSUERS = ['https://one.example', 'https://two.example'];
const CONDITION = 'context.ip == "10.0.0.1"';
const DAYS = ['01-01', '01-10', '02-01', '03-01', '04-01'].map((day) => `2026-${day}T00:00:00.000Z`);

interface Effect {
  permission: string;
  when?: string;
}
interface Role {
  owner: 'acme' | 'any' | 'global';
  parent?: string;
  isAllowOnly: boolean;
  allow: Effect[];
  deny: Effect[];
}
interface Group {
  scope: string;
  roles: string[];
  isEveryone: boolean;
  isAllowOnly: boolean;
}
interface Person {
  isActive: boolean;
  until?: string;
  isAdmin: boolean;
  groups: string[];
  /** Of these groups: those whose membership a connection has suspended. */
  suspended: string[];
  assignments: { role: string; scope: string; from?: string; until?: string }[];
  grants: string[];
  globalRoles: string[];
}
export interface Model {
  isDenyOverriding: boolean;
  isSold: boolean;
  suspendedScopes: string[];
  roles: Record<string, Role>;
  groups: Record<string, Group>;
  users: Record<string, Person>;
  external: { issuer: string; externalId: string; group: string }[];
  invariants: Invariant[];
  /** Whether what can stand in items of its own does. */
  isSplit: boolean;
}

export function createModel(random: Random, isPlanted: boolean): Model {
  const { oneIn, pick, some, below } = random;
  const effects = (most: number): Effect[] =>
    some(SAID, most).map((permission) => ({ permission, ...(oneIn(5) ? { when: CONDITION } : {}) }));
  const roles: Record<string, Role> = {};
  for (let n = 0; n < 5; n++) {
    const owner = pick(['acme', 'acme', 'any', 'global'] as const);
    const isAllowOnly = oneIn(3);
    const parents = Object.entries(roles).filter(
      ([, above]) =>
        (above.owner === owner || (owner === 'acme' && above.owner === 'any')) &&
        (!isAllowOnly || above.isAllowOnly),
    );
    // An allow-only role holds no permission of operators, so not everything.
    const allow = effects(oneIn(3) ? 2 : 1).filter(
      ({ permission }) => !isAllowOnly || permission !== '*:*:*',
    );
    const named = new Set(allow.map(({ permission }) => permission));
    const deny =
      isAllowOnly || !oneIn(3) ? [] : effects(1).filter(({ permission }) => !named.has(permission));
    roles[`r${n}`] = {
      owner,
      isAllowOnly,
      allow,
      deny,
      ...(parents.length > 0 && oneIn(3) ? { parent: pick(parents)[0] } : {}),
    };
  }
  const grantable = Object.keys(roles).filter((id) => roles[id]?.owner !== 'global');
  const global = Object.keys(roles).filter((id) => roles[id]?.owner === 'global');
  const groups: Record<string, Group> = {};
  const taken = new Set<string>();
  for (let n = 0; n < 4; n++) {
    const scope = pick(SCOPES);
    const isEveryone = oneIn(6) && !taken.has(scope);
    if (isEveryone) taken.add(scope);
    const isAllowOnly = oneIn(3);
    const own = grantable.filter((id) => !isAllowOnly || roles[id]?.isAllowOnly);
    groups[`g${n}`] = { scope, isEveryone, isAllowOnly, roles: some(own, 2) };
  }
  const joined = Object.keys(groups).filter((id) => !groups[id]?.isEveryone);
  const users: Record<string, Person> = {};
  for (let n = 0; n < 4; n++) {
    const own = some(joined, 2);
    users[`u${n}`] = {
      isActive: !oneIn(6),
      ...(oneIn(5) ? { until: pick(DAYS) } : {}),
      isAdmin: oneIn(12),
      groups: own,
      suspended: own.filter(() => oneIn(6)),
      assignments:
        grantable.length === 0
          ? []
          : Array.from({ length: below(3) }, () => {
              const [a, b] = [below(DAYS.length), below(DAYS.length)];
              const [from, until] = [DAYS[Math.min(a, b)], DAYS[Math.max(a, b)]];
              return {
                role: pick(grantable),
                scope: pick(SCOPES),
                ...(oneIn(2) && from !== undefined ? { from } : {}),
                ...(oneIn(2) && until !== undefined && from !== until ? { until } : {}),
              };
            }).filter(
              ({ role, scope }, position, all) =>
                all.findIndex((each) => each.role === role && each.scope === scope) === position,
            ),
      grants: oneIn(4) ? some(grantable, 1) : [],
      globalRoles: oneIn(5) ? some(global, 1) : [],
    };
  }
  if (isPlanted) {
    const [first = '', second = ''] = PERMISSIONS;
    const plain = () => ({ owner: 'acme' as const, isAllowOnly: false, deny: [] });
    roles.p1 = { ...plain(), allow: [{ permission: first }] };
    roles.p2 = { ...plain(), allow: [{ permission: second }] };
    users.planted = {
      isActive: true,
      isAdmin: false,
      groups: [],
      suspended: [],
      grants: [],
      globalRoles: [],
      assignments: [
        { role: 'p1', scope: pick(SCOPES), until: '2026-03-01T00:00:00.000Z' },
        { role: 'p2', scope: pick(SCOPES), from: pick(DAYS) },
      ],
    };
  }
  const meant = joined.filter((id) => groups[id]?.isAllowOnly);
  const external = oneIn(3)
    ? meant.map((group, n) => ({ issuer: pick(ISSUERS), externalId: `ext-${n}`, group }))
    : [];
  const pair = (): string[] => {
    const out = pick(PERMISSIONS);
    const some = oneIn(4) ? PERMISSIONS : PERMISSIONS.filter((each) => each !== out);
    return oneIn(3) ? some.map((each) => each.replace(/:bill$/, ':*')) : [...some];
  };
  const one = () => pick([...PERMISSIONS, 'pay:*:bill', '*:*:*']);
  return {
    roles,
    groups,
    users,
    external,
    isDenyOverriding: oneIn(2),
    isSold: oneIn(3),
    suspendedScopes: some(SCOPES, 1),
    isSplit: oneIn(4),
    invariants: [
      { id: 'i0', name: 'in the tenant', separate: pair() },
      { id: 'i1', name: 'at one scope', separate: pair(), within: 'scope' },
      { id: 'i2', name: 'never', never: one() },
      { id: 'i3', name: 'except', never: one(), except: { group: pick(Object.keys(groups)) } },
    ],
  };
}

/** How a model is read: as it is, or with all open and conditions as they may be. */
export interface Reading {
  readonly isOpen: boolean;
  /** What conditional effects count as: for somebody, or against. Undefined: as they are. */
  readonly conditions?: 'for' | 'against';
  /** Whether suspended memberships count. */
  readonly withSuspended: boolean;
}

const nameOf = (scope: string): string => scope.slice(scope.indexOf(':') + 1);

function manifestOf(model: Model, { isOpen, conditions, withSuspended }: Reading) {
  const isClosed = (scope: string) => !isOpen && model.suspendedScopes.includes(scope);
  const scope = (ref: string, more: object) => ({
    id: nameOf(ref),
    type: ref.slice(0, ref.indexOf(':')),
    ...more,
    ...(isClosed(ref) && !ref.startsWith('wing') ? { status: 'suspended' } : {}),
  });
  const effects = (all: readonly Effect[], counts: 'for' | 'against') =>
    all.flatMap(({ permission, when }): readonly (string | Effect)[] => {
      if (when === undefined) return [permission];
      if (conditions === undefined) return [{ permission, when }];
      return conditions === counts ? [permission] : [];
    });
  const map = <T>(of: Readonly<Record<string, T>>, each: (one: T, id: string) => object) =>
    Object.fromEntries(Object.entries(of).map(([id, one]) => [id, { id, ...each(one, id) }]));
  return {
    modules: { pay: { sold: model.isSold && !isOpen } },
    pages: ['desk'],
    permissions: PERMISSIONS.filter((name) => name.includes(':')),
    scopeTypes: { wing: { parents: ['location'] } },
    scopes: {
      acme: scope(ROOT, { combination: model.isDenyOverriding ? 'deny-overrides' : 'allow-overrides' }),
      north: scope('location:north', { parent: 'acme', code: 'N' }),
      south: scope('location:south', { parent: 'acme', code: 'S' }),
      east: scope('wing:east', { parent: 'north' }),
    },
    roles: map(model.roles, ({ owner, parent, isAllowOnly, allow, deny }) => ({
      ...(owner === 'acme' ? { owner } : owner === 'global' ? { global: true } : {}),
      ...(parent === undefined ? {} : { parent }),
      ...(isAllowOnly ? { allowOnly: true } : {}),
      allow: effects(allow, 'for'),
      deny: effects(deny, 'against'),
    })),
    groups: map(model.groups, ({ scope, roles, isEveryone, isAllowOnly }) => ({
      scope: nameOf(scope),
      roles,
      ...(isEveryone ? { everyone: true } : {}),
      ...(isAllowOnly ? { allowOnly: true } : {}),
    })),
    users: {
      ...map(
        model.users,
        ({ isActive, until, isAdmin, groups, suspended, assignments, grants, globalRoles }) => ({
          ...(isActive || isOpen ? {} : { status: 'disabled' }),
          ...(until === undefined ? {} : { until }),
          ...(isAdmin ? { admin: true } : {}),
          groups: groups.filter((each) => withSuspended || !suspended.includes(each)),
          assignments: assignments.map((each) => ({ ...each, scope: nameOf(each.scope) })),
          ...(grants.length > 0 ? { grants: { acme: grants } } : {}),
          globalRoles,
        }),
      ),
      newcomer: { id: 'newcomer' },
    },
    externalGroups: model.external.map((each) => ({ scope: 'acme', ...each })),
  };
}

/** A table that holds a model, in one reading of it. */
export async function tableOf(model: Model, reading: Reading) {
  const table = createMemoryTable({ sharesItems: true });
  const { reader, writer, items } = table;
  const clock = { now: () => NOW };
  const parts = { reader, writer, clock, newId: createIds(), newSecret: () => 'secret' };
  const provisioning = createProvisioning({ ...parts, budgetMs: Number.POSITIVE_INFINITY });
  const manifest = manifestOf(model, reading);
  const answer = await provisioning({ command: 'tenant.apply', input: { manifest } });
  if (!answer.ok) throw new Error(`${answer.error.message} in ${JSON.stringify(manifest, null, 1)}`);
  if (model.isSplit)
    await migrate({ ...parts, thresholds: { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 } });
  /** Whether a command was carried out. */
  const send = async (command: string, input: object): Promise<boolean> => {
    const { ok } = await provisioning({ command, input });
    return ok;
  };
  return { reader, items, send, provisioning };
}
type Send = (command: string, input: object) => Promise<boolean>;

/** Changes a model by one command, and its table with it. A command that is refused changes neither. */
export async function change({ oneIn, pick, below }: Random, model: Model, send: Send): Promise<void> {
  const user = pick(Object.keys(model.users));
  const person = model.users[user] as Person;
  const role = pick(Object.keys(model.roles));
  const group = pick(Object.keys(model.groups));
  const scope = pick(SCOPES);
  const without = <T>(all: T[], one: T): void => void all.splice(all.indexOf(one), 1);
  switch (below(8)) {
    case 0: {
      const [from, until] = oneIn(2) ? [DAYS[2], DAYS[4]] : [undefined, DAYS[3]];
      const known = person.assignments.find((each) => each.role === role && each.scope === scope);
      if (known) {
        if (await send('assignment.delete', { user, role, scope })) without(person.assignments, known);
        return;
      }
      if (
        await send('assignment.create', { user, role, scope, ...defined({ startsAt: from, endsAt: until }) })
      )
        person.assignments.push({ role, scope, ...defined({ from, until }) });
      return;
    }
    case 1: {
      const isMember = person.groups.includes(group);
      if (isMember && (await send('membership.delete', { user, group }))) {
        without(person.groups, group);
        person.suspended = person.suspended.filter((each) => each !== group);
      } else if (!isMember && (await send('membership.create', { user, group }))) person.groups.push(group);
      return;
    }
    case 2: {
      const { roles } = model.groups[group] as Group;
      const isCarried = roles.includes(role);
      if (!(await send(`group-role.${isCarried ? 'delete' : 'create'}`, { group, role }))) return;
      if (isCarried) without(roles, role);
      else roles.push(role);
      return;
    }
    case 3:
    case 4: {
      const of = model.roles[role] as Role;
      const permission = pick(SAID);
      const known = [...of.allow, ...of.deny].some((each) => each.permission === permission);
      if (known) {
        if (!(await send('role-permission.delete', { role, permission }))) return;
        of.allow = of.allow.filter((each) => each.permission !== permission);
        of.deny = of.deny.filter((each) => each.permission !== permission);
        return;
      }
      const when = oneIn(4) ? { when: CONDITION } : {};
      const effect = oneIn(3) ? 'DENY' : 'ALLOW';
      if (await send('role-permission.create', { role, permission, effect, ...when }))
        (effect === 'ALLOW' ? of.allow : of.deny).push({ permission, ...when });
      return;
    }
    case 5: {
      const isGranted = person.globalRoles.includes(role);
      if (!(await send(`global-role.${isGranted ? 'delete' : 'create'}`, { user, role }))) return;
      if (isGranted) without(person.globalRoles, role);
      else person.globalRoles.push(role);
      return;
    }
    case 6: {
      const { [role]: of, ...others } = model.roles;
      const parent = oneIn(3) ? undefined : pick(Object.keys(others));
      if (!of || !(await send('role.update', { id: role, parent: parent ?? null }))) return;
      if (parent === undefined) delete of.parent;
      else of.parent = parent;
      return;
    }
    default: {
      const combination = model.isDenyOverriding ? 'allow-overrides' : 'deny-overrides';
      if (await send('tenant.update', { id: 'acme', combination }))
        model.isDenyOverriding = !model.isDenyOverriding;
    }
  }
}

/** Marks memberships as suspended, as a connection does: the edge stays, and the decision item forgets the group. */
export function suspend(items: readonly Item[], model: Model): readonly Item[] {
  const isSuspended = (user: unknown, group: unknown): boolean =>
    model.users[String(user)]?.suspended.includes(String(group)) === true;
  return items.map((item) => {
    if (item.Type === 'Membership' && isSuspended(item.user, item.group))
      return { ...item, origins: ['connection'], suspended: ['connection'] };
    const key = parseKey(item);
    if (key?.form !== 'decision' && key?.form !== 'memberships') return item;
    if (key.type !== 'user') return item;
    const changed: Record<string, unknown> = { ...item };
    for (const name of [Attribute.groups, ...SCOPES.map(groupsAtAttribute)]) {
      if (!(item[name] instanceof Set)) continue;
      const left = new Set([...(item[name] as Set<string>)].filter((each) => !isSuspended(key.id, each)));
      if (left.size > 0) changed[name] = left;
      else delete changed[name];
    }
    return changed as Item;
  });
}
