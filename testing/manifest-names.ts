import { typeOf } from '../provisioning/apply/scope-commands.ts';
import { mayBeScopeType } from '../table/entities/scope-types.ts';
import { GatehouseError, invalid } from '../table/errors.ts';
import { REGISTERED_SUBJECT, SUBJECT_NODES } from '../table/identifiers.ts';
import { hint } from '../table/similar-words.ts';

/** What has a name in a manifest and a reference in the table. Each kind has names of its own. */
export type NamedKind = 'subject' | 'scope' | 'group' | 'role';

/** The names of a manifest. */
export interface ManifestNames {
  /** References by name, as checks and commands take them: `user:…`, `location:…`, `group:…`, `role:…`. */
  readonly of: (kind: NamedKind) => ReadonlyMap<string, string>;
  /** The name of a reference; undefined where it is none of the manifest. */
  readonly nameOf: (ref: string) => string | undefined;
}

const ADDED = `${REGISTERED_SUBJECT}:`;

const kindOf = (type: string): NamedKind | undefined => {
  if (SUBJECT_NODES.includes(type)) return 'subject';
  if (type === 'group' || type === 'role') return type;
  return mayBeScopeType(type) ? 'scope' : undefined;
};

/** @param names names by the reference of their node, as a plan has them */
export function namesBy(names: ReadonlyMap<string, string>): ManifestNames {
  const kinds = { subject: new Map(), scope: new Map(), group: new Map(), role: new Map() };
  for (const [node, name] of names) {
    const kind = kindOf(typeOf(node));
    // A subject of an added type is known by its own type.
    if (kind) kinds[kind].set(name, node.startsWith(ADDED) ? node.slice(ADDED.length) : node);
  }
  return {
    of: (kind) => kinds[kind],
    nameOf: (ref) => names.get(ref) ?? names.get(`${ADDED}${ref}`),
  };
}

const KINDS: readonly NamedKind[] = ['subject', 'scope', 'group', 'role'];

/** The error for a name that leads nowhere. */
export const unknownName = (what: string, name: string, known: Iterable<string>): GatehouseError =>
  new GatehouseError('not_found', `there is no ${what} ${name}: ${hint(name, known)}`, { field: what });

/**
 * The reference of a name that is of one of some kinds.
 *
 * @throws GatehouseError `not_found` with suggestions, `invalid` for a name of several kinds
 */
export function refOf(names: ManifestNames, name: string, kinds: readonly NamedKind[] = KINDS): string {
  const found = kinds.filter((kind) => names.of(kind).has(name));
  const [kind] = found;
  if (kind === undefined) {
    const known = kinds.flatMap((each) => [...names.of(each).keys()]);
    throw unknownName(kinds.length === 1 ? String(kinds[0]) : 'name', name, known);
  }
  if (found.length > 1)
    throw invalid(
      'kind',
      `${name} is a ${found.join(' and a ')}: say which one, as ref('${name}', '${kind}')`,
    );
  return names.of(kind).get(name) as string;
}

/** The same data with names in the place of references that were made up for them. */
export function withNames<T>(value: T, nameOf: ManifestNames['nameOf']): T {
  if (typeof value === 'string') return (nameOf(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((each) => withNames(each, nameOf)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNames(each, nameOf)])) as T;
}
