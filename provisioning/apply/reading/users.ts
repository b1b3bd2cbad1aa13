import type { Guard } from '../../../table/entities/entity.ts';
import { ENTITIES } from '../../../table/entities/registry.ts';
import { IN_ONE_CALL, inTurns } from '../../in-turns.ts';
import { pick, type Row } from '../entry.ts';
import { type Manifest, USER_ATTRIBUTES } from '../schema.ts';
import type { Resource, Resources } from '../state.ts';
import { asKept, idsOf, isPart, type Reading } from './reading.ts';
import type { Places } from './scopes.ts';

type User = Manifest['users'][string] & Row;

const section = 'users';
const UNIQUE: readonly Guard[] = ENTITIES.user.guards;

/** Users, and the others that are at home in the roots of the manifest. */
export async function readUsers(reading: Reading, places: Places): Promise<Resources> {
  const { manifest, declared, names, refuse } = reading;
  const sole = places.roots.length === 1 ? places.roots[0]?.ref : undefined;
  const entries = Object.entries(manifest.users) as [string, User][];
  // Made beforehand: those that look for users go on in step then, and share calls.
  const made = await Promise.all(entries.map(([name]) => reading.idFor('user', sole ?? '', name)));
  const resources = await inTurns(
    entries,
    ([name, user], position) => findUser(reading, name, user, String(made[position])),
    IN_ONE_CALL,
  );
  const users = new Map(entries.map(([name], position) => [name, resources[position] as Resource]));
  for (const [name, { ref }] of users) names.set(ref, name);
  for (const [name, user] of entries) {
    const resource = users.get(name) as Resource;
    if (!user.existing) addUser(reading, places, resource, name, user, sole);
    else if (!resource.row) refuse([section, name, 'id'], `there is no user ${user.id}`);
  }
  if (declared.has(section) && !isPart(reading)) await addRest(reading, places, idsOf(users));
  return users;
}

/**
 * Looks for a user by its id, and by what no other one can have.
 *
 * @param made the id of one that is made
 */
async function findUser(
  { queries, refuse, commands }: Reading,
  name: string,
  user: User,
  made: string,
): Promise<Resource> {
  let row: Row | undefined;
  if (user.id !== undefined) row = await queries.read('user.read', { id: user.id });
  const owners = new Map<string, Row>();
  for (const { field, within = [] } of UNIQUE) {
    const value = user.existing ? undefined : uniqueOf(name, user, field);
    // Of an identity that is incomplete, the commands say what is missing.
    if (value === undefined || within.some((each) => typeof user[each] !== 'string')) continue;
    const isKept =
      row?.[field] === asKept(commands, 'user.create', field, value) &&
      within.every((each) => row?.[each] === user[each]);
    if (isKept) continue;
    const owner = await queries.read('user.read', { ...pick(user, within), [field]: value });
    if (!owner) continue;
    owners.set(field, owner);
    if (user.id === undefined) row ??= owner;
  }
  if (user.id === undefined) row ??= await queries.read('user.read', { id: made });
  const id = user.id ?? String(row?.id ?? made);
  for (const [field, owner] of owners)
    if (owner.id !== id)
      refuse(
        [section, name, ...(user[field] === undefined ? [] : [field])],
        `the ${field} ${owner[field]} is that of another user (user:${owner.id}, ${owner.displayName ?? 'without a name'})`,
      );
  return { id, ref: `user:${id}`, row };
}

function addUser(
  { addDesired, addCurrent }: Reading,
  { refOf }: Places,
  { id, row }: Resource,
  name: string,
  user: User,
  sole: string | undefined,
): void {
  const entry = { kind: 'user', identity: { id }, label: name, section };
  const email = uniqueOf(name, user, 'email');
  addDesired({
    ...entry,
    path: [section, name],
    values: {
      ...pick(user, Object.keys(USER_ATTRIBUTES)),
      tenant: refOf(user.tenant),
      status: user.status,
      endsAt: user.until,
      ...(email === undefined ? {} : { email }),
    },
    initial: {
      ...(user.displayName === undefined ? { displayName: name } : {}),
      ...(user.tenant === undefined && sole !== undefined ? { tenant: sole } : {}),
    },
  });
  if (row) addCurrent({ ...entry, values: row });
}

async function addRest(
  { queries, addCurrent, names }: Reading,
  { roots }: Places,
  taken: ReadonlySet<string>,
): Promise<void> {
  for (const { ref, row: there } of roots) {
    if (!there) continue;
    const listed = await queries.list('user.list', { tenant: ref });
    const rest = listed.filter(({ id }) => !taken.has(String(id)));
    // The list follows the table by a moment.
    const rows = await inTurns(rest, ({ id }) => queries.read('user.read', { id }));
    for (const row of rows) {
      if (row?.tenant !== ref) continue;
      const label = String(row.displayName ?? row.email ?? row.username ?? row.id);
      names.set(`user:${row.id}`, label);
      addCurrent({ kind: 'user', identity: { id: row.id }, values: row, label, section });
    }
  }
}

/** A unique value of a user. A name that is an address is the email. */
function uniqueOf(name: string, user: Row, field: string): string | undefined {
  const value = user[field];
  if (typeof value === 'string') return value;
  return field === 'email' && value === undefined && name.includes('@') ? name : undefined;
}
