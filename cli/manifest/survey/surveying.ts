import { COMMANDS } from '../../../provisioning/index.ts';
import { normaliseName } from '../../../table/normalise.ts';
import type { Path, Problem } from '../../document.ts';
import { type Fact, without } from '../fact.ts';
import type { ManifestFile } from '../file.ts';
import type { Look, Row } from '../look.ts';
import type { Manifest } from '../schema.ts';

/** A thing that the file names, with the id that it has or will have. */
export interface Thing {
  readonly id: string;
  readonly ref: string;
  /** As it stands in the table; undefined for what is not there yet. */
  readonly row: Row | undefined;
}

/** Things by the names that the file gives them. */
export type Things = ReadonlyMap<string, Thing>;

/** What every section of a survey works with: the file, the table, and what has been found so far. */
export interface Surveying {
  readonly manifest: Manifest;
  readonly declared: ManifestFile['declared'];
  readonly look: Look;
  readonly wanted: readonly Fact[];
  readonly present: readonly Fact[];
  readonly problems: readonly Problem[];
  /** Names by reference. */
  readonly names: Map<string, string>;
  /** Roles by the id of what inherits from them, in the file and in the table. */
  readonly inherits: ReadonlyMap<string, ReadonlySet<string>>;
  /** Notes a fact of the manifest. */
  readonly want: (fact: Fact) => void;
  /** Notes a fact of the table. */
  readonly have: (fact: Omit<Fact, 'path'>) => void;
  readonly tell: (path: Path, message: string) => void;
  readonly inherit: (child: string, parent: string) => void;
  readonly nameOf: (ref: unknown) => string;
}

export function startSurvey({ manifest, declared }: ManifestFile, look: Look): Surveying {
  const wanted: Fact[] = [];
  const present: Fact[] = [];
  const problems: Problem[] = [];
  const names = new Map<string, string>();
  const inherits = new Map<string, Set<string>>();
  return {
    ...{ manifest, declared, look, wanted, present, problems, names, inherits },
    want: (fact) => void wanted.push({ ...fact, values: canonicalValues(fact) }),
    have: (fact) => void present.push({ ...fact, path: [] }),
    tell: (path, message) => void problems.push({ path, message }),
    inherit: (child, parent) =>
      void inherits.set(child, (inherits.get(child) ?? new Set<string>()).add(parent)),
    nameOf: (ref) => names.get(String(ref)) ?? String(ref),
  };
}

/** What all facts have in common that tie things together; the rest is for who makes one. */
export function tie({ nameOf }: Surveying, kind: string, identity: Row, section: string): Omit<Fact, 'path'> {
  const parts = Object.entries(identity).map(([field, value]) => {
    if (field === 'role' || field === 'group') return nameOf(`${field}:${value}`);
    // A technical user stands there by its reference, a user by its id.
    return nameOf(field === 'user' && !String(value).includes(':') ? `user:${value}` : value);
  });
  return { kind, identity, section, values: {}, label: parts.join(' > ') };
}

/** A field of a command's input in its canonical form, so that it can be compared with what is kept. */
export function canonical(command: string, field: string, value: unknown): unknown {
  const shape = (COMMANDS.get(command)?.input as { shape?: Row } | undefined)?.shape;
  const schema = shape?.[field] as
    | { safeParse: (value: unknown) => { success: boolean; data?: unknown } }
    | undefined;
  const parsed = schema?.safeParse(value);
  return parsed?.success ? parsed.data : value;
}

const canonicalValues = ({ kind, values }: Fact): Row =>
  Object.fromEntries(
    Object.entries(without(values)).map(([field, value]) => [
      field,
      value === null ? null : canonical(`${kind}.create`, field, value),
    ]),
  );

/** Whether a thing of the table is called so, as the table compares names. */
export const isCalled = ({ name }: Row, called: string): boolean => {
  try {
    return normaliseName(String(name), '') === normaliseName(called, '');
  } catch {
    return name === called;
  }
};

/** Ids of what the file names: what else is listed stands in the table only. */
export const idsOf = (things: Things): ReadonlySet<string> =>
  new Set([...things.values()].map(({ id }) => id));
