import { entityOf } from '../../../table/entities/registry.ts';
import { isStorable } from '../../../table/properties.ts';
import { inTurns } from '../../in-turns.ts';
import { type Entry, keyOf, type Row } from '../entry.ts';
import { type Manifest, SECTIONS } from '../schema.ts';
import { SECTION_OF } from '../sections.ts';
import { addNode, isPart, nodeOf, type Reading } from './reading.ts';

/** The sections of what belongs to no tenant and is known by its name. */
const CATALOGUE = SECTIONS.filter((section) => entityOf(SECTION_OF[section].kind)?.naturalKey);

/** What belongs to no tenant. Of declarations all that the table has, where anything of the manifest is compared with them. */
export async function readCatalogue(reading: Reading): Promise<void> {
  const { manifest, declared, queries, addCurrent } = reading;
  for (const section of CATALOGUE) {
    const { kind } = SECTION_OF[section];
    const entryOf = (row: Row) => {
      const label = section === 'properties' ? `${row.name} of ${row.of}` : String(row.name);
      return { ...nodeOf(section, row), shared: true, label };
    };
    const entries: readonly (readonly [string | number, Row])[] =
      section === 'properties'
        ? [...manifest.properties.entries()]
        : Object.entries(manifest[section] as Readonly<Record<string, Row>>).map(([name, of]) => [
            name,
            { ...of, name },
          ]);
    const listed = new Set(entries.map(([, of]) => keyOf(entryOf(of))));
    await inTurns(entries, async ([key, of]) => {
      const entry = entryOf(of);
      const row = await queries.read(`${kind}.read`, entry.identity);
      addNode(reading, entry, [section, key], of, row, section === 'properties' ? fixedOf(of) : {});
    });
    const isCompared = declared.has(section) && !isPart(reading);
    if (section === 'properties' ? declared.has(section) || usesProperties(manifest) : isCompared)
      for (const row of await queries.list(`${kind}.list`, {}))
        if (!listed.has(keyOf(entryOf(row)))) addCurrent({ ...entryOf(row), values: row });
  }
}

const fixedOf = ({ of, type, source }: Row): Partial<Entry> => ({
  fixed: { type, source: source ?? (isStorable(String(of)) ? undefined : 'passed') },
});

const usesProperties = ({ roles, scopes, users, technicalUsers }: Manifest): boolean =>
  Object.values(roles).some(({ allow, deny }) =>
    [...allow, ...deny].some(({ when }) => when !== undefined),
  ) ||
  [scopes, users, technicalUsers].some((section) =>
    Object.values<Row>(section).some(({ properties }) => properties !== undefined),
  );
