import { Attribute, groupAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import {
  apiRef,
  apiRevisionKey,
  decisionKey,
  edgeKey,
  globalKey,
  type Key,
  parseKey,
  permissionRef,
} from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { sizeOf } from '../../table/size.ts';
import { mix, share } from '../harness/draws.ts';

export interface PopulationOptions {
  readonly users: number;
  /** The first so many users are those of the large tenant. */
  readonly largeTenantUsers: number;
  /** The other tenants. Their sizes fall with the square root of their number. */
  readonly tenants: number;
  /** Groups of the large tenant. */
  readonly groups: number;
  /** Where they are: all at the tenant itself, or spread over its locations. */
  readonly groupsAt: 'tenant' | 'locations';
}

/** An item and its bytes as DynamoDB counts them. */
export interface Stored {
  readonly item: Item;
  readonly bytes: number;
}

export const API = 'default';
export const PAGES = 200;
const ROLES = 30;
const ROUTES = 28;
const LARGE = 0;
/** The write of everything, long ago. */
const FIRST = { writtenAt: Date.UTC(2026, 0, 1), writeId: 'w0' };
/** Locations of the large tenant. */
const LARGE_LOCATIONS = 100;
const GROUPS_OF_LOCATION = 5;
/** A user's groups at the tenant and at the user's own location. */
const OWN_GROUPS = [0, 1, 2];
const OWN_GROUPS_AT_LOCATION = [3, 4];
/** Items of locations with more groups are made once, and those of all tenants. */
const LARGE_ITEM = 20;

const idOf = (kind: string, number: number): string => `01J8${kind}${String(number).padStart(21, '0')}`;
const numberIn = (text: string): number => Number(text.slice(-12));
const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, Math.round(value)));
const pageOf = (page: number): string => `page-${String(page).padStart(3, '0')}`;

const userRef = (user: number): string => `user:${idOf('U', user)}`;

/** Group numbers are unique in the table. */
const groupNumber = (tenant: number, location: number | undefined, group: number): number =>
  tenant * 10_000_000 + (location === undefined ? 0 : (location + 1) * 10_000) + group;
const roleOf = (group: number): number => mix(group, 7) % ROLES;
const covers = (role: number, page: number): boolean => (page * 7 + role * 11) % ROLES < 10;
const rolesFor = (page: number): readonly number[] =>
  Array.from({ length: ROLES }, (_, role) => role).filter((role) => covers(role, page));

/**
 * A population of any size that takes no memory: each item follows from its key, in the form in which commands
 * write it. What changes during a simulation lies over it.
 */
export function createPopulation(options: PopulationOptions) {
  const { users, largeTenantUsers, tenants, groups, groupsAt } = options;
  const others = users - largeTenantUsers;
  const made = new Map<string, Stored>();
  /** By user: the write that took the first of their groups away. */
  const revoked = new Map<number, typeof FIRST>();
  /** The last write of the large tenant's item. */
  let rewritten = FIRST;

  const tenantOf = (user: number): number =>
    user < largeTenantUsers ? LARGE : 1 + Math.floor((tenants - 1) * share(user) ** 2);
  const usersOf = (tenant: number): number =>
    tenant === LARGE
      ? largeTenantUsers
      : others * (Math.sqrt(tenant / (tenants - 1)) - Math.sqrt((tenant - 1) / (tenants - 1)));
  const locationsOf = (tenant: number): number =>
    tenant === LARGE ? LARGE_LOCATIONS : clamp(usersOf(tenant) / 50, 3, LARGE_LOCATIONS);
  const groupsAtTenant = (tenant: number): number => {
    if (tenant !== LARGE) return clamp(usersOf(tenant) / 40, 8, 400);
    return groupsAt === 'tenant' ? groups : 20;
  };
  const groupsAtLocation = (tenant: number): number =>
    tenant === LARGE && groupsAt === 'locations' ? Math.ceil(groups / LARGE_LOCATIONS) : GROUPS_OF_LOCATION;
  const locationOf = (user: number, tenant: number): number => mix(user, 3) % locationsOf(tenant);

  const groupsAtTenantOf = (user: number, tenant: number): readonly number[] =>
    OWN_GROUPS.map((n) => groupNumber(tenant, undefined, mix(user, 10 + n) % groupsAtTenant(tenant)));
  const groupsAtLocationOf = (user: number, tenant: number): readonly number[] => {
    const location = locationOf(user, tenant);
    return OWN_GROUPS_AT_LOCATION.map((n) =>
      groupNumber(tenant, location, mix(user, 10 + n) % groupsAtLocation(tenant)),
    );
  };

  const decision = (key: Key, fields: Readonly<Record<string, unknown>>, write = FIRST): Item => ({
    ...key,
    Type: 'Decision',
    [Attribute.version]: FORMS.writes,
    [Attribute.writtenAt]: write.writtenAt,
    [Attribute.writeId]: write.writeId,
    ...fields,
  });
  const measured = (item: Item): Stored => ({ item, bytes: sizeOf(item) });

  function userItem(key: Key, user: number): Stored {
    const tenant = tenantOf(user);
    const write = revoked.get(user);
    const own = [...groupsAtTenantOf(user, tenant), ...groupsAtLocationOf(user, tenant)];
    const left = write ? own.filter((group) => group !== own[0]) : own;
    const fields = { status: 'active', [Attribute.groups]: new Set(left.map((group) => idOf('G', group))) };
    return measured(decision(key, fields, write));
  }

  function scopeItem(key: Key, tenant: number, location: number | undefined): Stored {
    const write = tenant === LARGE && location === undefined ? rewritten : FIRST;
    const known = made.get(key.PK);
    if (known && known.item[Attribute.writeId] === write.writeId) return known;
    const count = location === undefined ? groupsAtTenant(tenant) : groupsAtLocation(tenant);
    const fields: Record<string, unknown> = {
      status: 'active',
      [Attribute.ancestors]: location === undefined ? [] : [`tenant:${idOf('T', tenant)}`],
    };
    for (let n = 0; n < count; n++) {
      const group = groupNumber(tenant, location, n);
      fields[groupAttribute(idOf('G', group))] = new Set([idOf('R', roleOf(group))]);
    }
    const stored = measured(decision(key, fields, write));
    if (location === undefined || count > LARGE_ITEM) made.set(key.PK, stored);
    return stored;
  }

  const common = new Map<string, Stored>();
  const addCommon = (item: Item): void => void common.set(`${item.PK} ${item.SK}`, measured(item));
  addCommon(
    decision(
      globalKey(),
      Object.fromEntries(Array.from({ length: ROLES }, (_, role) => [roleAttribute(idOf('R', role)), ''])),
    ),
  );
  addCommon(decision(apiRevisionKey(API), {}));
  for (let page = 0; page < PAGES; page++)
    addCommon(
      decision(decisionKey(permissionRef(parsePermissionName(pageOf(page), 'page'))), {
        [Attribute.registered]: true,
        [Attribute.allow]: new Set(rolesFor(page).map((role) => idOf('R', role))),
      }),
    );
  const routes: readonly Item[] = Array.from({ length: ROUTES }, (_, n) => ({
    ...edgeKey(apiRef(API), { type: 'route', id: `r${n}` }),
    id: `r${n}`,
    method: 'GET',
    path: `/locations/{location}/things-${n}`,
    permission: 'page-000',
    scope: 'location:{location}',
  }));

  /** Locations are numbered through: tenant and place. */
  const locationNumber = (tenant: number, location: number): number => tenant * 1_000 + location;
  const tenantRef = (tenant: number): string => `tenant:${idOf('T', tenant)}`;

  return {
    /** The current item of a key; undefined where the table has none. */
    find: (key: Key): Stored | undefined => {
      const shared = common.get(`${key.PK} ${key.SK}`);
      if (shared) return shared;
      const parsed = parseKey(key);
      if (parsed?.form !== 'decision') return undefined;
      const number = numberIn(parsed.id);
      if (parsed.type === 'user') return userItem(key, number);
      if (parsed.type === 'tenant') return scopeItem(key, number, undefined);
      if (parsed.type === 'location') return scopeItem(key, Math.floor(number / 1_000), number % 1_000);
      return undefined;
    },
    /** The routes of the API. */
    routes,
    /** The question of a user for a page, at the user's tenant or at the user's own location. */
    question: (user: number, page: number, at: 'tenant' | 'location') => {
      const tenant = tenantOf(user);
      const scope =
        at === 'tenant'
          ? tenantRef(tenant)
          : `location:${idOf('L', locationNumber(tenant, locationOf(user, tenant)))}`;
      return { subject: userRef(user), permission: pageOf(page), scope };
    },
    /** The oracle: what the roles of the user's groups say, before and after a revocation. */
    isAllowed: (user: number, page: number, at: 'tenant' | 'location', isRevoked: boolean): boolean => {
      const tenant = tenantOf(user);
      const atTenant = groupsAtTenantOf(user, tenant);
      const counting = [...atTenant, ...(at === 'location' ? groupsAtLocationOf(user, tenant) : [])];
      const left = isRevoked ? counting.filter((group) => group !== atTenant[0]) : counting;
      return left.some((group) => covers(roleOf(group), page));
    },
    /** Takes the first group of a user away. */
    revoke: (user: number, at: number): void =>
      void revoked.set(user, { writtenAt: at, writeId: `w${user}` }),
    revokedAt: (user: number): number | undefined => revoked.get(user)?.writtenAt,
    /** Writes the large tenant's item anew, as each change of its groups does. */
    rewriteLargeTenant: (at: number): void => {
      rewritten = { writtenAt: at, writeId: `t${at}` };
    },
    /** The bytes of the large tenant's item. */
    largeTenantBytes: (): number =>
      scopeItem(decisionKey({ type: 'tenant', id: idOf('T', LARGE) }), LARGE, undefined).bytes,
  };
}

export type Population = ReturnType<typeof createPopulation>;
