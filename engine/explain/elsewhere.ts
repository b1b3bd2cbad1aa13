import { withAllGroups } from '../../table/decision/all-groups.ts';
import { type ScopeItem, type SubjectItem, subjectWith } from '../../table/decision/items.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import { MAX_PAGE, type Reader } from '../../table/reader.ts';
import type { DecisionInput } from '../decision-input.ts';
import { type Holding, holdingsOf } from '../effective-roles.ts';
import { withGroupRoles } from '../group-roles.ts';
import { type DecisionReader, isOfItem } from '../item-cache.ts';
import {
  GROUP_ROLES,
  type Kind,
  SCOPE,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from '../items.ts';
import { readItems } from '../read-items.ts';
import { allowingEffect, isListed, permissionAt } from './derivations.ts';
import { MAX_SHOWN, type Suggestions } from './explanation.ts';

type ItemReader = Pick<DecisionReader, 'getMany'>;
type ElsewhereReader = ItemReader & Pick<Reader, 'list'>;

/** The subject's holdings off the path, as far as they were read. */
export interface Elsewhere {
  readonly holdings: readonly Holding[];
  readonly scopes: ReadonlyMap<string, ScopeItem>;
  /** By root: the effects of the roles that it owns. */
  readonly tenantEffects: ReadonlyMap<string, TenantEffects>;
  readonly lookedAt: Suggestions['lookedAt'];
}

/**
 * Reads where else the subject has roles: at most {@link MAX_SHOWN} each of its groups, assignments and
 * tenant grants off the path. At most four BatchGetItem calls: the groups, the scopes, the roles of groups that stand
 * apart there, and the effects of roles that other tenants own; before them one Query, where the subject's groups stand
 * apart, which finds those at the first {@link MAX_PAGE} scopes. The result only feeds suggestions, so damaged items are skipped.
 */
export async function readElsewhere(input: DecisionInput, reader: ElsewhereReader): Promise<Elsewhere> {
  const { scopes: path } = input;
  const subject = await withGroupsApart(input, reader);
  const onPath = new Set(path.map((scope) => scope?.ref));
  const groupsHere = new Set(path.flatMap((scope) => [...(scope?.groups.keys() ?? [])]));
  const listed = [...(subject?.groupsAt ?? [])].flatMap(([ref, ids]) => (onPath.has(ref) ? [] : ids));
  const groups = [...(subject?.groups ?? []).filter((id) => !groupsHere.has(id)), ...listed];
  const isUseful = mayHelp(input);
  const assigned = [...(subject?.assignments ?? [])].filter(
    ([ref, assignments]) => !onPath.has(ref) && assignments.some(({ role }) => isUseful(role)),
  );
  const granted = [...(subject?.grants ?? [])].filter(
    ([ref, roles]) => !onPath.has(ref) && roles.some(isUseful),
  );
  const some = <T>(all: readonly T[]): readonly T[] => all.slice(0, MAX_SHOWN);

  const assignedAt = new Set(some(assigned).map(([ref]) => ref));
  const grantedAt = new Set(some(granted).map(([ref]) => ref));

  const scopesOfGroups = await readMany(reader, GROUP, some(groups));
  const refs = [
    ...assignedAt,
    ...grantedAt,
    ...[...scopesOfGroups.values()].filter((ref) => !onPath.has(ref)),
  ];
  const scopes = await readMany(reader, SCOPE, refs);
  const isLookedAt = (holding: Holding): boolean => {
    if (holding.kind === 'group') return scopesOfGroups.has(holding.group);
    if (holding.kind === 'assignment') return assignedAt.has(holding.scope);
    return holding.kind === 'grant' && grantedAt.has(holding.scope);
  };
  const whole = await withLookedAt(subject, scopesOfGroups, [...scopes.values()], reader);
  // Each scope without its ancestors: a holding at an ancestor is found at that ancestor.
  const holdings = [...scopes.values()].flatMap((scope) =>
    holdingsOf(whole, { scopes: [scope] }).filter(isLookedAt),
  );
  const others = await readTenants(input, holdings, scopes, reader);
  return {
    holdings,
    scopes: new Map([...scopes, ...others.roots]),
    tenantEffects: others.effects,
    lookedAt: {
      groups: { of: groups.length, read: some(groups).length },
      assignments: { of: assigned.length, read: some(assigned).length },
      grants: { of: granted.length, read: some(granted).length },
    },
  };
}

/** The subject with all its groups, also where they stand apart; without those if one of their items is damaged. */
async function withGroupsApart({ question, subject }: DecisionInput, reader: ElsewhereReader) {
  if (!subject?.groupsApart) return subject;
  const listAll: Reader['listAll'] = async (query) =>
    (await reader.list({ ...query, limit: MAX_PAGE })).items;
  try {
    return await withAllGroups({ listAll }, parseRef(question.subject, 'subject'), subject);
  } catch (error) {
    if (isOfItem(error)) return subject;
    throw error;
  }
}

/** The subject with those groups alone of the ones by scope that are looked at, and with their roles. */
async function withLookedAt(
  subject: SubjectItem | null,
  scopesOfGroups: ReadonlyMap<string, string>,
  scopes: readonly ScopeItem[],
  reader: ItemReader,
): Promise<SubjectItem | null> {
  if (!subject || subject.groupsAt.size === 0) return subject;
  const groupsAt = new Map(
    [...subject.groupsAt].map(([ref, groups]) => [ref, groups.filter((group) => scopesOfGroups.has(group))]),
  );
  const [whole = null] = await withGroupRoles(
    reader,
    scopes,
    [subjectWith(subject, { groupsAt })],
    undamaged(GROUP_ROLES),
  );
  return whole;
}

/** The root of a scope's tree. */
export const rootOf = (scope: ScopeItem): string => scope.ancestors.at(-1) ?? scope.ref;

/** The scope of a group, by the group's id. */
const GROUP: Kind<string> = {
  keyOf: (id) => (isRef(`group:${id}`) ? nodeKey(parseRef(`group:${id}`, 'group')) : undefined),
  decode: (_, { scope }) => {
    if (typeof scope !== 'string' || !isRef(scope)) throw new TypeError('a group without a scope');
    return scope;
  },
};

/** Reads the roots of other tenants, and the effects of the roles that they own on the permission. */
async function readTenants(
  { question, scopes: path, global }: DecisionInput,
  holdings: readonly Holding[],
  scopes: ReadonlyMap<string, ScopeItem>,
  reader: ItemReader,
) {
  const wanted = new Set<string>();
  for (const holding of holdings) {
    const scope = 'scope' in holding ? scopes.get(holding.scope) : undefined;
    // The effects of global roles are in the decision input already.
    if (scope && rootOf(scope) !== path.at(-1)?.ref && !global.roles.has(holding.role))
      wanted.add(rootOf(scope));
  }
  // At most 60 roots; at most 40 of them unread, since the roots of grants are in `scopes`: 100 keys, one
  // call.
  const refs = [...wanted];
  const unread = refs.filter((ref) => !scopes.has(ref));
  const effectsIds = refs.map((ref) => tenantEffectsId(ref, question.permission ?? ''));
  const items: readonly unknown[] = await readItems(
    reader,
    ...unread.map((id) => ({ kind: undamaged(SCOPE), id })),
    ...effectsIds.map((id) => ({ kind: undamaged(TENANT_EFFECTS), id })),
  );
  return {
    roots: found(unread, items.slice(0, unread.length) as readonly (ScopeItem | null)[]),
    effects: found(refs, items.slice(unread.length) as readonly (TenantEffects | null)[]),
  };
}

/** Reads items in one call, without those that are absent or damaged. */
async function readMany<T>(
  reader: ItemReader,
  kind: Kind<T>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const unique = [...new Set(ids)];
  return found(
    unique,
    await readItems<(T | null)[]>(reader, ...unique.map((id) => ({ kind: undamaged(kind), id }))),
  );
}

const found = <T>(ids: readonly string[], items: readonly (T | null)[]): ReadonlyMap<string, T> =>
  new Map(
    ids.flatMap((id, position) => {
      const item = items[position] ?? null;
      return item === null ? [] : [[id, item] as const];
    }),
  );

/** The same kind, with damaged items treated as absent. */
const undamaged = <T>(kind: Kind<T>): Kind<T | null> => ({
  keyOf: kind.keyOf,
  decode: (...given) => {
    try {
      return kind.decode(...given);
    } catch {
      return null;
    }
  },
});

/** Whether a role might allow the permission somewhere, judged without further reads. */
function mayHelp(input: DecisionInput): (role: string) => boolean {
  const permission = permissionAt(input);
  return (role) => !isListed(role, permission) || allowingEffect(role, permission, false) !== undefined;
}
