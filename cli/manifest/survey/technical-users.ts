import { derivedId } from '../fact.ts';
import type { Row } from '../look.ts';
import type { Places } from './scopes.ts';
import { idsOf, isCalled, type Surveying, type Thing, type Things } from './surveying.ts';

const section = 'technicalUsers';

/** Technical users, and the others of the same accounts. */
export async function surveyTechnicalUsers(surveying: Surveying, places: Places): Promise<Things> {
  const { manifest, declared, look, want, have, names } = surveying;
  const found = new Map<string, Thing>();
  const rowsOf = new Map<string, readonly Row[]>();
  if (declared.has(section))
    for (const { ref } of places.existing)
      if (ref.startsWith('account:'))
        rowsOf.set(ref, await look.list('technical-user.list', { account: ref }));
  for (const [name, user] of Object.entries(manifest.technicalUsers)) {
    const account = String(places.refOf(user.account));
    const called = user.name ?? name;
    const made = derivedId('technical-user', account, called);
    const rows = rowsOf.get(account) ?? [];
    const own = rows.find(({ id }) => id === (user.id ?? made));
    const row = own ?? (user.id === undefined ? rows.find((each) => isCalled(each, called)) : undefined);
    const id = user.id ?? String(row?.id ?? made);
    found.set(name, { id, ref: `technical-user:${id}`, row });
    names.set(`technical-user:${id}`, name);
    const fact = { kind: 'technical-user', identity: { id }, label: name, section };
    want({
      ...{ ...fact, path: [section, name] },
      values: { name: called, description: user.description, status: user.status, endsAt: user.until },
      fixed: { account },
    });
    if (row) have({ ...fact, values: row });
  }
  const taken = idsOf(found);
  for (const row of [...rowsOf.values()].flat()) {
    if (taken.has(String(row.id))) continue;
    const label = String(row.name);
    names.set(`technical-user:${row.id}`, label);
    have({ kind: 'technical-user', identity: { id: row.id }, values: row, label, section });
  }
  return found;
}
