import { createMongoAbility, type MongoAbility, subject as subjectOf } from '@casl/ability';
import { wrongAnswer } from '../harness/rounds.ts';
import { chainOf, type Question, type World } from '../model/world.ts';

/** What each user holds: the pages of a group's roles, and the places where they count. */
function holdings(world: World) {
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  const pages = new Map(world.roles.map((role) => [role.id, role.pages]));
  const reach = new Map(
    world.places.map(({ ref }) => [
      ref,
      world.places
        .filter((place) => chainOf(world.places, place.ref).includes(ref))
        .map((place) => place.ref),
    ]),
  );
  return (user: World['users'][number]) =>
    user.groups.flatMap((id) => {
      const group = groups.get(id);
      return group
        ? [
            {
              pages: [...new Set(group.roles.flatMap((role) => pages.get(role) ?? []))],
              places: reach.get(group.place) ?? [],
            },
          ]
        : [];
    });
}

/** CASL as its guide has it: one ability for a user, kept, with the place as a condition. */
export function createCasl(world: World) {
  const held = holdings(world);
  const abilities = new Map<string, MongoAbility>(
    world.users.map((user) => [
      user.ref,
      createMongoAbility(
        held(user).map(({ pages, places }) => ({
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

/** CASL as fast as it gets: an ability for each user at each place that is asked for, kept, without conditions. */
export function createCaslByPlace(world: World, asked: readonly Question[]) {
  const held = holdings(world);
  const users = new Map(world.users.map((user) => [user.ref, user]));
  const abilities = new Map<string, Map<string, MongoAbility>>();
  for (const { subject, scope } of asked) {
    const user = users.get(subject);
    const known = abilities.get(subject) ?? new Map<string, MongoAbility>();
    abilities.set(subject, known);
    if (!user || known.has(scope)) continue;
    const here = held(user).filter(({ places }) => places.includes(scope));
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
