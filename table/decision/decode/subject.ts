import type { Item } from '../../item.ts';
import { Attribute } from '../attributes.ts';
import type { Assignment, SubjectFacts } from '../facts.ts';
import { compoundsOf, damaged, idSet, instant, interval, isActive, NONE, plain } from './values.ts';

const PLAIN = plain(
  Attribute.status,
  Attribute.endsAt,
  Attribute.isAdmin,
  Attribute.groups,
  Attribute.globalRoles,
);

/** What most subjects are beside their groups. It stands behind each of them, so that one takes few bytes. */
const ORDINARY: Omit<SubjectFacts, 'groups'> = {
  active: true,
  endsAt: Number.POSITIVE_INFINITY,
  isAdmin: false,
  globalRoles: NONE,
  grants: new Map(),
  assignments: new Map(),
};

const ordinary = (groups: readonly string[]): SubjectFacts =>
  ({ __proto__: ORDINARY, groups }) as unknown as SubjectFacts;

export function decodeSubject(item: Item): SubjectFacts {
  const grants = new Map<string, readonly string[]>();
  const assignments = new Map<string, Assignment[]>();
  for (const { name, parts } of compoundsOf(item, PLAIN)) {
    const [kind, scope = '', role, ...rest] = parts;
    if (kind === 'grant' && role === undefined) grants.set(scope, idSet(item, name));
    else if (kind === 'assign' && role !== undefined && rest.length === 0) {
      const list = assignments.get(scope) ?? [];
      list.push({ role, ...interval(item, name) });
      assignments.set(scope, list);
    } else throw damaged(item, name);
  }
  const { [Attribute.isAdmin]: isAdmin = false, [Attribute.endsAt]: endsAt } = item;
  if (typeof isAdmin !== 'boolean') throw damaged(item, Attribute.isAdmin);
  const active = isActive(item);
  const groups = idSet(item, Attribute.groups);
  const globalRoles = idSet(item, Attribute.globalRoles);
  const holdsMore = isAdmin || globalRoles.length > 0 || grants.size > 0 || assignments.size > 0;
  if (active && endsAt === undefined && !holdsMore) return ordinary(groups);
  return {
    active,
    endsAt: endsAt === undefined ? Number.POSITIVE_INFINITY : instant(item, Attribute.endsAt, endsAt),
    isAdmin,
    groups,
    globalRoles,
    grants: grants.size > 0 ? grants : ORDINARY.grants,
    assignments: assignments.size > 0 ? assignments : ORDINARY.assignments,
  };
}
