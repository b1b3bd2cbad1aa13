import { entityOf } from '../../../table/entities/registry.ts';
import { IN_ONE_CALL, inTurns } from '../../in-turns.ts';
import { nameOf, pick, type Row } from '../entry.ts';
import type { Manifest } from '../schema.ts';
import { SECTION_OF } from '../sections.ts';
import type { Resource } from '../state.ts';
import type { Places } from './places.ts';
import { addNode, addOther, asKept, isPart, nodeOf, type Reading } from './reading.ts';

/** Those who are at home in a tenant: users, and subjects of types that were added. */
type Section = 'users' | 'subjects';
type Person = Partial<Manifest['users'][string] & Manifest['subjects'][string]> & Row;

/** What names a person who has no display name. */
const NAME = { users: 'displayName', subjects: 'name' } as const;

const readPerson = ({ queries }: Reading, section: Section, of: Row): Promise<Row | undefined> =>
  queries.read(`${SECTION_OF[section].kind}.read`, nameOf(nodeOf(section, of)));

const refOf = (section: Section, { type, id }: Row): string => `${section === 'users' ? 'user' : type}:${id}`;

/** People of a manifest, and the others that are at home in its roots. */
export async function readPeople(reading: Reading, { roots }: Places, section: Section): Promise<void> {
  const { manifest, declared, names, refuse, idFor, queries } = reading;
  const { kind } = SECTION_OF[section];
  const sole = roots.length === 1 ? roots[0]?.ref : undefined;
  const entries = Object.entries<Person>(manifest[section]);
  // Made beforehand: those that look for people go on in step then, and share calls.
  const made = await Promise.all(
    entries.map(([name, { type }]) => idFor(kind, ...(type === undefined ? [] : [type]), sole ?? '', name)),
  );
  const resources = await inTurns(
    entries,
    ([name, of], position) => find(reading, section, name, of, String(made[position])),
    IN_ONE_CALL,
  );
  const found = reading.found[section];
  for (const [position, [name]] of entries.entries()) found.set(name, resources[position] as Resource);
  for (const [name, { ref }] of found) names.set(section === 'users' ? ref : `subject:${ref}`, name);
  for (const [name, of] of entries) {
    const { id, row } = found.get(name) as Resource;
    const node = { ...nodeOf(section, { ...of, id }), label: name };
    const initial = {
      ...(of[NAME[section]] === undefined ? { [NAME[section]]: name } : {}),
      ...(of.tenant === undefined && sole !== undefined ? { tenant: sole } : {}),
    };
    if (!of.existing) addNode(reading, node, [section, name], filledIn(section, name, of), row, { initial });
    else if (!row) refuse([section, name, 'id'], `there is no user ${of.id}`);
  }
  if (!declared.has(section) || isPart(reading)) return;
  const taken = new Set([...found.values()].map(({ ref }) => ref));
  for (const { ref: tenant, row: there } of roots) {
    if (!there) continue;
    const listed = await queries.list(`${kind}.list`, { tenant });
    const rest = listed.filter((row) => !taken.has(refOf(section, row)));
    // The list follows the table by a moment.
    for (const row of await inTurns(rest, (each) => readPerson(reading, section, each))) {
      if (row?.tenant !== tenant) continue;
      const { displayName, email, username, name, id } = row;
      const label =
        section === 'users' ? (displayName ?? email ?? username ?? id) : (name ?? refOf(section, row));
      addOther(reading, nodeOf(section, row), row, label);
    }
  }
}

/** A name of a user that is an address is the email. */
const filledIn = (section: Section, name: string, of: Person): Person =>
  section === 'users' && of.email === undefined && name.includes('@') ? { ...of, email: name } : of;

/**
 * Looks for somebody by the id, and by what no other one can have.
 *
 * @param made the id of one that is made
 */
async function find(
  reading: Reading,
  section: Section,
  name: string,
  of: Person,
  made: string,
): Promise<Resource> {
  const { queries, refuse, commands } = reading;
  const { kind } = SECTION_OF[section];
  const given = filledIn(section, name, of);
  let row = of.id === undefined ? undefined : await readPerson(reading, section, of);
  const owners = new Map<string, Row>();
  for (const { field, within = [] } of of.existing ? [] : (entityOf(kind)?.guards ?? [])) {
    const value = given[field];
    // Of an identity that is incomplete, the commands say what is missing.
    if ([value, ...within.map((each) => of[each])].some((each) => typeof each !== 'string')) continue;
    const isKept =
      row?.[field] === asKept(commands, `${kind}.create`, field, value) &&
      within.every((each) => row?.[each] === of[each]);
    if (isKept) continue;
    const owner = await queries.read(`${kind}.read`, { ...pick(of, within), [field]: value });
    if (!owner) continue;
    owners.set(field, owner);
    if (of.id === undefined) row ??= owner;
  }
  if (of.id === undefined) row ??= await readPerson(reading, section, { ...of, id: made });
  const id = of.id ?? String(row?.id ?? made);
  for (const [field, owner] of owners)
    if (owner.id !== id)
      refuse(
        [section, name, ...(of[field] === undefined ? [] : [field])],
        `the ${field} ${owner[field]} is that of another user (user:${owner.id}, ${owner.displayName ?? 'without a name'})`,
      );
  return { id, ref: refOf(section, { ...of, id }), row };
}
