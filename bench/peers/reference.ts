import { wrongAnswer } from '../harness/rounds.ts';
import { placesBelow, type Question, rolesWith, type World } from '../model/world.ts';

/**
 * The least that a decision from strings costs: two look-ups, a scan of the user's few places, and one AND of
 * two sets of roles. Inheritance is computed beforehand. No expiry, no eviction, no states, no reasons.
 */
interface Entry {
  readonly scopes: readonly string[];
  /** The roles at the scope of the same position, one bit each. */
  readonly roles: readonly number[];
}

export function createReference(world: World) {
  const bits = new Map(world.roles.map(({ id }, position) => [id, 1 << position]));
  const maskOf = (roles: readonly string[]): number =>
    roles.reduce((sum, role) => sum | (bits.get(role) ?? 0), 0);
  const pages = new Map(world.pages.map((page) => [page, maskOf(rolesWith(world, page))]));
  const below = placesBelow(world);
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  const users = new Map(
    world.users.map((user): [string, Entry] => {
      const roles = new Map<string, number>();
      for (const group of user.groups.flatMap((id) => groups.get(id) ?? []))
        for (const scope of below.get(group.place) ?? [])
          roles.set(scope, (roles.get(scope) ?? 0) | maskOf(group.roles));
      return [user.ref, { scopes: [...roles.keys()], roles: [...roles.values()] }];
    }),
  );
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
