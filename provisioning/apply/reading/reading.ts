import { entityOf } from '../../../table/entities/registry.ts';
import { normaliseName } from '../../../table/normalise.ts';
import { fieldsOf } from '../../command.ts';
import { type Entry, pick, type Row, subjectName, without } from '../entry.ts';
import type { Parsed } from '../parse.ts';
import type { Path, Problem } from '../problem.ts';
import type { Queries } from '../queries.ts';
import type { Manifest, Section } from '../schema.ts';
import { SECTION_OF } from '../sections.ts';
import type { Commands, Resource, Resources, State } from '../state.ts';

/** What the reading of a state works with. */
export interface ReadingOptions {
  readonly queries: Queries;
  readonly commands: Commands;
  /** The id of a node that does not exist yet, from what it is and where it belongs. */
  readonly idFor: (...parts: readonly string[]) => Promise<string>;
}

/** The sections whose entries others name, by a name that is the manifest's own. */
const NAMED = ['scopes', 'roles', 'groups', 'users', 'technicalUsers', 'subjects'] as const;
type NodeSection = (typeof NAMED)[number];

/** A state while it is read, section by section. */
export interface Reading extends Omit<State, 'scopes'>, ReadingOptions {
  readonly manifest: Manifest;
  readonly declared: Parsed['declared'];
  readonly names: Map<string, string>;
  /** What the manifest names in the sections that are read so far. */
  readonly found: Readonly<Record<NodeSection, Map<string, Resource>>>;
  readonly addDesired: (entry: Entry) => void;
  readonly addCurrent: (entry: Omit<Entry, 'path'>) => void;
  readonly refuse: (path: Path, message: string) => void;
  readonly inherit: (child: string, parent: string) => void;
  readonly nameOf: (ref: unknown) => string;
  /** What commands call an entry of the manifest: a role or a group by its id, others by reference; null stays null. */
  readonly meant: (section: Section, name: unknown) => unknown;
}

export function startReading({ manifest, declared }: Parsed, options: ReadingOptions): Reading {
  const desired: Entry[] = [];
  const current: Entry[] = [];
  const problems: Problem[] = [];
  const names = new Map<string, string>();
  const inherits = new Map<string, Set<string>>();
  const found = Object.fromEntries(
    NAMED.map((section) => [section, new Map()]),
  ) as unknown as Reading['found'];
  return {
    ...options,
    manifest,
    declared,
    desired,
    current,
    problems,
    names,
    inherits,
    found,
    addDesired: (entry) => void desired.push({ ...entry, values: canonicalValues(options.commands, entry) }),
    addCurrent: (entry) => void current.push({ ...entry, path: [] }),
    refuse: (path, message) => void problems.push({ path, message }),
    inherit: (child, parent) =>
      void inherits.set(child, (inherits.get(child) ?? new Set<string>()).add(parent)),
    nameOf: (ref) => names.get(String(ref)) ?? String(ref),
    meant: (section, name) => {
      const known = Object.hasOwn(found, section) ? found[section as NodeSection] : undefined;
      if (!known || typeof name !== 'string') return name;
      return known.get(name)?.[section === 'roles' || section === 'groups' ? 'id' : 'ref'];
    },
  };
}

/**
 * Whether only what the manifest names is compared. Then lists that may be long are read only where something without an
 * id has to be found by its name.
 */
export const isPart = ({ manifest }: Pick<Reading, 'manifest'>): boolean => manifest.part === true;

const hasNoId = ({ id }: { readonly id?: string | undefined }): boolean => id === undefined;

/** Whether the nodes of a list are to be read of which the manifest names these. */
export const readsList = (
  reading: Pick<Reading, 'manifest'>,
  named: readonly { readonly id?: string | undefined }[],
): boolean => !isPart(reading) || named.some(hasNoId);

type Node = Pick<Entry, 'kind' | 'identity' | 'section' | 'shared'>;

/** What names a node: fields of a row, or of what a manifest says. */
export function nodeOf(section: Section, row: Row, kind = SECTION_OF[section].kind): Node {
  const { naturalKey, typeFrom } = entityOf(kind) ?? {};
  return { kind, identity: pick(row, naturalKey ?? [typeFrom ?? [], 'id'].flat()), section };
}

/**
 * Adds a node that the manifest describes, with what the table has of it.
 *
 * @param key its name, or its place in a list
 * @param more what the table of sections does not say of it, with further values (`and`)
 */
export function addNode(
  { addDesired, addCurrent, meant }: Reading,
  node: Node & Pick<Entry, 'label'>,
  [section, key]: readonly [Section, string | number],
  of: Row,
  row: Row | undefined,
  { and = {}, ...more }: Partial<Entry> & { readonly and?: Row } = {},
): void {
  const said = Object.entries(SECTION_OF[section].words).flatMap(
    ([word, { field = word, to, is, clears }]) => {
      if (is === 'id' || is === 'apart') return [];
      const given = of[word] ?? (is === 'name' ? key : clears ? null : of[word]);
      return [{ is, field, value: to ? meant(to, given) : given }];
    },
  );
  const fieldsThat = (isMeant: (is: unknown) => boolean): Row =>
    Object.fromEntries(said.flatMap(({ is, field, value }) => (isMeant(is) ? [[field, value]] : [])));
  addDesired({
    ...node,
    path: [section, key],
    values: { ...fieldsThat((is) => is !== 'fixed'), ...and },
    fixed: without(fieldsThat((is) => is === 'fixed')),
    ...more,
  });
  if (row) addCurrent({ ...node, values: row });
}

/** Adds a node that only the table has, and what it is called. */
export function addOther(
  { addCurrent, names }: Reading,
  node: Node,
  row: Row,
  name: unknown,
  label = String(name),
): void {
  const { kind, identity } = node;
  names.set(`${kind === 'subject' ? `subject:${identity.type}` : kind}:${row.id}`, String(name));
  addCurrent({ ...node, label, values: row });
}

/** What all entries of edges have in common. */
export function edgeEntry(
  { nameOf }: Reading,
  kind: string,
  identity: Row,
  section: string,
): Omit<Entry, 'path'> {
  const parts = Object.entries(identity).map(([field, value]) => {
    if (field === 'role' || field === 'group') return nameOf(`${field}:${value}`);
    return nameOf(field === 'user' ? subjectName(value) : value);
  });
  return { kind, identity, section, values: {}, label: parts.join(' > ') };
}

/** A field of a command's input in its canonical form, in which the table keeps it. */
export function asKept(commands: Commands, command: string, field: string, value: unknown): unknown {
  const parsed = fieldsOf(commands.get(command))[field]?.safeParse(value);
  return parsed?.success ? parsed.data : value;
}

const canonicalValues = (commands: Commands, { kind, values }: Entry): Row =>
  Object.fromEntries(
    Object.entries(without(values)).map(([field, value]) => [
      field,
      value === null ? null : asKept(commands, `${kind}.create`, field, value),
    ]),
  );

/** Whether a row of the table has this name, as the table compares names. */
export const hasName = ({ name }: Row, wanted: string): boolean => {
  try {
    return normaliseName(String(name), '') === normaliseName(wanted, '');
  } catch {
    return name === wanted;
  }
};

/** Ids of what the manifest names: what else is listed is in the table only. */
export const idsOf = (resources: Resources): ReadonlySet<string> =>
  new Set([...resources.values()].map(({ id }) => id));
