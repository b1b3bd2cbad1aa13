import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, META, parseKey } from '../../table/keys.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';

const key = (PK: string, SK: string) => `${PK} / ${SK}`;
const bare = ({ PK: _, SK: __, Type: ___, ...attributes }: Item) => attributes;
/** Edges with two ends, each with one mirror. */
const MIRRORED = new Set(['Membership', 'GroupRole', 'RolePermission', 'GlobalRole', 'Admin', 'TenantGrant']);
/** Ends that are no nodes. */
const isAnchor = (end: string) => end.startsWith('GLOBAL#') || end.startsWith('API#');

/** What must hold between the items of a table, whatever was written to it. An empty list is a clean bill. */
export function faultsOf(items: readonly Item[]): readonly string[] {
  const all = new Map(items.map((item) => [key(item.PK, item.SK), item]));
  const faults: string[] = [];
  const expectNode = (end: string, item: Item) => {
    const [, ...name] = end.split('#');
    const known = isAnchor(end) || isPermissionPattern(name.join('#')) || all.has(key(end, META));
    if (!known) faults.push(`${key(item.PK, item.SK)} leads to ${end}, which is not there`);
  };
  const expectTwin = (item: Item, PK: string, SK: string) => {
    const twin = all.get(key(PK, SK));
    if (!twin || JSON.stringify(sorted(bare(twin))) !== JSON.stringify(sorted(bare(item)))) {
      faults.push(`${key(item.PK, item.SK)} has no twin ${key(PK, SK)}`);
    }
  };

  for (const item of items) {
    const { PK, SK, Type } = item;
    const parsed = parseKey(item);
    if (!parsed) faults.push(`${key(PK, SK)} is no key`);
    if (parsed?.form === 'edge') {
      const parts = SK.split('#').slice(parsed.kind ? 1 : 0);
      expectNode(PK, item);
      for (let i = 0; i < parts.length; i += 2) expectNode(`${parts[i]}#${parts[i + 1]}`, item);
    }
    if (Type === 'Ownership') {
      const owned = all.get(key(SK, META));
      if (!owned || !ownersOf(owned).includes(PK)) faults.push(`${key(PK, SK)} lists what is not its own`);
    }
    if (MIRRORED.has(String(Type)) && SK !== META) expectTwin(item, SK, PK);
    if (Type === 'TenantGrant') {
      expectTwin(item, `GRANT#${item.id}`, META);
      for (const role of item.roles as string[]) {
        const [type = '', scope] = String(item.scope).split(':');
        const mirror = `GRANT#${type.toUpperCase()}#${scope}#USER#${item.user}`;
        if (!all.has(key(`ROLE#${role}`, mirror))) faults.push(`${key(PK, SK)} is not known to role ${role}`);
      }
    }
    if (Type === 'GrantRole') {
      const grant = all.get(key(`GRANT#${item.grant}`, META));
      const holds = (grant?.roles as string[] | undefined)?.includes(String(item.role));
      if (!holds) faults.push(`${key(PK, SK)} is of a grant that does not hold the role`);
    }
    if (Type === 'Assignment') {
      const [type = '', id] = String(item.scope).split(':');
      const [u, s, r] = [`USER#${item.user}`, `${type.toUpperCase()}#${id}`, `ROLE#${item.role}`];
      expectTwin(item, u, `ASSIGNMENT#${s}#${r}`);
      expectTwin(item, s, `ASSIGNMENT#${u}#${r}`);
      expectTwin(item, r, `ASSIGNMENT#${u}#${s}`);
    }
  }
  for (const item of items.filter(({ SK }) => SK === META)) {
    for (const owner of ownersOf(item)) {
      if (!all.has(key(owner, item.PK))) faults.push(`${item.PK} is not listed by ${owner}`);
    }
    const rule = item.Type === 'Route' ? all.get(key(`API#${item.api}`, item.PK)) : undefined;
    const differs = ['method', 'path', 'permission', 'scope'].some((name) => rule?.[name] !== item[name]);
    if (item.Type === 'Route' && differs) faults.push(`${item.PK} and its rule differ`);
  }
  const values = items.filter(({ SK }) => SK === META).flatMap(guardsOf);
  for (const { PK, owner } of values) {
    if (all.get(key(PK, META))?.owner !== owner) faults.push(`${PK} is not guarded for ${owner}`);
  }
  const guards = items.filter((item) => item.Type === 'Guard').length;
  if (guards !== values.length) faults.push(`${guards} guards for ${values.length} values`);
  return faults;
}

/** The guards that a node must have, by its entry in the registry. */
const guardsOf = (item: Item): readonly { PK: string; owner: string }[] =>
  Object.values<Entity>(ENTITIES)
    .filter(({ label }) => label === item.Type)
    .flatMap(({ type, guards }) =>
      guards.flatMap(({ kind, field, normalise, within }) => {
        const value = item[field];
        if (typeof value !== 'string') return [];
        const scope = within?.map((name) => String(item[name])).join(' ');
        return [{ PK: guardKey(kind, normalise(value, field), scope).PK, owner: `${type}:${item.id}` }];
      }),
    );

/** The partitions in which a node is listed, beside the list of all. */
function ownersOf({ Type, scope, parent }: Item): readonly string[] {
  const partition = (ref: unknown) => {
    const [type = '', id] = String(ref).split(':');
    return `${type.toUpperCase()}#${id}`;
  };
  if (Type === 'Group') return [partition(scope)];
  if (Type === 'Location') return parent ? [partition(parent)] : [];
  if (Type !== 'Role') return [];
  const shelves: Record<string, string> = { global: 'GLOBAL#GATEHOUSE', tenant: 'GLOBAL#ANY_TENANT' };
  return [shelves[String(scope)] ?? partition(scope), ...(parent ? [`ROLE#${parent}`] : [])];
}

const sorted = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
