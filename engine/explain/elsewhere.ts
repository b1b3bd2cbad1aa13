import type { PermissionFacts, ScopeFacts } from '../../table/decision/facts.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { type Need, needOwnedEffects, needScope } from '../needs.ts';
import type { DecisionReader } from '../store.ts';
import type { View } from '../view.ts';
import { MAX_SHOWN, type Nearest } from './explanation.ts';
import { type Hold, helpOf, tablesOf } from './ways.ts';

/** What the subject holds off the path, as far as it was read. */
export interface Elsewhere {
  readonly holds: readonly Hold[];
  readonly places: ReadonlyMap<string, ScopeFacts>;
  /** Effects of the roles that a root owns, by root. */
  readonly owned: ReadonlyMap<string, PermissionFacts>;
  readonly lookedAt: Nearest['lookedAt'];
}

/**
 * Reads where else the subject holds roles: at most {@link MAX_SHOWN} each of its groups, of the scopes of its
 * assignments and of its grants that are not on the path. Three BatchGetItem calls at most: the groups, the scopes,
 * and the effects of what other tenants own. These are hints: a damaged item among them is passed over.
 */
export async function readElsewhere(
  view: View,
  permission: string,
  reader: Pick<DecisionReader, 'getMany'>,
): Promise<Elsewhere> {
  const { subject, scopes } = view;
  const onPath = new Set(scopes.map((scope) => scope?.ref));
  const groupsHere = new Set(scopes.flatMap((scope) => [...(scope?.groups.keys() ?? [])]));
  const groups = (subject?.groups ?? []).filter((id) => !groupsHere.has(id));
  const mayHelp = couldHelp(view, permission);
  const assigned = [...(subject?.assignments ?? [])].filter(
    ([ref, held]) => !onPath.has(ref) && held.some(({ role }) => mayHelp(role)),
  );
  const granted = [...(subject?.grants ?? [])].filter(
    ([ref, held]) => !onPath.has(ref) && held.some(mayHelp),
  );
  const [someGroups, someAssigned, someGranted] = [
    groups.slice(0, MAX_SHOWN),
    assigned.slice(0, MAX_SHOWN),
    granted.slice(0, MAX_SHOWN),
  ];

  const groupNodes = await readMany(
    reader,
    someGroups.filter((id) => isRef(`group:${id}`)),
    (id) => ({ id, key: nodeKey(parseRef(`group:${id}`, 'group')), decode: scopeOfGroup }),
  );
  const refs = new Set([
    ...[...someAssigned, ...someGranted].map(([ref]) => ref),
    ...[...groupNodes.values()].filter((ref) => !onPath.has(ref)),
  ]);
  const places = new Map(await readMany(reader, [...refs], (ref) => needScope(ref)));

  const holds: Hold[] = [];
  for (const [id, scope] of groupNodes) {
    for (const role of places.get(scope)?.groups.get(id) ?? [])
      holds.push({ kind: 'group', group: id, scope, role });
  }
  for (const [scope, held] of someAssigned)
    for (const each of held) holds.push({ kind: 'assignment', scope, ...each });
  for (const [scope, held] of someGranted)
    for (const role of held) holds.push({ kind: 'grant', scope, role });

  const owned = await readOwned(view, permission, holds, places, reader);
  return {
    holds,
    places,
    owned,
    lookedAt: {
      groups: { of: groups.length, read: someGroups.length },
      assignments: { of: assigned.length, read: someAssigned.length },
      grants: { of: granted.length, read: someGranted.length },
    },
  };
}

/** The root of the tree that it stands in. */
export const rootOf = (place: ScopeFacts): string => place.ancestors.at(-1) ?? place.ref;

/** Where a group stands. Never `undefined`: a node without a scope is damaged. */
function scopeOfGroup({ scope }: Item): string {
  if (typeof scope !== 'string' || !isRef(scope)) throw new TypeError('a group without a scope');
  return scope;
}

/** Reads the roots of other tenants, and what the roles that they own do to the permission. */
async function readOwned(
  view: View,
  permission: string,
  holds: readonly Hold[],
  places: Map<string, ScopeFacts>,
  reader: Pick<DecisionReader, 'getMany'>,
): Promise<ReadonlyMap<string, PermissionFacts>> {
  const own = view.scopes.at(-1)?.ref;
  const roots = new Set<string>();
  for (const hold of holds) {
    const place = 'scope' in hold ? places.get(hold.scope) : undefined;
    // What everybody knows of a global role is known here already.
    if (place && rootOf(place) !== own && !view.global.roles.has(hold.role)) roots.add(rootOf(place));
  }
  // At most 60 roots, and of these at most 40 unread, since those of grants are places: 100 keys, one call.
  const asked = [...roots];
  const unread = asked.filter((ref) => !places.has(ref)).map((ref) => needScope(ref));
  const effects = asked.map((ref) => needOwnedEffects(ref, permission));
  const found = await readMany<string, ScopeFacts | PermissionFacts>(
    reader,
    [...unread, ...effects].flatMap((need) => (need ? [need.id] : [])),
    (id) => [...unread, ...effects].find((need) => need?.id === id),
  );
  for (const need of unread) {
    const facts = need && found.get(need.id);
    if (facts) places.set(need.id, facts as ScopeFacts);
  }
  return new Map(
    asked.flatMap((ref, position) => {
      const facts = found.get(effects[position]?.id ?? '');
      return facts ? [[ref, facts as PermissionFacts] as const] : [];
    }),
  );
}

/** Reads and decodes in one call; without what is absent or damaged. Nothing is read for nothing. */
async function readMany<K extends string, T>(
  reader: Pick<DecisionReader, 'getMany'>,
  ids: readonly K[],
  needOf: (id: K) => Omit<Need<T>, 'kind'> | undefined,
): Promise<ReadonlyMap<K, T>> {
  const needs = ids.flatMap((id) => {
    const need = needOf(id);
    return need ? [[id, need] as const] : [];
  });
  if (needs.length === 0) return new Map();
  const items = await reader.getMany(needs.map(([, { key }]) => key));
  return new Map(
    needs.flatMap(([id, { decode }], position) => {
      const item = items[position];
      if (!item) return [];
      try {
        return [[id, decode(item)] as const];
      } catch {
        return [];
      }
    }),
  );
}

/** Whether a role may allow the permission somewhere, as far as it can be told here without reading. */
function couldHelp(view: View, permission: string): (role: string) => boolean {
  const tables = tablesOf(view);
  const isKnown = (role: string) => tables.root.has(role) || tables.global.has(role);
  return (role) => !isKnown(role) || helpOf(role, permission, tables, false) !== undefined;
}
