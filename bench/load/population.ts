import type { Invoke, Provision } from '../../local/sample/provision.ts';
import { createProvisioner } from '../../local/sample/provision.ts';
import type { Random } from '../../test/proof/oracle/random.ts';
import { idOf } from '../model/visits.ts';
import { isAllowed, type World } from '../model/world.ts';
import type { Caller } from './generate.ts';

/** A person and the group that gives them their roles. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly group: string;
  /** Whether they are removed from their group and added again during the run. */
  readonly isWritten: boolean;
}

export interface Population {
  readonly world: World;
  readonly people: readonly Person[];
}

export interface PopulationOptions {
  readonly invoke: Invoke;
  readonly count: number;
  readonly random: Random;
}

const PAGES = ['dashboard', 'schedule', 'grades', 'reports'];
const ROLES = { teacher: PAGES, volunteer: PAGES.slice(0, 2) };
const LOCATIONS = 10;
/** Every 20th person is written to, those with many requests and those with few. */
const WRITTEN_EVERY = 20;
const AT_ONCE = 16;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/**
 * A school with locations, each with a group of teachers and one of volunteers; each person is in one group.
 */
export async function createPopulation(options: PopulationOptions): Promise<Population> {
  const { invoke, count, random } = options;
  const provision = createProvisioner(invoke);
  const world = await createPlaces(provision);
  const people: Person[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const [email, { id: group }] = [`user-${n}@load.example`, random.pick(world.groups)];
      const { id } = await provision('user.create', email, { email });
      await provision('membership.create', email, { user: id, group });
      people[n] = { id, email, group, isWritten: n % WRITTEN_EVERY === WRITTEN_EVERY - 1 };
    }
  };
  await Promise.all(numbers(AT_ONCE).map(worker));
  const users = people.map(({ id, group }) => ({ ref: `user:${id}`, groups: [group] }));
  return { world: { ...world, users }, people };
}

const OWNER = 'school';

async function createPlaces(provision: Provision): Promise<World> {
  const places = numbers(LOCATIONS).map((n) => ({ ref: `location:place-${n}` }));
  const roles = Object.entries(ROLES).map(([id, pages]) => ({ id, pages }));
  const groups = places.flatMap(({ ref }) =>
    roles.map(({ id }) => ({ id: `${idOf(ref)}-${id}`, place: ref, roles: [id] })),
  );
  const manifest = {
    pages: PAGES,
    scopes: {
      [OWNER]: { type: 'tenant' },
      ...Object.fromEntries(
        places.map(({ ref }) => [idOf(ref), { id: idOf(ref), type: 'location', parent: OWNER }]),
      ),
    },
    roles: Object.fromEntries(roles.map(({ id, pages }) => [id, { id, owner: OWNER, allow: pages }])),
    groups: Object.fromEntries(
      groups.map(({ id, place, roles: own }) => [id, { id, scope: idOf(place), roles: own }]),
    ),
    routes: [
      {
        method: 'GET',
        path: '/locations/{locationId}/pages/{page}',
        permission: '{page}',
        scope: 'location:{locationId}',
      },
    ],
  };
  await provision('tenant.apply', 'places', { manifest });
  return { places, pages: PAGES, roles, groups, users: [] };
}

interface Question {
  readonly path: string;
  /** The model's answer while the person is in their group. */
  readonly allowed: boolean;
}

/** A person's requests: three pages at their group's place, one anywhere. */
function questionsOf({ world }: Population, { id, group }: Person, random: Random): readonly Question[] {
  const own = world.groups.find((each) => each.id === group)?.place ?? '';
  return [own, own, own, random.pick(world.places).ref].map((scope) => {
    const page = random.pick(world.pages);
    const allowed = isAllowed(world, `user:${id}`, page, scope);
    return { path: `/locations/${idOf(scope)}/pages/${page}`, allowed };
  });
}

/** A person with a token, and what they ask for. */
interface Asker {
  readonly person: Person;
  readonly token: string;
  readonly questions: readonly Question[];
}

export interface Askers {
  readonly askers: readonly Asker[];
  /** With the right answers; both are right for people who are written to. */
  readonly callers: readonly Caller[];
  /** Removes the next person who is written to from their group, or adds them again. */
  readonly write: () => Promise<void>;
  /** The same for this person. */
  readonly toggle: (person: Person) => Promise<void>;
  /** The people who are written to, with the answers that match their last write. */
  readonly written: () => readonly Caller[];
}

const [OK, REFUSED] = [200, 403];

/** @param tokenOf a token of the person with this email */
export async function createAskers(
  population: Population,
  { invoke, random }: Pick<PopulationOptions, 'invoke' | 'random'>,
  tokenOf: (email: string) => Promise<string>,
): Promise<Askers> {
  const askers: Asker[] = [];
  for (const person of population.people)
    askers.push({
      person,
      token: await tokenOf(person.email),
      questions: questionsOf(population, person, random),
    });
  const callerOf = ({ token, questions }: Asker, ifAllowed: readonly number[]): Caller => ({
    token,
    asks: questions.map(({ path, allowed }) => ({ path, expected: allowed ? ifAllowed : [REFUSED] })),
  });
  const isOut = new Set<Person>();
  const toggle = async (person: Person): Promise<void> => {
    const command = isOut.has(person) ? 'membership.create' : 'membership.delete';
    const input = { user: person.id, group: person.group };
    const answer = await invoke({ command, input, actor: 'load' });
    const { error } = answer as { readonly error?: { readonly message: string } };
    if (error) throw new Error(`${command}: ${error.message}`);
    if (!isOut.delete(person)) isOut.add(person);
  };
  const toWrite = askers.filter(({ person }) => person.isWritten);
  let turn = 0;
  return {
    askers,
    callers: askers.map((asker) => callerOf(asker, asker.person.isWritten ? [OK, REFUSED] : [OK])),
    write: () => toggle((toWrite[turn++ % toWrite.length] as Asker).person),
    toggle,
    written: () => toWrite.map((asker) => callerOf(asker, [isOut.has(asker.person) ? REFUSED : OK])),
  };
}
