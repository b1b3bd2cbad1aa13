import { isStorable } from '../../../table/properties.ts';
import { canonical } from '../../canonical.ts';
import { inTurns } from '../../in-turns.ts';
import type { Row } from '../entry.ts';
import type { Manifest } from '../schema.ts';
import { isPart, type Reading } from './reading.ts';

const asWritten = (of: Row): Row => of;

/** The sections of what belongs to no tenant and is known by its name, with the values as commands call them. */
const CATALOGUE = [
  { kind: 'scope-type', section: 'scopeTypes', valuesOf: asWritten },
  { kind: 'subject-type', section: 'subjectTypes', valuesOf: asWritten },
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
  { kind: 'resource-type', section: 'resourceTypes', valuesOf: asWritten },
] as const;

/** What belongs to no tenant, but for declarations of properties. */
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
    if (!declared.has(section) || isPart(reading)) continue;
    for (const row of await queries.list(`${kind}.list`, {})) {
      const name = String(row.name);
      if (!Object.hasOwn(manifest[section], name))
        addCurrent({ ...shared, identity: { name }, label: name, values: row });
    }
  }
}

/** Declarations of properties: all of the table where anything of the manifest is compared with them. */
export async function readProperties(reading: Reading): Promise<void> {
  const { manifest, declared, queries, addDesired, addCurrent } = reading;
  const section = 'properties';
  const entryOf = ({ of, name }: Row) => ({
    kind: 'property',
    section,
    shared: true,
    identity: { of, name },
    label: `${name} of ${of}`,
  });
  const listed = new Set<string>();
  await inTurns([...manifest.properties.entries()], async ([position, property]) => {
    const { of, name, type, source, description } = property;
    const entry = entryOf(property);
    listed.add(canonical(entry.identity));
    addDesired({
      ...entry,
      values: { description },
      fixed: { type, source: source ?? (isStorable(of) ? undefined : 'passed') },
      path: [section, position],
    });
    const row = await queries.read('property.read', { of, name });
    if (row) addCurrent({ ...entry, values: row });
  });
  if (!declared.has(section) && !usesProperties(manifest)) return;
  for (const row of await queries.list('property.list', {})) {
    const entry = entryOf(row);
    if (!listed.has(canonical(entry.identity))) addCurrent({ ...entry, values: row });
  }
}

const usesProperties = ({ roles, scopes, users, technicalUsers }: Manifest): boolean =>
  Object.values(roles).some(({ allow, deny }) =>
    [...allow, ...deny].some(({ when }) => when !== undefined),
  ) ||
  [scopes, users, technicalUsers].some((section) =>
    Object.values<Row>(section).some(({ properties }) => properties !== undefined),
  );
