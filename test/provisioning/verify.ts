import type { Item } from '../../table/item.ts';
import { META, parseKey } from '../../table/keys.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { GUARDED_FIELDS } from './guarded.ts';

/** What must hold between the items of a table, whatever was written to it. An empty list is a clean bill. */
const key = (PK: string, SK: string) => `${PK} / ${SK}`;
const bare = ({ PK: _, SK: __, Type: ___, ...attributes }: Item) => attributes;
/** Edges with two ends, each with one mirror. */
const MIRRORED = new Set(['Membership', 'GroupRole', 'RolePermission', 'GlobalRole', 'Admin', 'TenantGrant']);
/** Ends that are no nodes. */
const isAnchor = (end: string) => end.startsWith('GLOBAL#') || end.startsWith('API#');

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
    if (Type === 'Guard') {
      const [type = '', id] = String(item.owner).split(':');
      const owner = all.get(key(`${type.toUpperCase()}#${id}`, META));
      const field = GUARDED_FIELDS[String(item.kind)] ?? '';
      if (!owner?.[field]) faults.push(`${key(PK, SK)} guards nothing`);
    }
  }
  for (const item of items.filter(({ SK }) => SK === META)) {
    const owner = ownerOf(item);
    if (owner && !all.has(key(owner, item.PK))) faults.push(`${item.PK} is not listed by ${owner}`);
    const rule = item.Type === 'Route' ? all.get(key(`API#${item.api}`, item.PK)) : undefined;
    const differs = ['method', 'path', 'permission', 'scope'].some((name) => rule?.[name] !== item[name]);
    if (item.Type === 'Route' && differs) faults.push(`${item.PK} and its rule differ`);
  }
  const guards = items.filter((item) => item.Type === 'Guard').length;
  const values = items
    .filter((item) => item.SK === META)
    .flatMap((item) =>
      Object.entries(GUARDED_FIELDS).filter(([kind, field]) => isGuarded(kind, item) && item[field]),
    );
  if (guards !== values.length) faults.push(`${guards} guards for ${values.length} values`);
  return faults;
}

/** The partition in which a node is listed, beside the list of all. */
function ownerOf({ Type, scope, parent }: Item): string | undefined {
  const partition = (ref: unknown) => {
    const [type = '', id] = String(ref).split(':');
    return `${type.toUpperCase()}#${id}`;
  };
  if (Type === 'Group') return partition(scope);
  if (Type === 'Location' && parent) return partition(parent);
  if (Type !== 'Role') return undefined;
  if (scope === 'global') return 'GLOBAL#GATEHOUSE';
  return scope === 'tenant' ? 'GLOBAL#ANY_TENANT' : partition(scope);
}

const isGuarded = (kind: string, { Type }: Item): boolean =>
  ({ TENANT_NAME: 'Tenant', ROLE_NAME: 'Role', LOCATION_CODE: 'Location', API_ROUTE: 'Route' })[kind] ===
    Type ||
  (Type === 'User' && ['EMAIL', 'PHONE', 'USERNAME'].includes(kind));

const sorted = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
