import { describe, expect, test } from 'vitest';
import type { Place } from '../../engine/effective-roles.ts';
import type { CheckedPermission, TenantEffects } from '../../engine/items.ts';
import { effectsOfRole, inheritedEffectsOf, permissionEffects } from '../../engine/permission-effects.ts';
import type { Effect, RoleItem, ScopeItem } from '../../table/decision/items.ts';
import * as fc from '../support/fast-check.ts';
import { scopeItem } from './items.ts';

/** What roles do to a permission under a root, by exact name, by pattern and by what they inherit from. */
type Roles = Readonly<Record<string, { parent?: string; patterns?: Readonly<Record<string, Effect>> }>>;

const tableOf = (roles: Roles): ReadonlyMap<string, RoleItem> =>
  new Map(
    Object.entries(roles).map(([id, { parent, patterns = {} }]) => [
      id,
      { parent, patterns: new Map(Object.entries(patterns)) },
    ]),
  );

const rootWith = (roles: Roles): ScopeItem => scopeItem('tenant:root', { roles: tableOf(roles) });

const placeWith = ({ own = {}, global = {} }: Setting): Place => ({
  scopes: [rootWith(own)],
  global: { roles: tableOf(global), soldModules: new Set(), declarations: new Map() },
});

interface Setting {
  readonly own?: Roles;
  readonly global?: Roles;
}

const PATTERNS = ['a:b:*', 'a:*:*', '*:*:*'];
const permissionOf = (changes: Partial<CheckedPermission> = {}): CheckedPermission => ({
  registered: true,
  module: 'a',
  allow: new Set(),
  deny: new Set(),
  conditional: new Map(),
  patterns: PATTERNS,
  ...changes,
});
const tenantEffectsOf = (allow: readonly string[] = [], deny: readonly string[] = []): TenantEffects => ({
  allow: new Set(allow),
  deny: new Set(deny),
  conditional: new Map(),
  isStored: true,
});
const items = (permission: CheckedPermission | null, tenantEffects: TenantEffects | null = null) => ({
  name: 'a:b:c',
  permission,
  tenantEffects,
});
const effects = (
  setting: Setting,
  permission: Partial<CheckedPermission> = {},
  tenantEffects: TenantEffects | null = tenantEffectsOf(),
) => {
  const { allow, deny } = permissionEffects(
    items(permissionOf(permission), tenantEffects),
    placeWith(setting),
  );
  return { allow: [...allow].sort(), deny: [...deny].sort() };
};

describe('exact effects', () => {
  test('of a role that is not listed count for nothing', () => {
    expect(effects({}, { allow: new Set(['gone']) }, tenantEffectsOf(['gone']))).toEqual({
      allow: [],
      deny: [],
    });
  });

  test('of a role that the root lists as its own are those of the root only', () => {
    const setting = { own: { both: {} }, global: { both: {} } };
    expect(effects(setting, { allow: new Set(['both']) })).toEqual({ allow: [], deny: [] });
  });
});

describe('patterns', () => {
  test('cover no permission that is missing', () => {
    const place = placeWith({ own: { mine: { patterns: { '*:*:*': 'ALLOW' } } } });
    expect([...permissionEffects(items(null, tenantEffectsOf()), place).allow]).toEqual([]);
  });

  test('of one role each have an effect of their own, the nearest first', () => {
    const item = tableOf({ all: { patterns: { '*:*:*': 'ALLOW', 'a:b:*': 'DENY' } } }).get('all') as RoleItem;
    const role = { id: 'all', item, isOwn: false };
    const found = effectsOfRole(role, items(permissionOf({ allow: new Set(['all']) })));
    expect(found).toEqual([
      { effect: 'ALLOW', by: { kind: 'exact', name: 'a:b:c' }, width: 0 },
      { effect: 'DENY', by: { kind: 'pattern', name: 'a:b:*' }, width: 1 },
      { effect: 'ALLOW', by: { kind: 'pattern', name: '*:*:*' }, width: 3 },
    ]);
  });
});

describe('inherited effects', () => {
  test('do not come past a role that is not listed', () => {
    const setting = { global: { child: { parent: 'gone' }, top: {} } };
    expect(effects(setting, { allow: new Set(['top']) })).toEqual({ allow: ['top'], deny: [] });
  });

  test('go round a circle once', () => {
    const setting = { global: { a: { parent: 'b' }, b: { parent: 'a' } } };
    expect(effects(setting, { allow: new Set(['a']) })).toEqual({ allow: ['a', 'b'], deny: [] });
  });
});

describe('the effects of one role, as a decision asks for them', () => {
  const ids = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'];
  const effect = fc.constantFrom('ALLOW' as const, 'DENY' as const);
  const conditional = fc.record({ effect, when: fc.constantFrom('true', 'false') });
  const role = fc.record({
    parent: fc.option(fc.constantFrom(...ids), { nil: undefined }),
    patterns: fc.uniqueArray(fc.tuple(fc.constantFrom(...PATTERNS), fc.oneof(effect, conditional)), {
      maxLength: 2,
      selector: ([pattern]) => pattern,
    }),
  });
  const table = fc.dictionary(fc.constantFrom(...ids), role, { maxKeys: 5 });
  const set = fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 2 });
  const named = fc.record({ allow: set, deny: set, when: fc.option(fc.constantFrom(...ids)) });
  const closing = fc.option(set, { nil: undefined });

  test('are those that all roles have together, be the roles of the root listed or folded', () => {
    fc.assert(
      fc.property(table, table, named, named, closing, (own, global, here, there, inDeletion) => {
        const tableOf = (of: typeof own): ReadonlyMap<string, RoleItem> =>
          new Map(
            Object.entries(of)
              .filter(([id]) => !inDeletion?.includes(id))
              .map(([id, { parent, patterns }]) => [id, { parent, patterns: new Map(patterns) }]),
          );
        const itemOf = ({ allow, deny, when }: typeof here) => ({
          allow: new Set(allow),
          deny: new Set(deny),
          conditional: new Map(when === null ? [] : [[when, { effect: 'ALLOW' as const, when: 'true' }]]),
        });
        const root = { ...rootWith({}), roles: tableOf(own), closing: inDeletion && new Set(inDeletion) };
        const everywhere = {
          roles: tableOf(global),
          soldModules: new Set<string>(),
          declarations: new Map(),
        };
        const place = { scopes: [root], global: everywhere };
        const wide = items(permissionOf(itemOf(there)), { ...itemOf(here), isStored: true });
        const all = permissionEffects(wide, place);
        for (const id of [...ids, 'nobody']) {
          const found = inheritedEffectsOf(id, wide, place);
          const has = (effect: Effect) => found.some((each) => each.effect === effect && !each.condition);
          expect([id, has('ALLOW'), has('DENY')]).toEqual([id, all.allow.has(id), all.deny.has(id)]);
          const conditions = found.flatMap(({ condition }) => condition ?? []);
          expect(conditions).toEqual(all.conditional.get(id) ?? []);
        }
      }),
      { numRuns: 500 },
    );
  });
});
