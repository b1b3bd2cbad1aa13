import { GatehouseError } from '../errors.ts';
import type { Item } from '../item.ts';
import { Attribute, DECISION_VERSION, splitAttribute } from './attributes.ts';
import type {
  Assignment,
  Effect,
  PermissionFacts,
  RoleFacts,
  RoleTable,
  ScopeFacts,
  SubjectFacts,
} from './facts.ts';

/**
 * Decision items into facts. Whatever is not exactly as the writer makes it throws `damaged_item`:
 * a fault, and every fault ends in "not allowed". An attribute of a kind that is not known here was
 * written by a newer version and throws as well, since it may restrict.
 */
const damaged = (item: Item, attribute: string): GatehouseError =>
  new GatehouseError(
    'damaged_item',
    `decision item ${item.PK} / ${item.SK} holds a damaged ${splitAttribute(attribute)[0]}`,
    {
      field: attribute,
    },
  );

function assertVersion(item: Item): void {
  if (item[Attribute.version] !== DECISION_VERSION) throw damaged(item, Attribute.version);
}

function idSet(item: Item, attribute: string): readonly string[] {
  const value = item[attribute];
  if (value === undefined) return [];
  if (!(value instanceof Set)) throw damaged(item, attribute);
  const ids: string[] = [];
  for (const id of value) {
    if (typeof id !== 'string') throw damaged(item, attribute);
    ids.push(id);
  }
  return ids;
}

/** Epoch milliseconds of an ISO date, or `missing` when the text is empty. */
function instant(item: Item, attribute: string, text: unknown, missing: number): number {
  if (text === '' || text === undefined) return missing;
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw damaged(item, attribute);
  return time;
}

function isActive(item: Item): boolean {
  const status = item[Attribute.status];
  if (typeof status !== 'string') throw damaged(item, Attribute.status);
  return status === 'active';
}

const isEffect = (value: unknown): value is Effect => value === 'ALLOW' || value === 'DENY';

/** Milliseconds of the item's last write; the engine compares it with the time of its reads. */
export function decodeWrittenAt(item: Item): number {
  const time = item[Attribute.writtenAt];
  if (typeof time !== 'number') throw damaged(item, Attribute.writtenAt);
  return time;
}

export function decodeSubject(item: Item): SubjectFacts {
  assertVersion(item);
  const grants = new Map<string, readonly string[]>();
  const assignments = new Map<string, Assignment[]>();
  for (const [name, value] of Object.entries(item)) {
    const [kind, scope, role, ...rest] = splitAttribute(name);
    if (scope === undefined) continue;
    if (kind === 'grant' && role === undefined) grants.set(scope, idSet(item, name));
    else if (kind === 'assign' && role !== undefined && rest.length === 0) {
      const [start, end, ...more] = typeof value === 'string' ? value.split('/') : [];
      if (start === undefined || end === undefined || more.length > 0) throw damaged(item, name);
      const list = assignments.get(scope) ?? [];
      list.push({
        role,
        start: instant(item, name, start, Number.NEGATIVE_INFINITY),
        end: instant(item, name, end, Number.POSITIVE_INFINITY),
      });
      assignments.set(scope, list);
    } else throw damaged(item, name);
  }
  const isAdmin = item[Attribute.isAdmin] ?? false;
  if (typeof isAdmin !== 'boolean') throw damaged(item, Attribute.isAdmin);
  return {
    active: isActive(item),
    endsAt: instant(item, Attribute.endsAt, item[Attribute.endsAt], Number.POSITIVE_INFINITY),
    isAdmin,
    groups: idSet(item, Attribute.groups),
    globalRoles: idSet(item, Attribute.globalRoles),
    grants,
    assignments,
  };
}

/** Reads the `role|…` and `wild|…` attributes; reports every other compound attribute to `other`. */
function decodeRoles(item: Item, other: (name: string, kind: string, id: string) => void): RoleTable {
  const roles = new Map<string, RoleFacts>();
  const patterns = new Map<string, Map<string, Effect>>();
  for (const [name, value] of Object.entries(item)) {
    const [kind = '', id, pattern] = splitAttribute(name);
    if (id === undefined) continue;
    if (kind === 'role') {
      if (typeof value !== 'string') throw damaged(item, name);
      roles.set(id, { parent: value === '' ? undefined : value, patterns: new Map() });
    } else if (kind === 'wild') {
      if (pattern === undefined || !isEffect(value)) throw damaged(item, name);
      const held = patterns.get(id) ?? new Map<string, Effect>();
      held.set(pattern, value);
      patterns.set(id, held);
    } else other(name, kind, id);
  }
  for (const [id, held] of patterns) {
    const role = roles.get(id);
    // Patterns of a role that is not listed belong to a role in deletion: not in force.
    if (role) roles.set(id, { parent: role.parent, patterns: held });
  }
  return roles;
}

export function decodeScope(ref: string, item: Item): ScopeFacts {
  assertVersion(item);
  const groups = new Map<string, readonly string[]>();
  const roles = decodeRoles(item, (name, kind, id) => {
    if (kind !== 'group') throw damaged(item, name);
    groups.set(id, idSet(item, name));
  });
  const ancestors = item[Attribute.ancestors] ?? [];
  if (!Array.isArray(ancestors) || !ancestors.every((a) => typeof a === 'string')) {
    throw damaged(item, Attribute.ancestors);
  }
  const combination = item[Attribute.combination] ?? 'allow-overrides';
  if (combination !== 'allow-overrides' && combination !== 'deny-overrides') {
    throw damaged(item, Attribute.combination);
  }
  return { ref, active: isActive(item), ancestors, combination, groups, roles };
}

export function decodeGlobalRoles(item: Item): RoleTable {
  assertVersion(item);
  return decodeRoles(item, (name) => {
    throw damaged(item, name);
  });
}

export function decodePermission(item: Item): PermissionFacts {
  assertVersion(item);
  const registered = item[Attribute.registered] ?? false;
  if (typeof registered !== 'boolean') throw damaged(item, Attribute.registered);
  return {
    registered,
    allow: new Set(idSet(item, Attribute.allow)),
    deny: new Set(idSet(item, Attribute.deny)),
  };
}
