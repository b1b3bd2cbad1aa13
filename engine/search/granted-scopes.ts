import { groupAttribute } from '../../table/decision/attributes.ts';
import { groupsOf, type SubjectItem } from '../../table/decision/items.ts';
import { parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import { decisionKey, EVERYONE_LIST } from '../../table/keys.ts';
import { isInForce, readOrigins } from '../../table/membership-origins.ts';
import { edgesFrom, ownedBy } from '../../table/partition-queries.ts';
import { MAX_PAGE } from '../../table/reader.ts';
import type { SearchReader } from './sources.ts';

/** Where roles are granted to a subject directly. */
export interface Granted {
  readonly scopes: ReadonlySet<string>;
  /** Scope → its groups there, as the edges say: wherever its item lists them, be it on the way elsewhere (ADR 0003). */
  readonly groupsAt: ReadonlyMap<string, readonly string[]>;
}

const OF_EVERYONE = ownedBy(EVERYONE_LIST, 'group');

/**
 * The scopes whose group of everyone carries a role: without one it grants nothing. Any tenant makes such groups.
 *
 * @returns undefined if there are too many groups of everyone to look at
 */
export async function scopesOfEveryone(reader: SearchReader): Promise<readonly string[] | undefined> {
  const { items, cursor } = await reader.list({ ...OF_EVERYONE, limit: MAX_PAGE });
  if (cursor !== undefined) return undefined;
  const groups = items.map(({ scope, id }) => ({ scope: String(scope), roles: groupAttribute(String(id)) }));
  // Its roles are in the item of its scope, also where those of other groups stand apart.
  const scopes = await reader.getMany(groups.map(({ scope }) => decisionKey(parseRef(scope, 'scope'))));
  return groups.flatMap(({ scope, roles }, at) => (scopes[at]?.[roles] === undefined ? [] : [scope]));
}

/**
 * The scopes at which roles are granted to a subject directly: by an assignment, a tenant grant or a group; those
 * with a group of everyone grant them to every subject.
 *
 * @param ofEveryone the latter, where they are known
 */
export async function grantedScopes(
  reader: SearchReader,
  ref: string,
  subject: SubjectItem,
  ofEveryone?: readonly string[],
): Promise<Granted> {
  const [everyone, memberships] = await Promise.all([
    ofEveryone ?? reader.listAll(OF_EVERYONE).then((items) => items.map(({ scope }) => String(scope))),
    groupsOf(subject).length > 0 || subject.groupsApart
      ? reader.listAll(edgesFrom(parseSubjectRef(ref, 'subject'), 'group'))
      : [],
  ]);
  const groupsAt = new Map<string, string[]>();
  const counting = memberships.filter((edge) => isInForce(readOrigins(edge)));
  for (const { Type, scope, group } of counting) {
    if (Type !== 'Membership') continue;
    const known = groupsAt.get(String(scope));
    if (known) known.push(String(group));
    else groupsAt.set(String(scope), [String(group)]);
  }
  const scopes = new Set([
    ...subject.assignments.keys(),
    ...subject.grants.keys(),
    ...everyone,
    ...counting.map(({ scope }) => String(scope)),
  ]);
  return { scopes, groupsAt };
}
