import { notedOf } from '../../provisioning/nodes/gates.ts';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, isOfDecision, META, parseKey } from '../../table/keys.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { isEmptied } from './support.ts';

const key = (PK: string, SK: string) => `${PK} / ${SK}`;
const bare = ({ PK: _, SK: __, Type: ___, ...attributes }: Item) => attributes;
/** Edges with two ends, each with one mirror. */
const MIRRORED = new Set([
  ...['Membership', 'GroupRole', 'RolePermission', 'GlobalRole', 'Admin'],
  ...['WorkstreamMember', 'EnterpriseProduct', 'EnterpriseService'],
]);
/** Ends that are no nodes. */
const isAnchor = (end: string) => /^(?:GLOBAL|API|SETTING)#/.test(end);
const SCOPE_LABELS: ReadonlySet<unknown> = new Set(Object.values(SCOPES).map(({ label }) => label));
/** What an edge does not repeat of its node: bookkeeping, what a subject has everywhere, and secrets. */
const NOT_REPEATED = /^(?:GSI\d[PS]K|PK|SK|Type|rev|owned|roles|isAdmin|hash|lastCredential)$/;
/** Nor what is under way with the node, and passes. */
const settled = ({ deletingSince: _, movingTo: __, ...node }: Item) => node as Item;

/** The partition of a reference, `technical-user:id`. */
const partition = (ref: unknown) => {
  const [, type = '', id] = /^([^:]*):(.*)$/.exec(String(ref)) ?? [];
  return `${type.toUpperCase().replaceAll('-', '_')}#${id}`;
};
/** The partition of who acts: a user by id, a technical user or one of an added type by reference. */
const partitionOfSubject = (text: unknown) => {
  if (!String(text).includes(':')) return `USER#${text}`;
  return /^(?:user|technical-user):/.test(String(text)) ? partition(text) : `SUBJECT#${text}`;
};

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
    if (!twin || !isSame(bare(twin), bare(item))) {
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
    if (parsed?.form === 'gate') {
      for (const name of Object.keys(item).filter((each) => each.includes(':'))) {
        const node = all.get(key(partition(name), META));
        const isSo = node !== undefined && node.deletingSince === undefined && item[name] === notedOf(node);
        if (!isSo) faults.push(`${key(PK, SK)} says of ${name} what is not so`);
      }
    }
    if (isOfDecision(parsed)) {
      // The effects of global roles on what is not registered any more would come back with it.
      if (!isEmptied(item)) expectNode(PK, item);
    }
    if (Type === 'RolePermission' && PK.startsWith('ROLE#') && item.effect === 'DENY') {
      const isExact = !isPermissionPattern(String(item.permission));
      const owner = String(item.roleScope);
      const noted = all.get(key(partition(owner), 'DECISION'))?.denials;
      const isNoted = noted instanceof Set && noted.has(item.permission);
      if (isExact && owner.includes(':') && !isNoted)
        faults.push(`${key(PK, SK)} is a DENY that its root has not noted`);
    }
    if (Type === 'Ownership') {
      const owned = all.get(key(SK, META));
      if (!owned || !ownersOf(owned).includes(PK)) faults.push(`${key(PK, SK)} lists what is not its own`);
      else if (!isSame(shown(item), shown(settled(owned))))
        faults.push(`${key(PK, SK)} does not repeat its node`);
      if (partition(item.owned) !== SK && !SK.endsWith(`#${String(item.owned).split(':')[1]}`))
        faults.push(`${key(PK, SK)} names another node`);
    }
    if (MIRRORED.has(String(Type)) && SK !== META) expectTwin(item, SK, PK);
    if (Type === 'TenantGrant') {
      const [user, root] = [partitionOfSubject(item.user), partition(item.scope)];
      // A technical user stands in its account's partition already, as what the account owns.
      const inRoot = user.startsWith('USER#') ? user : `GRANT#${user}`;
      expectTwin(item, user, root);
      expectTwin(item, root, inRoot);
      expectTwin(item, `GRANT#${item.id}`, META);
      for (const role of item.roles as string[]) {
        const mirror = `GRANT#${partition(item.scope)}#${partitionOfSubject(item.user)}`;
        if (!all.has(key(`ROLE#${role}`, mirror))) faults.push(`${key(PK, SK)} is not known to role ${role}`);
      }
    }
    if (Type === 'GrantRole') {
      const grant = all.get(key(`GRANT#${item.grant}`, META));
      const holds = (grant?.roles as string[] | undefined)?.includes(String(item.role));
      if (!holds) faults.push(`${key(PK, SK)} is of a grant that does not hold the role`);
    }
    if (Type === 'Assignment') {
      const [u, s, r] = [partitionOfSubject(item.user), partition(item.scope), `ROLE#${item.role}`];
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
    if (item.Type === 'Route' && !all.has(key(`API#${item.api}`, 'DECISION')))
      faults.push(`${item.PK} is of an API without a revision`);
    const differs = ['method', 'path', 'permission', 'scope'].some(
      (name) => JSON.stringify(rule?.[name]) !== JSON.stringify(item[name]),
    );
    if (item.Type === 'Route' && differs) faults.push(`${item.PK} and its rule differ`);
    if (SCOPE_LABELS.has(item.Type)) faults.push(...misplaced(item, all));
  }
  const values = items.filter(({ SK }) => SK === META).flatMap(guardsOf);
  for (const { PK, owner } of values) {
    if (all.get(key(PK, META))?.owner !== owner) faults.push(`${PK} is not guarded for ${owner}`);
  }
  const guards = items.filter((item) => item.Type === 'Guard').length;
  if (guards !== values.length) faults.push(`${guards} guards for ${values.length} values`);
  const names = items.filter(({ SK }) => SK === META).flatMap(namesOf);
  for (const { PK, SK, value, above } of names) {
    const item = all.get(key(PK, SK));
    const [found, path] = [item?.values as string[] | undefined, (item?.above ?? []) as string[]];
    if (!found?.includes(value) || path.join() !== above.join())
      faults.push(`${SK} is not found by ${value} below ${above.join()}`);
  }
  const known = new Set(names.map(({ PK, SK }) => key(PK, SK)));
  for (const { PK, SK } of items.filter((item) => item.Type === 'NodeName'))
    if (!known.has(key(PK, SK))) faults.push(`${key(PK, SK)} is a name that no node has`);
  return faults;
}

/** The names by which a node is to be found. */
function namesOf(node: Item) {
  const named = Object.values<Entity>(ENTITIES).find(({ label }) => label === node.Type)?.named;
  return (named?.by ?? []).flatMap((attribute) => {
    if (typeof node[attribute] !== 'string') return [];
    const value = node[attribute].normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
    const PK = `NAMES#${named?.kind.toUpperCase().replace('-', '_')}#${value.split('/').at(-1)}`;
    const above = [node[named?.above ?? '']].flat().filter((each) => String(each).includes(':'));
    return [{ PK, SK: node.PK, value, above: above as string[] }];
  });
}

/**
 * A scope's path is that of its parent, one longer, and ends at its root. Below a scope that is being moved in
 * steps it has to be right up to there only: what is above is the old path or the new one.
 */
function misplaced(scope: Item, all: ReadonlyMap<string, Item>): readonly string[] {
  const path = scope.ancestors as string[];
  let at = scope;
  let moves = false;
  for (const above of path) {
    if (at.parent !== above) return [`${scope.PK} has ${above} in its path, where ${at.parent} stands`];
    const node = all.get(key(partition(above), META));
    if (!node) return [`${scope.PK} stands under ${above}, which is not there`];
    at = node;
    if (at.movingTo !== undefined) {
      moves = true;
      break;
    }
  }
  if (!moves && at.parent !== undefined) return [`the path of ${scope.PK} ends below ${at.parent}`];
  const root = path.at(-1) ?? scope.PK;
  return partition(scope.root) === (path.length > 0 ? partition(root) : root)
    ? []
    : [`${scope.PK} is not of its root`];
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
function ownersOf(node: Item): readonly string[] {
  const { Type, scope, parent, account, enterprise, workstream, module, user } = node;
  if (SCOPE_LABELS.has(Type)) {
    const path = (node.ancestors as string[]) ?? [];
    // A building lists what stands in its zones, an enterprise the workstreams that are linked to it.
    const building = path[0]?.startsWith('zone:')
      ? path.find((ref) => ref.startsWith('building:'))
      : undefined;
    return [parent, building, enterprise].filter((ref) => ref !== undefined).map(partition);
  }
  const moduleOf = module === undefined ? [] : [`MODULE#${module}`];
  if (Type === 'Group') return [partition(scope), ...(node.everyone === true ? ['GLOBAL#EVERYONE'] : [])];
  if (Type === 'ExternalGroup') return [partition(scope), `GROUP#${node.group}`];
  if (Type === 'Invariant') return [partition(scope)];
  if (Type === 'Domain') return [partition(node.tenant)];
  if (Type === 'ScimConnection') return [partition(scope)];
  if (Type === 'ScimCredential') return [`SCIM_CONNECTION#${node.connection}`];
  if (Type === 'ScimGroup') return [`SCIM_CONNECTION#${node.connection}`, `GROUP#${node.group}`];
  if (Type === 'ScimUser') return [`SCIM_CONNECTION#${node.connection}`, partitionOfSubject(user)];
  if (Type === 'Subscription') return [partition(scope), ...moduleOf];
  if (Type === 'License') return [partition(account), partition(enterprise)];
  if (Type === 'TechnicalUser' || Type === 'Address') return [partition(account)];
  if (Type === 'Tool') return [partition(workstream)];
  if (Type === 'AuthToken' || Type === 'LoginSession') return [partitionOfSubject(user)];
  if (Type === 'Mandate')
    return [
      ...[node.subject, node.actor].map(partitionOfSubject),
      ...(node.scopes as string[]).map(partition),
    ];
  if (Type === 'Page') return moduleOf;
  if (Type === 'ScopeType') return ['GLOBAL#SCOPE_TYPES'];
  if (Type !== 'Role') return [];
  const owners: Record<string, string> = { global: 'GLOBAL#GATEHOUSE', tenant: 'GLOBAL#ANY_TENANT' };
  return [owners[String(scope)] ?? partition(scope), ...(parent ? [`ROLE#${parent}`] : [])];
}

/** What callers are shown of a node, and the time at which it goes by itself. */
const shown = (item: Item) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !NOT_REPEATED.test(name)));

const isSame = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** With the keys in order, at every depth. */
const sorted = (value: unknown): unknown => {
  if (value instanceof Set) return [...value].sort();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
};
