import { listOfMany } from '../queries.ts';
import { SECTION_OF } from '../sections.ts';
import type { Places } from './places.ts';
import { addNode, addOther, hasName, nodeOf, type Reading } from './reading.ts';

/** Invariants, by their names in a tenant. One that names no tenant is of the only one of the manifest. */
export async function readInvariants(reading: Reading, { roots, ownersOf }: Places): Promise<void> {
  const { manifest, declared, queries, idFor, meant, refuse } = reading;
  if (!declared.has('invariants')) return;
  const refs = roots.map(({ ref }) => ref);
  const rows = await listOfMany(queries, SECTION_OF.invariants, ownersOf('invariants'));
  const taken = new Set<unknown>();
  for (const [position, of] of manifest.invariants.entries()) {
    const sole = refs.length === 1 ? refs[0] : undefined;
    const scope = of.scope === undefined ? sole : meant('scopes', of.scope);
    if (scope === undefined) {
      refuse(['invariants', position, 'scope'], 'is needed: the manifest has several tenants, or none');
      continue;
    }
    const row = rows.find((each) =>
      of.id === undefined ? each.scope === scope && hasName(each, of.name) : each.id === of.id,
    );
    const id = of.id ?? String(row?.id ?? (await idFor('invariant', String(scope), of.name)));
    taken.add(id);
    const except = of.except === undefined ? null : { group: meant('groups', of.except.group) };
    addNode(reading, { ...nodeOf('invariants', { id }), label: of.name }, ['invariants', position], of, row, {
      and: { except },
      fixed: { scope },
    });
  }
  for (const row of rows) if (!taken.has(row.id)) addOther(reading, nodeOf('invariants', row), row, row.name);
}
