import type { Row } from '../entry.ts';
import type { Resource, Resources } from '../state.ts';
import { hasName, idsOf, type Reading } from './reading.ts';
import type { Places } from './scopes.ts';

const section = 'technicalUsers';

/** Technical users, and the others of the same accounts. */
export async function readTechnicalUsers(reading: Reading, places: Places): Promise<Resources> {
  const { manifest, declared, queries, idFor, addDesired, addCurrent, names } = reading;
  const found = new Map<string, Resource>();
  const rowsOf = new Map<string, readonly Row[]>();
  if (declared.has(section))
    for (const { ref } of places.existing)
      if (ref.startsWith('account:'))
        rowsOf.set(ref, await queries.list('technical-user.list', { account: ref }));
  for (const [name, user] of Object.entries(manifest.technicalUsers)) {
    const account = String(places.refOf(user.account));
    const called = user.name ?? name;
    const made = await idFor('technical-user', account, called);
    const rows = rowsOf.get(account) ?? [];
    const own = rows.find(({ id }) => id === (user.id ?? made));
    const row = own ?? (user.id === undefined ? rows.find((each) => hasName(each, called)) : undefined);
    const id = user.id ?? String(row?.id ?? made);
    found.set(name, { id, ref: `technical-user:${id}`, row });
    names.set(`technical-user:${id}`, name);
    const entry = { kind: 'technical-user', identity: { id }, label: name, section };
    addDesired({
      ...entry,
      path: [section, name],
      values: {
        name: called,
        description: user.description,
        properties: user.properties,
        status: user.status,
        endsAt: user.until,
      },
      fixed: { account },
    });
    if (row) addCurrent({ ...entry, values: row });
  }
  const taken = idsOf(found);
  for (const row of [...rowsOf.values()].flat()) {
    if (taken.has(String(row.id))) continue;
    const label = String(row.name);
    names.set(`technical-user:${row.id}`, label);
    addCurrent({ kind: 'technical-user', identity: { id: row.id }, values: row, label, section });
  }
  return found;
}
