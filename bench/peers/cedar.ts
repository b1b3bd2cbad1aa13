import { setFlagsFromString } from 'node:v8';
import type { EntityJson } from '@cedar-policy/cedar-wasm';
import { wrongAnswer } from '../harness/rounds.ts';
import { chainOf, type Question, rolesWith, type World } from '../model/world.ts';

/**
 * Cedar 4 as WebAssembly. Policies are parsed once, one per group; a question passes only its own entities.
 * Roles are groups of actions, places are nested.
 */
export async function createCedar(world: World) {
  // Node 20 aborts when calls into WebAssembly are inlined here.
  setFlagsFromString('--no-turbo-inline-js-wasm-calls');
  const { preparsePolicySet, statefulIsAuthorized } = await import('@cedar-policy/cedar-wasm/nodejs');
  const set = 'bench';
  const policies = world.groups.map(({ id, place, roles }) => {
    const actions = roles.map((role) => `Action::"${role}"`).join(', ');
    return `permit(principal in Group::"${id}", action in [${actions}], resource in Place::"${place}");`;
  });
  const parsed = preparsePolicySet(set, { staticPolicies: policies.join('\n') });
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors));

  const entity = (type: string, id: string, parentType: string, parents: readonly string[]): EntityJson => ({
    uid: { type, id },
    attrs: {},
    parents: parents.map((parent) => ({ type: parentType, id: parent })),
  });
  const users = new Map(world.users.map(({ ref, groups }) => [ref, entity('User', ref, 'Group', groups)]));
  const places = new Map(
    world.places.map(({ ref }) => {
      const chain = chainOf(world.places, ref);
      return [ref, chain.map((place, at) => entity('Place', place, 'Place', chain.slice(at + 1, at + 2)))];
    }),
  );
  const actions = new Map(
    world.pages.map((page) => [page, entity('Action', page, 'Action', rolesWith(world, page))]),
  );

  function check(subject: string, permission: string, scope: string): boolean {
    const [user, action] = [users.get(subject), actions.get(permission)];
    const place = places.get(scope);
    if (!user || !action || !place) return false;
    const answer = statefulIsAuthorized({
      principal: { type: 'User', id: subject },
      action: { type: 'Action', id: permission },
      resource: { type: 'Place', id: scope },
      context: {},
      preparsedPolicySetId: set,
      entities: [user, action, ...place],
    });
    return answer.type === 'success' && answer.response.decision === 'allow';
  }
  return (questions: readonly Question[]): number => {
    for (const question of questions)
      if (check(question.subject, question.permission, question.scope) !== question.allowed)
        throw wrongAnswer('Cedar', question);
    return questions.length;
  };
}
