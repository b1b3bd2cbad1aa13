import { createRandom } from '../../test/proof/oracle/random.ts';
import {
  chainOf,
  draw,
  isAllowed,
  newId,
  newRef,
  type Place,
  plantPlaces,
  type Question,
  times,
  type World,
} from './world.ts';

/**
 * The model of a decision that needs every step: every user is in five groups, and all of them count at the
 * scope of the question. Flat: locations. Nested: buildings, with groups at the building, its project and its
 * client.
 */
export type Shape = 'flat' | 'nested';

const GROUPS_AT_PLACE = 10;
const GROUPS_OF_USER = 5;

export interface GroupWorld extends World {
  /** By user: the scope at which all of the user's groups count. */
  readonly home: ReadonlyMap<string, string>;
}

export function createGroupWorld(shape: Shape, users = 1_000): GroupWorld {
  const random = createRandom(1_207);
  const places: readonly Place[] =
    shape === 'flat' ? times(20, () => ({ ref: newRef(random, 'location') })) : plantPlaces(random);
  const pages = times(200, (n) => ['dashboard-of-page', String(n).padStart(3, '0')].join('-'));
  const roles = times(30, () => ({ id: newId(random), pages: draw(random, pages, 20) }));
  const roleIds = roles.map(({ id }) => id);
  const groups = places.flatMap(({ ref }) =>
    times(GROUPS_AT_PLACE, () => ({
      id: newId(random),
      place: ref,
      roles: draw(random, roleIds, random.between(1, 2)),
    })),
  );
  const homes = places.filter(({ ref }) => !places.some(({ parent }) => parent === ref));
  const home = new Map(times(users, () => [newRef(random, 'user'), random.pick(homes).ref]));
  const members = [...home].map(([ref, place]) => {
    const chain = chainOf(places, place);
    const candidates = groups.filter((group) => chain.includes(group.place)).map(({ id }) => id);
    return { ref, groups: draw(random, candidates, GROUPS_OF_USER) };
  });
  return { places, pages, roles, groups, users: members, home };
}

/** Questions at the users' own scopes; every second one is allowed. */
export function drawGroupQuestions(world: GroupWorld, count: number, seed = 42): readonly Question[] {
  const random = createRandom(seed);
  const found: Question[] = [];
  while (found.length < count) {
    const subject = random.pick(world.users).ref;
    const scope = world.home.get(subject) as string;
    const permission = random.pick(world.pages);
    const allowed = isAllowed(world, subject, permission, scope);
    if (allowed === (found.length % 2 === 0)) found.push({ subject, permission, scope, allowed });
  }
  return found;
}
