import type { Row } from '../entry.ts';
import { listOfMany } from '../queries.ts';
import type { NAMELESS } from '../schema.ts';
import { SECTION_OF } from '../sections.ts';
import type { Places } from './places.ts';
import { addNode, nodeOf, type Reading } from './reading.ts';

/**
 * Subscriptions, licences, and what groups of identity providers are. They have no names: those of one scope for one
 * purpose are numbered.
 */
export async function readNameless(
  reading: Reading,
  { ownersOf }: Places,
  section: (typeof NAMELESS)[number],
): Promise<void> {
  const { manifest, declared, queries, idFor, addCurrent, nameOf, meant } = reading;
  const { kind, by = '', words } = SECTION_OF[section];
  if (!declared.has(section)) return;
  /** The fields that name what it is for. */
  const others = Object.keys(words).filter((word) => words[word]?.is === 'fixed' && word !== by);
  const rows = await listOfMany(queries, { kind, by }, ownersOf(section));
  const left = new Map(rows.map((row) => [String(row.id), row]));
  const listed = manifest[section].map((of) => of as typeof of & Row);
  for (const { id } of listed) if (id !== undefined) left.delete(id);
  const counts = new Map<string, number>();
  const nameIn = (row: Row, field: string) => nameOf(field === 'group' ? `group:${row.group}` : row[field]);
  const labelOf = (row: Row) =>
    `${others.map((field) => nameIn(row, field)).join(' ')} at ${nameOf(row[by])}`;
  for (const [position, of] of listed.entries()) {
    const scope = String(meant('scopes', of[by]));
    const wanted: Row = Object.fromEntries(
      others.map((field) => {
        const { to } = words[field] ?? {};
        return [field, String(to ? meant(to, of[field]) : of[field])];
      }),
    );
    const what = Object.values(wanted).join(' ');
    const number = (counts.get(`${scope} ${what}`) ?? 0) + (of.id === undefined ? 1 : 0);
    counts.set(`${scope} ${what}`, number);
    const made = await idFor(kind, scope, what, String(number));
    const row =
      of.id === undefined
        ? (left.get(made) ?? [...left.values()].find((each) => isOf(each, { ...wanted, [by]: scope })))
        : (rows.find((each) => each.id === of.id) ?? (await queries.read(`${kind}.read`, { id: of.id })));
    const id = of.id ?? String(row?.id ?? made);
    left.delete(id);
    addNode(
      reading,
      { ...nodeOf(section, { id }), label: labelOf({ ...wanted, [by]: scope }) },
      [section, position],
      of,
      row,
    );
  }
  for (const row of left.values()) addCurrent({ ...nodeOf(section, row), values: row, label: labelOf(row) });
}

const isOf = (row: Row, wanted: Row): boolean =>
  Object.entries(wanted).every(([field, value]) => row[field] === value);
