import { newCachedEnforcer, newEnforcer, newModelFromString } from 'casbin';
import { wrongAnswer } from '../harness/rounds.ts';
import { placesBelow, type Question, type World } from '../model/world.ts';

/** Roles within domains, as casbin's guide has them. */
const newModel = () =>
  newModelFromString(`
[request_definition]
r = user, place, page
[policy_definition]
p = role, page
[role_definition]
g = _, _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.user, p.role, r.place) && r.page == p.page
`);

/** The inheritance from place to place is computed beforehand: one rule per place where a user has a role. */
function rules(world: World): { readonly policies: string[][]; readonly memberships: string[][] } {
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  const below = placesBelow(world);
  const memberships = new Map<string, string[]>();
  for (const user of world.users)
    for (const id of user.groups) {
      const { place, roles } = groups.get(id) ?? { place: '', roles: [] };
      for (const role of roles)
        for (const where of below.get(place) ?? [])
          memberships.set(`${user.ref} ${role} ${where}`, [user.ref, role, where]);
    }
  return {
    policies: world.roles.flatMap(({ id, pages }) => pages.map((page) => [id, page])),
    memberships: [...memberships.values()],
  };
}

export async function createCasbin(world: World) {
  const { policies, memberships } = rules(world);
  const enforcer = await newEnforcer(newModel());
  await enforcer.addPolicies(policies);
  await enforcer.addGroupingPolicies(memberships);
  return (questions: readonly Question[]): number => {
    for (const question of questions)
      if (enforcer.enforceSync(question.subject, question.scope, question.permission) !== question.allowed)
        throw wrongAnswer('casbin', question);
    return questions.length;
  };
}

/** With its cache, filled with the answers to all of `asked`. It has no synchronous form. */
export async function createCachedCasbin(world: World, asked: readonly Question[]) {
  const { policies, memberships } = rules(world);
  const enforcer = await newCachedEnforcer(newModel());
  await enforcer.addPolicies(policies);
  await enforcer.addGroupingPolicies(memberships);
  const run = async (questions: readonly Question[]): Promise<number> => {
    for (const question of questions)
      if (
        (await enforcer.enforce(question.subject, question.scope, question.permission)) !== question.allowed
      )
        throw wrongAnswer('casbin with its cache', question);
    return questions.length;
  };
  await run(asked);
  return run;
}
