import { wrongAnswer } from '../harness/rounds.ts';
import type { Question, World } from '../model/world.ts';

/** A first attempt: lists in memory, filtered for each question up to the first role that has the page. */
export function createNaive(world: World) {
  const users = new Map(world.users.map((user) => [user.ref, user]));
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  const parents = new Map(world.places.map(({ ref, parent }) => [ref, parent]));
  const effects = new Set(world.roles.flatMap(({ id, pages }) => pages.map((page) => `${id}/${page}`)));

  function check(subject: string, permission: string, scope: string): boolean {
    const chain = new Set<string>();
    for (let place: string | undefined = scope; place !== undefined; place = parents.get(place))
      chain.add(place);
    const roles = (users.get(subject)?.groups ?? [])
      .flatMap((id) => groups.get(id) ?? [])
      .filter(({ place }) => chain.has(place))
      .flatMap((group) => group.roles);
    return [...new Set(roles)].some((role) => effects.has(`${role}/${permission}`));
  }

  return (questions: readonly Question[]): number => {
    for (const question of questions)
      if (check(question.subject, question.permission, question.scope) !== question.allowed)
        throw wrongAnswer('naive', question);
    return questions.length;
  };
}
