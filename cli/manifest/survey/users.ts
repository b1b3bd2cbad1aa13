import { derivedId, pick } from '../fact.ts';
import { inTurns, type Row } from '../look.ts';
import { type Manifest, USER_ATTRIBUTES } from '../schema.ts';
import type { Places } from './scopes.ts';
import { canonical, idsOf, type Surveying, type Thing, type Things } from './surveying.ts';

type User = Manifest['users'][string] & Row;

const UNIQUE = ['email', 'username', 'phone'] as const;

/** Users, and the others that are at home in the roots of the file. */
export async function surveyUsers(surveying: Surveying, places: Places): Promise<Things> {
  const { manifest, declared, names } = surveying;
  const sole = places.roots.length === 1 ? places.roots[0]?.ref : undefined;
  const entries = Object.entries(manifest.users) as [string, User][];
  const things = await inTurns(entries, ([name, user]) => findUser(surveying, name, user, sole));
  const users = new Map(entries.map(([name], position) => [name, things[position] as Thing]));
  for (const [name, { ref }] of users) names.set(ref, name);
  for (const [name, user] of entries)
    compareUser(surveying, places, users.get(name) as Thing, name, user, sole);
  if (declared.has('users')) await tellRest(surveying, places, idsOf(users));
  return users;
}

/** Looks for a user by its id, and by what no other one can have. */
async function findUser(
  { look, tell }: Surveying,
  name: string,
  user: User,
  sole: string | undefined,
): Promise<Thing> {
  const made = derivedId('user', sole ?? '', name);
  let row: Row | undefined;
  if (user.id !== undefined) row = await look.read('user.read', { id: user.id });
  const owners = new Map<string, Row>();
  for (const field of UNIQUE) {
    const value = uniqueOf(name, user, field);
    if (value === undefined || row?.[field] === canonical('user.create', field, value)) continue;
    const owner = await look.read('user.read', { [field]: value });
    if (!owner) continue;
    owners.set(field, owner);
    if (user.id === undefined) row ??= owner;
  }
  if (user.id === undefined) row ??= await look.read('user.read', { id: made });
  const id = user.id ?? String(row?.id ?? made);
  for (const [field, owner] of owners)
    if (owner.id !== id)
      tell(
        ['users', name, ...(user[field] === undefined ? [] : [field])],
        `the ${field} ${owner[field]} is that of another user (user:${owner.id}, ${owner.displayName ?? 'without a name'})`,
      );
  return { id, ref: `user:${id}`, row };
}

function compareUser(
  { want, have }: Surveying,
  { refOf }: Places,
  { id, row }: Thing,
  name: string,
  user: User,
  sole: string | undefined,
): void {
  const fact = { kind: 'user', identity: { id }, label: name, section: 'users' };
  const email = uniqueOf(name, user, 'email');
  want({
    ...{ ...fact, path: ['users', name] },
    values: {
      ...pick(user, Object.keys(USER_ATTRIBUTES)),
      ...{ tenant: refOf(user.tenant), status: user.status, endsAt: user.until },
      ...(email === undefined ? {} : { email }),
    },
    initial: {
      ...(user.displayName === undefined ? { displayName: name } : {}),
      ...(user.tenant === undefined && sole !== undefined ? { tenant: sole } : {}),
    },
  });
  if (row) have({ ...fact, values: row });
}

async function tellRest(
  { look, have, names }: Surveying,
  { roots }: Places,
  taken: ReadonlySet<string>,
): Promise<void> {
  for (const { ref, row: there } of roots) {
    if (!there) continue;
    const listed = await look.list('user.list', { tenant: ref });
    const rest = listed.filter(({ id }) => !taken.has(String(id)));
    // The list follows the table by a moment.
    const rows = await inTurns(rest, ({ id }) => look.read('user.read', { id }));
    for (const row of rows) {
      if (row?.tenant !== ref) continue;
      const label = String(row.displayName ?? row.email ?? row.username ?? row.id);
      names.set(`user:${row.id}`, label);
      have({ kind: 'user', identity: { id: row.id }, values: row, label, section: 'users' });
    }
  }
}

/** The address of a user's name: a key that is one stands for its email. */
function uniqueOf(name: string, user: Row, field: string): string | undefined {
  const value = user[field];
  if (typeof value === 'string') return value;
  return field === 'email' && value === undefined && name.includes('@') ? name : undefined;
}
