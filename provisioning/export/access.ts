import { type Row, without } from '../apply/entry.ts';
import type { NamesBySection } from './exported-names.ts';
import type { Gathered } from './gather.ts';

/** What somebody has, in the words of a manifest. */
export function accessBy({ edges }: Gathered, names: NamesBySection): (person: string) => Row {
  const byPerson = new Map<string, Partial<Record<keyof Gathered['edges'], Row[]>>>();
  for (const [word, rows] of Object.entries(edges) as [keyof Gathered['edges'], readonly Row[]][])
    for (const row of rows) {
      const access = byPerson.get(String(row.user)) ?? {};
      byPerson.set(String(row.user), { ...access, [word]: [...(access[word] ?? []), row] });
    }
  const rolesIn = (roles: unknown) => ((roles ?? []) as readonly unknown[]).map(names.roles.of);
  return (person) => {
    const { admin, groups = [], assignments = [], grants, globalRoles = [] } = byPerson.get(person) ?? {};
    return {
      admin: admin && true,
      groups: groups.map(({ group }) => names.groups.of(group)),
      assignments: assignments.map(({ role, scope, startsAt, endsAt }) =>
        without({ role: names.roles.of(role), scope: names.scopes.of(scope), from: startsAt, until: endsAt }),
      ),
      grants:
        grants &&
        Object.fromEntries(grants.map(({ scope, roles }) => [names.scopes.of(scope), rolesIn(roles)])),
      globalRoles: rolesIn(globalRoles.map(({ role }) => role)),
    };
  };
}
