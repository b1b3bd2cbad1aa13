import { pick, type Row } from '../../../provisioning/apply/entry.ts';
import { SUBJECT_ATTRIBUTES, USER_ATTRIBUTES } from '../../../provisioning/apply/schema.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import type { Grants } from './access.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import type { Names } from './names.ts';
import type { Places } from './scopes.ts';

/** What subjects are granted, as fields of the manifest. */
type AccessBySubject = ReadonlyMap<string, Row>;

const TECHNICAL = 'technical-user:';

/** The section `users`. */
export async function usersSection(
  { queries, idOf, note }: Exporting,
  places: Places,
  accessBySubject: AccessBySubject,
  userNames: Names,
): Promise<Record<string, Row>> {
  const users: Record<string, Row> = {};
  const people = [...accessBySubject].filter(([id]) => !id.includes(':'));
  const rows = await inTurns(people, ([id]) => queries.read('user.read', { id }));
  for (const [position, [id, access]] of people.entries()) {
    const row = rows[position];
    if (!row) continue;
    // A key with an @ is read as the email, unless it is said that there is none.
    const shown = String(row.displayName ?? row.username ?? row.email ?? id);
    const isName = shown === row.email ? !shown.includes('#') : !/[#@]/.test(shown);
    const called = shown.length <= 128 && isName ? shown : id;
    const name = userNames.give(`user:${id}`, called);
    if (row.tenant !== undefined && places.names.of(row.tenant) === undefined)
      note(`the user ${name} is at home in ${row.tenant}, which is not exported`);
    users[name] = kept({
      ...idOf(row),
      tenant: homeOf(row, places),
      status: unless(row.status, 'active'),
      until: row.endsAt,
      ...pick(row, Object.keys(USER_ATTRIBUTES)),
      ...(row.displayName === undefined ? { displayName: null } : {}),
      ...(row.email === undefined && name.includes('@') ? { email: null } : {}),
      ...access,
    });
  }
  return users;
}

/** Where a user is at home, as far as that has to be said: left out, it would be the one tenant of the file. */
function homeOf({ tenant }: Row, { roots, names }: Places): string | null | undefined {
  const sole = roots.length === 1 ? roots[0] : undefined;
  const name = tenant === undefined ? undefined : names.of(tenant);
  if (name === undefined) return sole === undefined ? undefined : null;
  return tenant === sole ? undefined : name;
}

/** The section `technicalUsers`. */
export async function technicalUsersSection(
  { queries, idOf, note }: Exporting,
  places: Places,
  { technical }: Grants,
  accessBySubject: AccessBySubject,
  userNames: Names,
): Promise<Record<string, Row>> {
  const technicalUsers: Record<string, Row> = {};
  for (const [ref, access] of accessBySubject) {
    if (!ref.startsWith(TECHNICAL)) continue;
    const row =
      technical.get(ref) ?? (await queries.read('technical-user.read', { id: ref.slice(TECHNICAL.length) }));
    if (!row) continue;
    const account = places.names.of(row.account);
    if (account === undefined) {
      note(`the technical user ${row.name} (${ref}) of ${row.account}, which is not exported, is left out`);
      continue;
    }
    const name = userNames.give(ref, String(row.name), account);
    technicalUsers[name] = kept({
      ...idOf(row),
      name: unless(row.name, name),
      account,
      description: row.description,
      properties: row.properties,
      status: unless(row.status, 'active'),
      until: row.endsAt,
      ...access,
    });
  }
  return technicalUsers;
}

/** The section `subjects`: those of added types. */
export async function subjectsSection(
  { queries, idOf, note }: Exporting,
  places: Places,
  accessBySubject: AccessBySubject,
  userNames: Names,
): Promise<Record<string, Row>> {
  const subjects: Record<string, Row> = {};
  const added = [...accessBySubject].filter(([ref]) => ref.includes(':') && !ref.startsWith(TECHNICAL));
  const rows = await inTurns(added, ([ref]) => queries.read('subject.read', { user: ref }));
  for (const [position, [ref, access]] of added.entries()) {
    const row = rows[position];
    if (!row) continue;
    const name = userNames.give(`subject:${ref}`, String(row.name ?? row.id));
    if (row.tenant !== undefined && places.names.of(row.tenant) === undefined)
      note(`the subject ${name} is at home in ${row.tenant}, which is not exported`);
    subjects[name] = kept({
      type: row.type,
      ...idOf(row),
      tenant: homeOf(row, places),
      name: row.name === undefined ? null : unless(row.name, name),
      status: unless(row.status, 'active'),
      until: row.endsAt,
      ...pick(row, Object.keys(SUBJECT_ATTRIBUTES)),
      ...access,
    });
  }
  return subjects;
}
