import type { Row } from '../entry.ts';
import { inTurns } from '../queries.ts';
import type { Reading } from './reading.ts';

const asWritten = (of: Row): Row => of;

/** The sections of what belongs to no tenant and is known by its name, with the values as commands call them. */
const CATALOGUE = [
  { kind: 'scope-type', section: 'scopeTypes', valuesOf: asWritten },
  {
    kind: 'module',
    section: 'modules',
    valuesOf: ({ sold, ...rest }: Row): Row => ({ ...rest, soldBySubscription: sold }),
  },
  { kind: 'page', section: 'pages', valuesOf: asWritten },
  {
    kind: 'permission',
    section: 'permissions',
    valuesOf: ({ dangerous, ...rest }: Row): Row => ({ ...rest, isDangerous: dangerous }),
  },
] as const;

/** Scope types, modules, pages and permissions. */
export async function readCatalogue(reading: Reading): Promise<void> {
  const { manifest, declared, queries, addDesired, addCurrent } = reading;
  for (const { kind, section, valuesOf } of CATALOGUE) {
    const shared = { kind, section, shared: true };
    await inTurns(Object.entries<Row>(manifest[section]), async ([name, of]) => {
      const entry = { ...shared, identity: { name }, label: name };
      addDesired({ ...entry, values: valuesOf(of), path: [section, name] });
      const row = await queries.read(`${kind}.read`, { name });
      if (row) addCurrent({ ...entry, values: row });
    });
    if (!declared.has(section)) continue;
    for (const row of await queries.list(`${kind}.list`, {})) {
      const name = String(row.name);
      if (!Object.hasOwn(manifest[section], name))
        addCurrent({ ...shared, identity: { name }, label: name, values: row });
    }
  }
}
