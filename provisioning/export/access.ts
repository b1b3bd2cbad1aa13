import { groupBy } from '../../table/group-by.ts';
import { type Row, without } from '../apply/entry.ts';
import type { NamesBySection } from './exported-names.ts';
import type { Gathered } from './gather.ts';

/** What somebody has, in the words of a manifest. */
export function accessBy({ edges }: Gathered, names: NamesBySection): (person: string) => Row {
  const byPerson = Object.fromEntries(
    Object.entries(edges).map(([word, rows]) => [word, groupBy(rows, ({ user }) => String(user))]),
  ) as Record<keyof Gathered['edges'], ReadonlyMap<string, readonly Row[]>>;
  const rolesIn = (roles: unknown) => ((roles ?? []) as readonly unknown[]).map(names.roles.of);
  return (person) => {
    const had = (word: keyof Gathered['edges']) => byPerson[word].get(person) ?? [];
    const grants = had('grants').map(({ scope, roles }) => [names.scopes.of(scope), rolesIn(roles)]);
    return {
      admin: had('admin').length > 0 || undefined,
      groups: had('groups').map(({ group }) => names.groups.of(group)),
      assignments: had('assignments').map(({ role, scope, startsAt, endsAt }) =>
        without({ role: names.roles.of(role), scope: names.scopes.of(scope), from: startsAt, until: endsAt }),
      ),
      grants: grants.length > 0 ? Object.fromEntries(grants) : undefined,
      globalRoles: rolesIn(had('globalRoles').map(({ role }) => role)),
    };
  };
}
