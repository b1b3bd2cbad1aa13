import { normaliseName } from '../../../table/normalise.ts';
import { type Entry, type Row, subjectName, without } from '../entry.ts';
import type { Parsed } from '../parse.ts';
import type { Path, Problem } from '../problem.ts';
import type { Queries } from '../queries.ts';
import type { Manifest } from '../schema.ts';
import { type Commands, fieldsOf, type Resources, type State } from '../state.ts';

/** What the reading of a state works with. */
export interface ReadingOptions {
  readonly queries: Queries;
  readonly commands: Commands;
  /** The id of a node that does not exist yet, from what it is and where it belongs. */
  readonly idFor: (...parts: readonly string[]) => Promise<string>;
}

/** A state while it is read, section by section. */
export interface Reading extends Omit<State, 'scopes'>, ReadingOptions {
  readonly manifest: Manifest;
  readonly declared: Parsed['declared'];
  readonly names: Map<string, string>;
  readonly addDesired: (entry: Entry) => void;
  readonly addCurrent: (entry: Omit<Entry, 'path'>) => void;
  readonly refuse: (path: Path, message: string) => void;
  readonly inherit: (child: string, parent: string) => void;
  readonly nameOf: (ref: unknown) => string;
}

export function startReading({ manifest, declared }: Parsed, options: ReadingOptions): Reading {
  const desired: Entry[] = [];
  const current: Entry[] = [];
  const problems: Problem[] = [];
  const names = new Map<string, string>();
  const inherits = new Map<string, Set<string>>();
  return {
    ...options,
    manifest,
    declared,
    desired,
    current,
    problems,
    names,
    inherits,
    addDesired: (entry) => void desired.push({ ...entry, values: canonicalValues(options.commands, entry) }),
    addCurrent: (entry) => void current.push({ ...entry, path: [] }),
    refuse: (path, message) => void problems.push({ path, message }),
    inherit: (child, parent) =>
      void inherits.set(child, (inherits.get(child) ?? new Set<string>()).add(parent)),
    nameOf: (ref) => names.get(String(ref)) ?? String(ref),
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
  const schema = fieldsOf(commands, command)[field] as
    | { safeParse: (value: unknown) => { success: boolean; data?: unknown } }
    | undefined;
  const parsed = schema?.safeParse(value);
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
