import { entityOf } from '../../../table/entities/registry.ts';
import { inTurns } from '../../in-turns.ts';
import type { Row } from '../entry.ts';
import type { Section } from '../schema.ts';
import { nameFieldOf, SECTION_OF } from '../sections.ts';
import type { Resource } from '../state.ts';
import type { Places } from './places.ts';
import { addNode, addOther, hasName, idsOf, nodeOf, type Reading } from './reading.ts';

/** What is called by a name and hangs on scopes of one type, technical users and plain kinds, and the others of these scopes. */
export async function readOwned(reading: Reading, { ownersOf }: Places, section: Section): Promise<void> {
  const { declared, queries, idFor, meant, names } = reading;
  const { kind, by = '' } = SECTION_OF[section];
  const isUnique = (entityOf(kind)?.guards.length ?? 0) > 0;
  const nameField = nameFieldOf(section);
  const found: Map<string, Resource> =
    (reading.found as Partial<Reading['found']>)[section as 'technicalUsers'] ?? new Map();
  const entries = Object.entries(reading.manifest[section] as Readonly<Record<string, Row>>);
  const owners = declared.has(section) ? ownersOf(section) : [];
  const rowsOf = new Map(
    await inTurns(owners, async (ref) => [ref, await queries.list(`${kind}.list`, { [by]: ref })] as const),
  );
  const rowOf = async (
    { id }: Row,
    owner: unknown,
    called: string,
    made: string,
  ): Promise<Row | undefined> => {
    const own = rowsOf.get(String(owner)) ?? [];
    const row = own.find((each) => each.id === (id ?? made));
    if (row || id !== undefined) return row;
    if (isUnique) return queries.read(`${kind}.read`, { [nameField]: called });
    return own.find((each) => hasName(each, called));
  };
  const read = await inTurns(entries, async ([name, of]) => {
    const [owner, called] = [meant('scopes', of[by]), String(of[nameField] ?? name)];
    const made = await idFor(kind, String(owner), called);
    return { made, row: await rowOf(of, owner, called, made) };
  });
  for (const [position, [name, of]] of entries.entries()) {
    const { made, row } = read[position] as (typeof read)[number];
    const id = String(of.id ?? row?.id ?? made);
    found.set(name, { id, ref: `${kind}:${id}`, row });
    names.set(`${kind}:${id}`, name);
    addNode(reading, { ...nodeOf(section, { id }), label: name }, [section, name], of, row);
  }
  const taken = idsOf(found);
  for (const row of [...rowsOf.values()].flat())
    if (!taken.has(String(row.id))) addOther(reading, nodeOf(section, row), row, row[nameField]);
}
