import type { SubjectItem } from '../../table/decision/items.ts';
import { parseRef } from '../../table/identifiers.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { SearchReader } from './sources.ts';

/**
 * The scopes at which roles are granted to a subject directly: by an assignment, a tenant grant or a group.
 */
export async function grantedScopes(
  reader: SearchReader,
  ref: string,
  subject: SubjectItem,
): Promise<ReadonlySet<string>> {
  const memberships =
    subject.groups.length > 0 ? await reader.listAll(edgesFrom(parseRef(ref, 'subject'), 'group')) : [];
  return new Set([
    ...subject.assignments.keys(),
    ...subject.grants.keys(),
    ...memberships.map(({ scope }) => String(scope)),
  ]);
}
