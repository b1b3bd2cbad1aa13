import { isStorable } from '../../table/properties.ts';
import type { Row } from '../apply/entry.ts';
import type { Queries } from '../apply/queries.ts';
import { isList, SECTIONS, type Section } from '../apply/schema.ts';
import { ownersOf, SECTION_OF } from '../apply/sections.ts';
import { accessBy } from './access.ts';
import { canonicalManifest } from './canonical.ts';
import { type NamesBySection, namesOf } from './exported-names.ts';
import { type Gathered, gather, type Wanted } from './gather.ts';

export interface ExportOptions extends Wanted {
  /** Whether to write ids: without them the manifest describes another tenant like this one. */
  readonly ids: boolean;
}

/** Tenants of a table, as a manifest that makes the same of an empty one. */
export interface Exported {
  readonly manifest: Row;
  /** What no manifest can say, in sentences. */
  readonly notes: readonly string[];
}

/** Reads tenants by commands alone: first what is there, then, when all of it is known, what it is called. */
export async function exportManifest(queries: Queries, { ids, ...wanted }: ExportOptions): Promise<Exported> {
  const gathered = await gather(queries, wanted);
  assertWhole(gathered);
  const names = namesOf(gathered);
  const special = specialOf(gathered, names);
  const nothingOf = ids ? statedNothing(gathered) : () => ({});
  const notes: string[] = [];
  const sections = SECTIONS.map((section): [Section, readonly (readonly [string, Row])[]] => {
    const entries = [...gathered.rows[section]].flatMap(([key, row]) => {
      const name = names[section] ? names[section].of(key) : key;
      const note = noteOn(section, key, row, names);
      if (note !== undefined) notes.push(note);
      if (name === undefined) return [];
      const fields = {
        ...fieldsOf(section, name, row, names),
        ...special[section]?.(row, name, key),
        ...nothingOf(section, row),
      };
      return [[name, kept(ids ? fields : { ...fields, id: undefined })] as const];
    });
    return [section, entries];
  });
  const said = sections.flatMap(([section, entries]) => {
    if (entries.length === 0 && !(ids && isOfScopes(section, gathered))) return [];
    return [
      [section, isList(section) ? entries.map(([, fields]) => fields) : Object.fromEntries(entries)] as const,
    ];
  });
  // A manifest without any section would be refused: that of an empty table says that it has no scopes.
  const manifest = said.length === 0 ? { scopes: {} } : Object.fromEntries(said);
  return { manifest: canonicalManifest(manifest), notes };
}

/** Throws where something of a tenant needs an enterprise that is not exported. */
function assertWhole({ rows: { scopes, licenses } }: Gathered): void {
  const assertThere = (what: string, enterprise: unknown): void => {
    if (enterprise !== undefined && !scopes.has(String(enterprise)))
      throw new Error(`${what} ${enterprise}, which is not exported: name it as well (--root)`);
  };
  for (const [ref, { enterprise }] of scopes) assertThere(`${ref} is linked to`, enterprise);
  for (const { enterprise } of licenses.values()) assertThere('a licence is for', enterprise);
}

/** The fields of an entry as the table of sections has them. */
const fieldsOf = (section: Section, name: string, row: Row, names: NamesBySection): Row =>
  Object.fromEntries(
    Object.entries(SECTION_OF[section].words).map(([word, { field = word, to, usual, is }]) => {
      const value = row[field];
      const of = to && names[to]?.of;
      if (of) return [word, Array.isArray(value) ? value.map(of) : of(value)];
      return [word, value === (is === 'name' ? name : usual) ? undefined : value];
    }),
  );

/** What of an entry follows from more than one field. */
function specialOf(gathered: Gathered, names: NamesBySection) {
  const accessOf = accessBy(gathered, names);
  const { roots } = gathered;
  const sole = roots.length === 1 ? roots[0] : undefined;
  /** Where somebody is at home, as far as that has to be said: left out, it would be the one tenant of the file. */
  const homeOf = ({ tenant }: Row): string | null | undefined => {
    const name = names.scopes.of(tenant);
    if (name === undefined) return sole === undefined ? undefined : null;
    return tenant === sole ? undefined : name;
  };
  const effectsOf = ({ effects }: Row, wanted: string) =>
    (effects as readonly Row[])
      .filter(({ effect }) => effect === wanted)
      .map(({ permission, when }) => (when === undefined ? permission : { permission, when }));
  const special: Partial<Record<Section, (row: Row, name: string, key: string) => Row>> = {
    properties: ({ of, source }) => ({ source: isStorable(String(of)) ? source : undefined }),
    roles: (row) => ({
      global: row.scope === 'global' ? true : undefined,
      allow: effectsOf(row, 'ALLOW'),
      deny: effectsOf(row, 'DENY'),
    }),
    invariants: ({ except }) => ({
      except: except ? { group: names.groups.of((except as Row).group) } : undefined,
    }),
    users: (row, name, key) => ({
      tenant: homeOf(row),
      // Left out, it would be the key, and a key with an @ the email.
      displayName: row.displayName ?? null,
      email: row.email ?? (name.includes('@') ? null : undefined),
      ...accessOf(key),
    }),
    technicalUsers: (_row, _name, key) => accessOf(key),
    subjects: (row, name, key) => ({
      tenant: homeOf(row),
      name: row.name === name ? undefined : (row.name ?? null),
      ...accessOf(key),
    }),
  };
  return special;
}

/**
 * Whether scopes of these could have entries of a section. Where they have none, the export says so: to take back an
 * apply, `--prune` removes what is in sections that a manifest has.
 */
function isOfScopes(section: Section, { rows: { scopes }, roots }: Gathered): boolean {
  const { by, words } = SECTION_OF[section];
  if (by !== undefined) return ownersOf(section, [...scopes.keys()], roots).length > 0;
  return roots.length > 0 && Object.values(words).some(({ to }) => to === 'scopes');
}

/**
 * Says of an entry that has no properties, and could have some, that it has none: conditions may look at what is given
 * later. Not of people who are at home elsewhere, whose properties are for others to give.
 */
function statedNothing({ rows }: Gathered): (section: Section, row: Row) => Row {
  const stored = new Set([...rows.properties.values()].map(({ of, source }) => source === 'stored' && of));
  return (section, { properties, scopeType, type, tenant, account }) => {
    const { kind } = SECTION_OF[section];
    const of =
      section === 'scopes' ? `resource:${scopeType}` : `subject:${section === 'subjects' ? type : kind}`;
    const isAtHome = section === 'scopes' || rows.scopes.has(String(tenant ?? account));
    return isAtHome && properties === undefined && stored.has(of) ? { properties: null } : {};
  };
}

/** What of an entry no manifest can say. */
function noteOn(section: Section, key: string, row: Row, names: NamesBySection): string | undefined {
  const name = names[section]?.of(key);
  if (section === 'roles' && row.customTemplateId !== undefined)
    return `the role ${name} was made from a template: that is not in the manifest, its permissions are`;
  if (section === 'technicalUsers' && name === undefined)
    return `the technical user ${row.name} (${key}) of ${row.account}, which is not exported, is left out`;
  if (section !== 'users' && section !== 'subjects') return undefined;
  if (row.tenant === undefined || names.scopes.of(row.tenant) !== undefined) return undefined;
  return `the ${SECTION_OF[section].kind} ${name} is at home in ${row.tenant}, which is not exported`;
}

/** The fields that have a value. */
const kept = (fields: Row): Row =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
