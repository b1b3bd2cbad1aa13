import { createProvisioner, type Invoke } from '../../local/sample/provision.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { times } from '../model/world.ts';
import type { Caller } from './generate.ts';

/** A school with ten locations, each with a group of teachers and one of volunteers; each person is in one group. */
const PAGES = ['dashboard', 'schedule', 'grades', 'reports'];
const ROLES = [
  { id: 'teacher', allow: PAGES },
  { id: 'volunteer', allow: PAGES.slice(0, 2) },
];
const OWNER = 'school';
const PLACES = times(10, (n) => ({ id: `place-${n}`, type: 'location', parent: OWNER }));
const GROUPS = PLACES.flatMap(({ id: scope }) =>
  ROLES.map((role) => ({ id: `${scope}-${role.id}`, scope, role })),
);
/** Every 20th person is written to, those with many requests and those with few. */
const WRITTEN_EVERY = 20;

const byId = <T extends { readonly id: string }>(list: readonly T[]) =>
  Object.fromEntries(list.map((each) => [each.id, each]));

const manifestOf = (people: readonly Pick<Asker, 'id' | 'group'>[]) => ({
  pages: PAGES,
  scopes: { [OWNER]: { type: 'tenant' }, ...byId(PLACES) },
  roles: byId(ROLES.map((role) => ({ ...role, owner: OWNER }))),
  groups: byId(GROUPS.map(({ role, ...group }) => ({ ...group, roles: [role.id] }))),
  users: byId(people.map(({ id, group }) => ({ id, email: `${id}@load.example`, groups: [group.id] }))),
  routes: [
    {
      method: 'GET',
      path: '/locations/{locationId}/pages/{page}',
      permission: '{page}',
      scope: 'location:{locationId}',
    },
  ],
});

/** A person with a token, and what they ask for. */
interface Asker {
  readonly id: string;
  readonly group: (typeof GROUPS)[number];
  /** Whether they are removed from their group and added again during the run. */
  readonly isWritten: boolean;
  readonly token: string;
  /** `allowed` is the model's answer while the person is in their group. */
  readonly questions: readonly { readonly path: string; readonly allowed: boolean }[];
}

const [OK, REFUSED] = [200, 403];

/**
 * Makes so many people, and what they ask for: three pages at their group's place, one anywhere.
 *
 * @param tokenOf a token of the user with this id
 */
export async function createPopulation(
  invoke: Invoke,
  count: number,
  tokenOf: (id: string) => Promise<string>,
) {
  const provision = createProvisioner(invoke);
  const random = createRandom(1_848);
  const people = times(count, (n) => ({
    id: `person-${n}`,
    group: random.pick(GROUPS),
    isWritten: n % WRITTEN_EVERY === WRITTEN_EVERY - 1,
  }));
  await provision('tenant.apply', 'people', { manifest: manifestOf(people) });
  const askers: Asker[] = [];
  for (const person of people) {
    const { scope: own, role } = person.group;
    const questions = [own, own, own, random.pick(PLACES).id].map((place) => {
      const page = random.pick(PAGES);
      const allowed = place === own && role.allow.includes(page);
      return { path: `/locations/${place}/pages/${page}`, allowed };
    });
    askers.push({ ...person, token: await tokenOf(person.id), questions });
  }
  const callerOf = ({ token, questions }: Asker, ifAllowed: readonly number[]): Caller => ({
    token,
    asks: questions.map(({ path, allowed }) => ({ path, expected: allowed ? ifAllowed : [REFUSED] })),
  });
  const isOut = new Set<string>();
  let turns = 0;
  /** Removes a person from their group, or adds them again. */
  const toggle = async ({ id, group }: Asker): Promise<void> => {
    const command = isOut.has(id) ? 'membership.create' : 'membership.delete';
    await provision(command, `${turns++}`, { user: id, group: group.id });
    if (!isOut.delete(id)) isOut.add(id);
  };
  const toWrite = askers.filter(({ isWritten }) => isWritten);
  return {
    askers,
    /** With the right answers; both are right for people who are written to. */
    callers: askers.map((asker) => callerOf(asker, asker.isWritten ? [OK, REFUSED] : [OK])),
    /** Toggles the next person who is written to. */
    write: () => toggle(toWrite[turns % toWrite.length] as Asker),
    toggle,
    /** The people who are written to, with the answers that match their last write. */
    written: () => toWrite.map((asker) => callerOf(asker, [isOut.has(asker.id) ? REFUSED : OK])),
  };
}
