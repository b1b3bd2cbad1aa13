import { type ScopeItem, type SubjectItem, subjectWith } from '../table/decision/items.ts';
import type { Reader } from '../table/reader.ts';
import { GROUP_ROLES, groupRolesId, type Kind } from './items.ts';
import { readItems } from './read-items.ts';

/**
 * Subjects with the roles of their groups at those of these scopes whose groups stand apart (ADR 0003): one call, none
 * where no scope is so. For candidates and suggestions; a decision input reads them itself.
 *
 * @param kind how they are decoded
 * @throws GatehouseError as the reader does, `damaged_item`
 */
export async function withGroupRoles<S extends SubjectItem | null>(
  reader: Pick<Reader, 'getMany'>,
  scopes: readonly ScopeItem[],
  subjects: readonly S[],
  kind: Kind<readonly string[] | null> = GROUP_ROLES,
): Promise<readonly S[]> {
  const apart = scopes.filter(({ groupsApart }) => groupsApart);
  const groupsAt = (subject: S): readonly string[] =>
    apart.flatMap(({ ref }) => subject?.groupsAt.get(ref) ?? []);
  const groups = [...new Set(subjects.flatMap(groupsAt))];
  if (groups.length === 0) return subjects;
  const read = await readItems<(readonly string[] | null)[]>(
    reader,
    ...groups.map((group) => ({ kind, id: groupRolesId(group) })),
  );
  const roles = new Map(groups.map((group, position) => [group, read[position] ?? []]));
  return subjects.map((subject) => {
    const own = groupsAt(subject);
    if (!subject || own.length === 0) return subject;
    const groupRoles = new Map(subject.groupRoles);
    for (const group of own) groupRoles.set(group, roles.get(group) ?? []);
    return subjectWith(subject, { groupRoles }) as S;
  });
}
