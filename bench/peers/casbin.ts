import { type Enforcer, newCachedEnforcer, newEnforcer, newModelFromString } from 'casbin';
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
async function filled<E extends Enforcer>(enforcer: E, world: World): Promise<E> {
  const groups = new Map(world.groups.map((group) => [group.id, group]));
  const below = placesBelow(world);
  const memberships = new Map<string, string[]>();
  for (const user of world.users)
    for (const { place, roles } of user.groups.flatMap((id) => groups.get(id) ?? []))
      for (const role of roles)
        for (const where of below.get(place) ?? [])
          memberships.set(`${user.ref} ${role} ${where}`, [user.ref, role, where]);
  await enforcer.addPolicies(world.roles.flatMap(({ id, pages }) => pages.map((page) => [id, page])));
  await enforcer.addGroupingPolicies([...memberships.values()]);
  return enforcer;
}

/** By its cache, filled with the answers to all of `asked`. That has no synchronous form. */
export async function createCachedCasbin(world: World, asked: readonly Question[]) {
  const enforcer = await filled(await newCachedEnforcer(newModel()), world);
  const run = async (questions: readonly Question[]): Promise<number> => {
    for (const { subject, scope, permission, allowed } of questions)
      if ((await enforcer.enforce(subject, scope, permission)) !== allowed)
        throw wrongAnswer('casbin with its cache', { subject, scope, permission });
    return questions.length;
  };
  await run(asked);
  return run;
}

export async function createCasbin(world: World) {
  const enforcer = await filled(await newEnforcer(newModel()), world);
  return (questions: readonly Question[]): number => {
    for (const { subject, scope, permission, allowed } of questions)
      if (enforcer.enforceSync(subject, scope, permission) !== allowed)
        throw wrongAnswer('casbin', { subject, scope, permission });
    return questions.length;
  };
}
