import { wrongAnswer } from '../harness/rounds.ts';
import { placesBelow, type Question, type World } from '../model/world.ts';

/**
 * The least that a decision from strings costs: two look-ups, a scan of the user's few places, and one AND of
 * two sets of roles. Inheritance is computed beforehand. No expiry, no eviction, no states, no reasons.
 */
interface Entry {
  readonly scopes: readonly string[];
  /** The roles at the scope of the same position, one bit each. */
  readonly roles: readonly number[];
}

const bitsOf = (world: World): ReadonlyMap<string, number> =>
  new Map(world.roles.map(({ id }, position) => [id, 1 << position]));

/** By page: the roles that may use it. */
function pageTable(world: World): ReadonlyMap<string, number> {
  const pages = new Map<string, number>();
  for (const [position, role] of world.roles.entries())
    for (const page of role.pages) pages.set(page, (pages.get(page) ?? 0) | (1 << position));
  return pages;
}

function userTable(world: World): ReadonlyMap<string, Entry> {
  const bits = bitsOf(world);
  const below = placesBelow(world);
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  return new Map(
    world.users.map((user) => {
      const roles = new Map<string, number>();
      for (const id of user.groups) {
        const group = groups.get(id);
        const mask = (group?.roles ?? []).reduce((sum, role) => sum | (bits.get(role) ?? 0), 0);
        for (const scope of below.get(group?.place ?? '') ?? [])
          roles.set(scope, (roles.get(scope) ?? 0) | mask);
      }
      return [user.ref, { scopes: [...roles.keys()], roles: [...roles.values()] }];
    }),
  );
}

export function createReference(world: World) {
  const [users, pages] = [userTable(world), pageTable(world)];
  function check(subject: string, permission: string, scope: string): boolean {
    const entry = users.get(subject);
    if (entry === undefined) return false;
    const position = entry.scopes.indexOf(scope);
    return position >= 0 && ((entry.roles[position] as number) & (pages.get(permission) ?? 0)) !== 0;
  }
  return (questions: readonly Question[]): number => {
    for (const question of questions)
      if (check(question.subject, question.permission, question.scope) !== question.allowed)
        throw wrongAnswer('reference', question);
    return questions.length;
  };
}
