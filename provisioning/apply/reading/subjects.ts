import { inTurns } from '../../in-turns.ts';
import { pick } from '../entry.ts';
import { SUBJECT_ATTRIBUTES } from '../schema.ts';
import type { Resource, Resources } from '../state.ts';
import { isPart, type Reading } from './reading.ts';
import type { Places } from './scopes.ts';

const section = 'subjects';

/** Subjects of types that were added, and the others that are at home in the roots of the manifest. */
export async function readSubjects(reading: Reading, places: Places): Promise<Resources> {
  const { manifest, declared, queries, idFor, addDesired, addCurrent, names } = reading;
  const sole = places.roots.length === 1 ? places.roots[0]?.ref : undefined;
  const found = new Map<string, Resource>();
  await inTurns(Object.entries(manifest.subjects), async ([name, { type, ...subject }]) => {
    const id = subject.id ?? (await idFor('subject', type, sole ?? '', name));
    const row = await queries.read('subject.read', { user: `${type}:${id}` });
    found.set(name, { id, ref: `${type}:${id}`, row });
  });
  const entryOf = (type: string, id: string, label: string) => ({
    kind: 'subject',
    identity: { type, id },
    label,
    section,
  });
  for (const [name, { type, ...subject }] of Object.entries(manifest.subjects)) {
    const { id, ref, row } = found.get(name) as Resource;
    names.set(`subject:${ref}`, name);
    const entry = entryOf(type, id, name);
    addDesired({
      ...entry,
      path: [section, name],
      values: {
        ...pick(subject, Object.keys(SUBJECT_ATTRIBUTES)),
        name: subject.name,
        tenant: places.refOf(subject.tenant),
        status: subject.status,
        endsAt: subject.until,
      },
      initial: {
        ...(subject.name === undefined ? { name } : {}),
        ...(subject.tenant === undefined && sole !== undefined ? { tenant: sole } : {}),
      },
    });
    if (row) addCurrent({ ...entry, values: row });
  }
  if (!declared.has(section) || isPart(reading)) return found;
  const taken = new Set([...found.values()].map(({ ref }) => ref));
  for (const { ref: tenant, row: there } of places.roots) {
    if (!there) continue;
    const listed = await queries.list('subject.list', { tenant });
    const rest = listed.filter(({ type, id }) => !taken.has(`${type}:${id}`));
    // The list follows the table by a moment.
    const rows = await inTurns(rest, ({ type, id }) =>
      queries.read('subject.read', { user: `${type}:${id}` }),
    );
    for (const row of rows) {
      if (row?.tenant !== tenant) continue;
      const [type, id] = [String(row.type), String(row.id)];
      const label = String(row.name ?? `${type}:${id}`);
      names.set(`subject:${type}:${id}`, label);
      addCurrent({ ...entryOf(type, id, label), values: row });
    }
  }
  return found;
}
