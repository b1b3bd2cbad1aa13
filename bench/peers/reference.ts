import { wrongAnswer } from '../harness/rounds.ts';
import { chainOf, type Question, type World } from '../model/world.ts';

/**
 * What a decision costs at least when it starts from strings: two look-ups, a scan of the user's few places, and one
 * AND of two sets of roles. No expiry, no eviction, no states, no reasons: nothing that Gatehouse has to have.
 */
interface Held {
  readonly scopes: readonly string[];
  /** Of the scope at the same position: the roles held there, a bit for each. */
  readonly roles: readonly number[];
}

interface Tables {
  readonly users: { readonly get: (ref: string) => Held | undefined };
  /** By page: the roles that may use it. */
  readonly pages: { readonly get: (page: string) => number | undefined };
}

const bitsOf = (world: World): ReadonlyMap<string, number> =>
  new Map(world.roles.map(({ id }, position) => [id, 1 << position]));

function pageTable(world: World): ReadonlyMap<string, number> {
  const pages = new Map<string, number>();
  for (const [position, role] of world.roles.entries())
    for (const page of role.pages) pages.set(page, (pages.get(page) ?? 0) | (1 << position));
  return pages;
}

/** @param reach the places in which a group at this place gives its roles */
function userTable(world: World, reach: (place: string) => readonly string[]): ReadonlyMap<string, Held> {
  const bits = bitsOf(world);
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  return new Map(
    world.users.map((user) => {
      const held = new Map<string, number>();
      for (const id of user.groups) {
        const { place, roles } = groups.get(id) ?? { place: '', roles: [] };
        const mask = roles.reduce((sum, role) => sum | (bits.get(role) ?? 0), 0);
        for (const scope of reach(place)) held.set(scope, (held.get(scope) ?? 0) | mask);
      }
      return [user.ref, { scopes: [...held.keys()], roles: [...held.values()] }];
    }),
  );
}

/** What flows down the tree is worked out beforehand, so one place is looked for. */
function flatTables(world: World) {
  const reach = (place: string) =>
    world.places.filter(({ ref }) => chainOf(world.places, ref).includes(place)).map(({ ref }) => ref);
  return { users: userTable(world, reach), pages: pageTable(world) };
}

/** The reference row. */
export const createReference = (world: World) => askOf(flatTables(world));

function askOf({ users, pages }: Tables) {
  function check(subject: string, permission: string, scope: string): boolean {
    const held = users.get(subject);
    if (held === undefined) return false;
    const position = held.scopes.indexOf(scope);
    return position >= 0 && ((held.roles[position] as number) & (pages.get(permission) ?? 0)) !== 0;
  }
  return (questions: readonly Question[]): number => {
    for (const question of questions)
      if (check(question.subject, question.permission, question.scope) !== question.allowed)
        throw wrongAnswer('reference', question);
    return questions.length;
  };
}
