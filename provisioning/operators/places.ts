import { ENTITIES, entityOf } from '../../table/entities/registry.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isId, isRef, parseRef, parseSubjectRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { approvalKey, type Key, nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { tenantOf } from '../kinds/node-kind.ts';

/** Where a command acts, as far as its input says: what a field names, and whose it is. */
export interface Place {
  readonly field: string;
  /** Undefined for what does not exist, and for what belongs to no tenant. */
  readonly tenant: Ref | undefined;
}

type Input = Readonly<Record<string, unknown>>;

/** Something that a field names. */
interface Named {
  readonly field: string;
  readonly key: Key;
  readonly tenants: (item: Item) => readonly (Ref | undefined)[];
  /** What belongs to no tenant may be used in any, as a global role. */
  readonly mayBeShared?: true;
}

/** Fields that hold a reference to a scope. */
const SCOPES = ['scope', 'parent', 'tenant', 'account', 'enterprise', 'workstream', 'scopes'];

const refIn = (item: Item, attribute: string): Ref | undefined => {
  const value = item[attribute];
  return typeof value === 'string' && isRef(value) ? parseRef(value, attribute) : undefined;
};
const rootIn = (item: Item) => [refIn(item, 'root')];
const ofConnection = (item: Item) => [refIn(item, 'scope')];
const ofRole = (item: Item) => [tenantOf(ENTITIES.role, item)];

/** Lists of a user that are of all tenants: the tenant that lists the user has no say in them. */
const OF_ALL_TENANTS = new Set(['user.read-all', 'user.access']);

/** What the field `id` names. */
function namedById(command: string, { id }: Input): readonly Named[] {
  const [entity = '', verb = ''] = command.split('.');
  if (typeof id !== 'string' || verb === 'create' || OF_ALL_TENANTS.has(command)) return [];
  if (entity === 'approval')
    return [{ field: 'id', key: approvalKey(id), tenants: (item) => placesKept(item) }];
  if (!isId(id)) return [];
  const at = (key: Key, tenants: Named['tenants']): readonly Named[] => [
    // Any tenant may take what a template lends.
    { field: 'id', key, tenants, ...(command === 'role-template.apply' ? { mayBeShared: true } : {}) },
  ];
  const known = entityOf(entity);
  if (entity === 'grant') return at(nodeKey({ type: entity, id }), (item) => [refIn(item, 'scope')]);
  return known ? at(nodeKey({ type: entity, id }), (item) => [tenantOf(known, item)]) : [];
}

/** The subject of an added type that a command is about. */
function namedByUser(command: string, { user }: Input): readonly Named[] {
  if (!/^subject\.(?:read|update|delete)$/.test(command) || typeof user !== 'string' || !isRef(user))
    return [];
  const tenants = (item: Item) => [tenantOf(ENTITIES.subject, item)];
  return [{ field: 'user', key: nodeKey(parseSubjectRef(user, 'user')), tenants }];
}

/** The user whose own settings are asked for: they are the tenant's that lists the user. */
function namedWithSettings(command: string, { user }: Input): readonly Named[] {
  if (command !== 'setting.resolve' || typeof user !== 'string' || !isId(user)) return [];
  const tenants = (item: Item) => [tenantOf(ENTITIES.user, item)];
  return [{ field: 'user', key: nodeKey({ type: 'user', id: user }), tenants }];
}

/** The tenants of a request for approval; undefined stands for what belongs to none. */
export const placesKept = ({ places }: Item): readonly (Ref | undefined)[] =>
  Array.isArray(places)
    ? places.map((place) => (isRef(String(place)) ? parseRef(String(place), 'places') : undefined))
    : [undefined];

/** What an input names of tenants and of what is theirs. */
export function namedIn(command: string, input: Input): readonly Named[] {
  const [entity] = command.split('.');
  const texts = (value: unknown): readonly string[] =>
    [value].flat().filter((each) => typeof each === 'string');
  const scopes = SCOPES.flatMap((field) =>
    texts(input[field])
      .filter((text) => isRef(text) && mayBeScopeType(parseRef(text, field).type))
      .map((text): Named => ({ field, key: nodeKey(parseRef(text, field)), tenants: rootIn })),
  );
  const nodes = (field: string, type: string, tenants: Named['tenants']) =>
    texts(input[field])
      .filter(isId)
      .map((id): Named => ({ field, key: nodeKey({ type, id }), tenants, mayBeShared: true }));
  return [
    ...namedById(command, input),
    ...namedByUser(command, input),
    ...scopes,
    ...nodes('group', 'group', rootIn),
    ...nodes('connection', 'scim-connection', ofConnection),
    ...(command === 'mandate.use' ? nodes('mandate', 'mandate', rootIn) : []),
    ...nodes('role', 'role', ofRole),
    ...nodes('roles', 'role', ofRole),
    ...namedWithSettings(command, input),
    ...(entity === 'role' ? nodes('parent', 'role', ofRole) : []),
  ];
}

/** What an input names of tenants. Empty for one that says nothing of where it acts. */
export async function placesOf(reader: Reader, command: string, input: Input): Promise<readonly Place[]> {
  const named = namedIn(command, input);
  const found = named.length > 0 ? await reader.getMany(named.map(({ key }) => key)) : [];
  const items = new Map(named.map(({ key }, position) => [key, found[position]]));
  return tenantsOf(named, (key) => items.get(key));
}

/** Whose that is which an input names. */
export const tenantsOf = (
  named: readonly Named[],
  itemOf: (key: Key) => Item | undefined,
): readonly Place[] =>
  named.flatMap(({ field, key, tenants, mayBeShared }): readonly Place[] => {
    const item = itemOf(key);
    if (!item) return [{ field, tenant: undefined }];
    return tenants(item).flatMap((tenant) => (tenant || !mayBeShared ? [{ field, tenant }] : []));
  });
