import type { Row } from '../entry.ts';
import { addNode, addOther, hasName, idsOf, nodeOf, type Reading } from './reading.ts';
import type { Places } from './scopes.ts';

const section = 'technicalUsers';

/** Technical users, and the others of the same accounts. */
export async function readTechnicalUsers(reading: Reading, { existing }: Places): Promise<void> {
  const { manifest, declared, queries, idFor, meant, names } = reading;
  const { technicalUsers: found } = reading.found;
  const rowsOf = new Map<unknown, readonly Row[]>();
  for (const { ref } of declared.has(section) ? existing : [])
    if (ref.startsWith('account:'))
      rowsOf.set(ref, await queries.list('technical-user.list', { account: ref }));
  for (const [name, user] of Object.entries(manifest.technicalUsers)) {
    const account = meant('scopes', user.account);
    const called = user.name ?? name;
    const made = await idFor('technical-user', String(account), called);
    const rows = rowsOf.get(account) ?? [];
    const row =
      rows.find(({ id }) => id === (user.id ?? made)) ??
      (user.id === undefined ? rows.find((each) => hasName(each, called)) : undefined);
    const id = user.id ?? String(row?.id ?? made);
    found.set(name, { id, ref: `technical-user:${id}`, row });
    names.set(`technical-user:${id}`, name);
    addNode(reading, { ...nodeOf(section, { id }), label: name }, [section, name], user, row);
  }
  const taken = idsOf(found);
  for (const row of [...rowsOf.values()].flat())
    if (!taken.has(String(row.id))) addOther(reading, nodeOf(section, row), row, row.name);
}
