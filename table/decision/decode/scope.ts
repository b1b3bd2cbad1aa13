import { isRef } from '../../identifiers.ts';
import type { Item } from '../../item.ts';
import { isPermissionPattern } from '../../permission-name.ts';
import { Attribute } from '../attributes.ts';
import type { Effect, GlobalFacts, Interval, RoleFacts, RoleTable, ScopeFacts } from '../facts.ts';
import { type Compound, compoundsOf, damaged, idSet, interval, isActive, plain } from './values.ts';

const PLAIN = plain(
  Attribute.status,
  Attribute.ancestors,
  Attribute.combination,
  Attribute.enterprise,
  Attribute.denials,
);
/** The item of what holds everywhere has no others than every item has. */
const PLAIN_GLOBAL = plain();

const isEffect = (value: unknown): value is Effect => value === 'ALLOW' || value === 'DENY';

/** Reads the `role|…` and `wild|…` attributes among `compounds`; hands every other one to `other`. */
function decodeRoles(
  item: Item,
  compounds: readonly Compound[],
  other: (compound: Compound) => void,
): RoleTable {
  const roles = new Map<string, RoleFacts>();
  const patterns = new Map<string, Map<string, Effect>>();
  for (const compound of compounds) {
    const { name, value, parts } = compound;
    const [kind, id = '', pattern, ...more] = parts;
    if (kind === 'role') {
      if (typeof value !== 'string' || pattern !== undefined) throw damaged(item, name);
      roles.set(id, { parent: value === '' ? undefined : value, patterns: new Map() });
    } else if (kind === 'wild') {
      const isPattern = pattern !== undefined && isPermissionPattern(pattern) && more.length === 0;
      if (!isPattern || !isEffect(value)) throw damaged(item, name);
      const held = patterns.get(id) ?? new Map<string, Effect>();
      held.set(pattern, value);
      patterns.set(id, held);
    } else other(compound);
  }
  for (const [id, held] of patterns) {
    const role = roles.get(id);
    // Patterns of a role that is not listed belong to a role in deletion: not in force.
    if (role) roles.set(id, { parent: role.parent, patterns: held });
  }
  return roles;
}

/** Adds one interval to those under `name`. */
function addInterval(to: Map<string, Interval[]>, name: string, one: Interval): void {
  const known = to.get(name);
  if (known) known.push(one);
  else to.set(name, [one]);
}

export function decodeScope(ref: string, item: Item): ScopeFacts {
  const groups = new Map<string, readonly string[]>();
  const subscriptions = new Map<string, Interval[]>();
  const licenses = new Map<string, Interval[]>();
  const roles = decodeRoles(item, compoundsOf(item, PLAIN), ({ name, parts }) => {
    const [kind, about = '', id, ...more] = parts;
    if (kind === 'group' && id === undefined) groups.set(about, idSet(item, name));
    else if (kind === 'sub' && id !== undefined && more.length === 0)
      addInterval(subscriptions, about, interval(item, name));
    else if (kind === 'license' && id !== undefined && more.length === 0)
      addInterval(licenses, about, interval(item, name));
    else throw damaged(item, name);
  });
  const {
    [Attribute.ancestors]: ancestors = [],
    [Attribute.combination]: combination = 'allow-overrides',
    [Attribute.enterprise]: enterprise,
  } = item;
  if (!Array.isArray(ancestors) || !ancestors.every((each) => typeof each === 'string' && isRef(each))) {
    throw damaged(item, Attribute.ancestors);
  }
  if (combination !== 'allow-overrides' && combination !== 'deny-overrides') {
    throw damaged(item, Attribute.combination);
  }
  if (enterprise !== undefined && typeof enterprise !== 'string') throw damaged(item, Attribute.enterprise);
  return {
    ref,
    active: isActive(item),
    ancestors,
    combination,
    groups,
    roles,
    denials: new Set(idSet(item, Attribute.denials)),
    subscriptions,
    licenses,
    enterprise,
  };
}

/** What holds everywhere: a scope without a place, of which only roles and modules are known. */
export function decodeGlobal(item: Item): GlobalFacts {
  const soldModules = new Set<string>();
  const roles = decodeRoles(item, compoundsOf(item, PLAIN_GLOBAL), ({ name, value, parts }) => {
    const [kind, module = '', ...more] = parts;
    if (kind !== 'module' || value !== true || more.length > 0) throw damaged(item, name);
    soldModules.add(module);
  });
  return { roles, soldModules };
}
