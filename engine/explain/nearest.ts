import type { PermissionFacts, ScopeFacts } from '../../table/decision/facts.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { type Need, needOwnedEffects, needScope } from '../needs.ts';
import type { DecisionReader } from '../store.ts';
import type { View } from '../view.ts';
import { MAX_SHOWN, type Nearest, type PeriodState, type Relation, type Some } from './explanation.ts';
import type { Names } from './names.ts';
import { type Hold, helpOf, holdState, roleRef, sourceOf, type Tables, tablesOf } from './ways.ts';

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

const rootOf = (place: ScopeFacts): string => place.ancestors.at(-1) ?? place.ref;

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

/** Tables have no order of their own, and the same question is to be answered in the same words. */
const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const RELATIONS: readonly Relation[] = ['here', 'above', 'below', 'beside', 'other_tenant'];

/** What would have helped, by what the view and the reads above tell. */
export function nearestOf(
  view: View,
  permission: string,
  held: Iterable<Hold>,
  elsewhere: Elsewhere,
  at: number,
  names: Names,
): Nearest {
  const { subject, scopes } = view;
  const here = scopes[0]?.ref;
  const tables = tablesOf(view);
  const root = scopes.at(-1);
  const denyOverrides = root?.combination === 'deny-overrides';

  const found: { hold: Hold; roles: readonly string[]; relation: Relation; period: PeriodState }[] = [];
  const consider = (hold: Hold, relation: Relation, known: Tables, isElsewhere: boolean) => {
    const period = holdState(hold, at);
    // On the path only the time can be wrong: what counts there has been looked at.
    if (!isElsewhere && period === 'holds') return;
    const help = helpOf(hold.role, permission, known, denyOverrides);
    if (help) found.push({ hold, roles: help.chain, relation, period });
  };
  for (const hold of held) {
    if ('scope' in hold) consider(hold, hold.scope === here ? 'here' : 'above', tables, false);
  }
  for (const hold of elsewhere.holds) {
    const place = 'scope' in hold ? elsewhere.places.get(hold.scope) : undefined;
    if (!place) continue;
    if (rootOf(place) === root?.ref) {
      consider(hold, place.ancestors.includes(here ?? '') ? 'below' : 'beside', tables, true);
    } else {
      const theirs = elsewhere.places.get(rootOf(place))?.roles ?? new Map();
      const owned = elsewhere.owned.get(rootOf(place)) ?? null;
      consider(hold, 'other_tenant', { ...tables, root: theirs, owned }, true);
    }
  }
  const rank = ({ relation, period }: (typeof found)[number]) =>
    RELATIONS.indexOf(relation) * 2 + (period === 'holds' ? 0 : 1);
  found.sort((one, other) => rank(one) - rank(other) || inOrder(one.hold.role, other.hold.role));

  const isMember = new Set(subject?.groups);
  const groups: { group: string; scope: string; role: string }[] = [];
  for (const scope of scopes) {
    const here = [...(scope?.groups ?? [])].sort(([one], [other]) => inOrder(one, other));
    for (const [group, carried] of here) {
      if (isMember.has(group)) continue;
      const role = carried.find((each) => helpOf(each, permission, tables, denyOverrides));
      if (role && scope) groups.push({ group, scope: scope.ref, role });
    }
  }

  const roles: { role: string; by: string; rank: number }[] = [];
  for (const role of new Set([...tables.root.keys(), ...tables.global.keys()])) {
    const help = helpOf(role, permission, tables, denyOverrides);
    const [own, levels] = [tables.root.has(role) ? 0 : 1, help?.chain.length ?? 0];
    if (help) roles.push({ role, by: help.by.name, rank: (help.width * 100 + levels) * 2 + own });
  }
  roles.sort((one, other) => one.rank - other.rank || inOrder(one.role, other.role));

  return {
    held: some(found, ({ hold, roles: chain, relation, period }) => ({
      from: sourceOf(hold, names),
      roles: chain.map((id) => names.of(roleRef(id))),
      relation,
      period,
    })),
    groups: some(groups, ({ group, scope, role }) => ({
      group: names.of(`group:${group}`),
      scope: names.of(scope),
      role: names.of(roleRef(role)),
    })),
    roles: some(roles, ({ role, by }) => ({ role: names.of(roleRef(role)), by })),
    lookedAt: elsewhere.lookedAt,
  };
}

/** The first few, shown; the rest is counted only. */
export const some = <T, S>(all: readonly T[], show: (one: T) => S): Some<S> => ({
  items: all.slice(0, MAX_SHOWN).map(show),
  more: Math.max(0, all.length - MAX_SHOWN),
});
