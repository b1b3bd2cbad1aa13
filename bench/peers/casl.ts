import { createMongoAbility, type MongoAbility, subject as subjectOf } from '@casl/ability';
import { wrongAnswer } from '../harness/rounds.ts';
import { placesBelow, type Question, type World } from '../model/world.ts';

/** For each of a user's groups: the pages of its roles, and the places where they count. */
function groupsOfUsers(world: World) {
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  const pages = new Map(world.roles.map((role) => [role.id, role.pages]));
  const below = placesBelow(world);
  return (user: World['users'][number]) =>
    user.groups
      .flatMap((id) => groups.get(id) ?? [])
      .map(({ place, roles }) => ({
        pages: [...new Set(roles.flatMap((role) => pages.get(role) ?? []))],
        places: below.get(place) ?? [],
      }));
}

/** CASL as in its guide: one ability per user, kept, with the place as a condition. */
export function createCasl(world: World) {
  const groupsOf = groupsOfUsers(world);
  const abilities = new Map<string, MongoAbility>(
    world.users.map((user) => [
      user.ref,
      createMongoAbility(
        groupsOf(user).map(({ pages, places }) => ({
          action: 'view',
          subject: pages,
          conditions: { place: { $in: places } },
        })),
      ),
    ]),
  );
  return (questions: readonly Question[]): number => {
    for (const question of questions) {
      const ability = abilities.get(question.subject);
      const page = subjectOf(question.permission, { place: question.scope });
      if ((ability?.can('view', page) ?? false) !== question.allowed) throw wrongAnswer('CASL', question);
    }
    return questions.length;
  };
}

/** The fastest form of CASL: one ability per user and place, kept, without conditions. */
export function createCaslByPlace(world: World, asked: readonly Question[]) {
  const groupsOf = groupsOfUsers(world);
  const users = new Map(world.users.map((user) => [user.ref, user]));
  const abilities = new Map<string, Map<string, MongoAbility>>();
  for (const { subject, scope } of asked) {
    const user = users.get(subject);
    const known = abilities.get(subject) ?? new Map<string, MongoAbility>();
    abilities.set(subject, known);
    if (!user || known.has(scope)) continue;
    const here = groupsOf(user).filter(({ places }) => places.includes(scope));
    const pages = [...new Set(here.flatMap((group) => group.pages))];
    known.set(scope, createMongoAbility(pages.length > 0 ? [{ action: 'view', subject: pages }] : []));
  }
  return (questions: readonly Question[]): number => {
    for (const question of questions) {
      const ability = abilities.get(question.subject)?.get(question.scope);
      if ((ability?.can('view', question.permission) ?? false) !== question.allowed)
        throw wrongAnswer('CASL by place', question);
    }
    return questions.length;
  };
}
