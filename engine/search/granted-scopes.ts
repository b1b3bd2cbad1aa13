import { groupsOf, type SubjectItem } from '../../table/decision/items.ts';
import { isSurelyRoot, mayBeRoot } from '../../table/entities/scope-types.ts';
import { parseSubjectRef } from '../../table/identifiers.ts';
import { EVERYONE_LIST } from '../../table/keys.ts';
import { isInForce, readOrigins } from '../../table/membership-origins.ts';
import { edgesFrom, ownedBy } from '../../table/partition-queries.ts';
import { MAX_PAGE } from '../../table/reader.ts';
import type { SearchReader } from './sources.ts';

/** Where roles are granted to a subject directly. */
export interface Granted {
  readonly scopes: ReadonlySet<string>;
  /** Those of them where it is not by a group of everyone alone. */
  readonly own: ReadonlySet<string>;
  /** Scope → its groups there, as the edges say: wherever its item lists them, be it on the way elsewhere (ADR 0003). */
  readonly groupsAt: ReadonlyMap<string, readonly string[]>;
}

/**
 * The scopes at which roles are granted to a subject directly: by an assignment, a tenant grant or a group; those
 * with a group of everyone grant them to every subject.
 *
 * @param most read so many groups of everyone at most, or none; all when left out
 */
export async function grantedScopes(
  reader: SearchReader,
  ref: string,
  subject: SubjectItem,
  most?: number,
): Promise<Granted> {
  const ofEveryone = ownedBy(EVERYONE_LIST, 'group');
  const [everyone, memberships] = await Promise.all([
    most === undefined
      ? reader.listAll(ofEveryone)
      : most === 0
        ? []
        : reader.list({ ...ofEveryone, limit: Math.min(most, MAX_PAGE) }).then(({ items }) => items),
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
  const own = new Set([
    ...subject.assignments.keys(),
    ...subject.grants.keys(),
    ...counting.map(({ scope }) => String(scope)),
  ]);
  return { scopes: new Set([...own, ...everyone.map(({ scope }) => String(scope))]), own, groupsAt };
}

/** The scopes that may be roots. First those that surely are: a tenant makes as many others as it likes. */
export const likelyRoots = (refs: readonly string[]): readonly string[] => [
  ...refs.filter(isSurelyRoot),
  ...refs.filter((ref) => !isSurelyRoot(ref) && mayBeRoot(ref)),
];
