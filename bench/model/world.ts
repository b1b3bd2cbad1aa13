import { createRandom, type Random } from '../../test/proof/oracle/random.ts';

/**
 * The model of all in-process candidates: 1,000 users in 200 groups, 30 roles on 200 pages, and 20 places in
 * chains of three. A user has the roles of each of their groups at the group's place and below it. Pure data,
 * from a fixed seed.
 */
export interface Place {
  readonly ref: string;
  readonly parent?: string;
}
export interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  readonly allowed: boolean;
}

export interface World {
  readonly places: readonly Place[];
  readonly pages: readonly string[];
  readonly roles: readonly { readonly id: string; readonly pages: readonly string[] }[];
  readonly groups: readonly {
    readonly id: string;
    readonly place: string;
    readonly roles: readonly string[];
  }[];
  readonly users: readonly { readonly ref: string; readonly groups: readonly string[] }[];
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** In the form of a ULID. */
const newId = (random: Random): string =>
  `01J8${Array.from({ length: 22 }, () => ALPHABET[random.below(32)]).join('')}`;

/** By `join`: V8 keeps a string made by `+` in pieces, which makes look-ups slower. */
const newRef = (random: Random, type: string): string => [type, newId(random)].join(':');

export const times = <T>(count: number, make: (position: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, position) => make(position));

/** `count` of them, each at most once. */
function draw<T>(random: Random, list: readonly T[], count: number): readonly T[] {
  const drawn = new Set<T>();
  while (drawn.size < count) drawn.add(random.pick(list));
  return [...drawn];
}

/** Two tenants, three projects in each, two buildings in each of those. */
function plantPlaces(random: Random): readonly Place[] {
  const below = (type: string, count: number, parents: readonly Place[]): readonly Place[] =>
    parents.flatMap(({ ref }) => times(count, () => ({ ref: newRef(random, type), parent: ref })));
  const clients = times(2, () => ({ ref: newRef(random, 'client') }));
  const projects = below('project', 3, clients);
  return [...clients, ...projects, ...below('building', 2, projects)];
}

/** The place and its ancestors up to the tenant. */
export function chainOf(places: readonly Place[], ref: string): readonly string[] {
  const parent = places.find((place) => place.ref === ref)?.parent;
  return parent === undefined ? [ref] : [ref, ...chainOf(places, parent)];
}

/** By place: itself and all places below it. */
export const placesBelow = ({ places }: Pick<World, 'places'>): ReadonlyMap<string, readonly string[]> =>
  new Map(
    places.map(({ ref }) => [
      ref,
      places.filter((place) => chainOf(places, place.ref).includes(ref)).map((place) => place.ref),
    ]),
  );

/** The roles that have a page. */
export const rolesWith = ({ roles }: World, page: string): readonly string[] =>
  roles.filter(({ pages }) => pages.includes(page)).map(({ id }) => id);

export function createBenchWorld(seed = 4_711): World {
  const random = createRandom(seed);
  const places = plantPlaces(random);
  const pages = times(200, (n) => ['dashboard-of-page', String(n).padStart(3, '0')].join('-'));
  const roles = times(30, () => ({ id: newId(random), pages: draw(random, pages, 20) }));
  const roleIds = roles.map(({ id }) => id);
  const groups = times(200, () => ({
    id: newId(random),
    place: random.pick(places).ref,
    roles: draw(random, roleIds, random.between(1, 2)),
  }));
  const tenants = places.filter(({ parent }) => parent === undefined);
  const groupsOf = tenants.map(({ ref }) =>
    groups.filter(({ place }) => chainOf(places, place).at(-1) === ref).map(({ id }) => id),
  );
  const users = times(1_000, () => ({
    ref: newRef(random, 'user'),
    groups: draw(random, random.pick(groupsOf), 5),
  }));
  return { places, pages, roles, groups, users };
}

/** Whether places are roots, or inherit from those above. */
export type Shape = 'flat' | 'nested';

export function createWorldOf(shape: Shape): World {
  const world = createBenchWorld();
  if (shape === 'nested') return world;
  // A location may be a root.
  const asRoot = (ref: string): string => ref.replace(/^\w+/, 'location');
  return {
    ...world,
    places: world.places.map(({ ref }) => ({ ref: asRoot(ref) })),
    groups: world.groups.map((group) => ({ ...group, place: asRoot(group.place) })),
  };
}

/** The oracle, in the simplest form. */
export function isAllowed(world: World, subject: string, permission: string, scope: string): boolean {
  const user = world.users.find(({ ref }) => ref === subject);
  const chain = chainOf(world.places, scope);
  const counting = world.groups.filter(({ id, place }) => user?.groups.includes(id) && chain.includes(place));
  return counting.some((group) =>
    group.roles.some((id) => world.roles.find((role) => role.id === id)?.pages.includes(permission)),
  );
}

/** Questions at the lowest places, so that each involves all above them; half of them are allowed. */
export function drawQuestions(world: World, count = 20_000, seed = 815): readonly Question[] {
  const random = createRandom(seed);
  const lowest = world.places.filter(({ ref }) => !world.places.some(({ parent }) => parent === ref));
  const left = { true: count / 2, false: count / 2 };
  const found: Question[] = [];
  while (found.length < count) {
    const [subject, scope] = [random.pick(world.users).ref, random.pick(lowest).ref];
    const permission = random.pick(world.pages);
    const allowed = isAllowed(world, subject, permission, scope);
    if (left[`${allowed}`] === 0) continue;
    left[`${allowed}`] -= 1;
    found.push({ subject, permission, scope, allowed });
  }
  return found;
}

/** The same question in new strings, as they come with a request. */
export const inFreshStrings = ({ subject, permission, scope, allowed }: Question): Question => ({
  subject: fresh(subject),
  permission: fresh(permission),
  scope: fresh(scope),
  allowed,
});

/** A copy whose hash V8 has not computed yet. */
export const fresh = (text: string): string => Buffer.from(text).toString('latin1');
