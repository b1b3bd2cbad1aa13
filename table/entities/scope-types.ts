import { invalid } from '../errors.ts';
import { parseRef, type Ref } from '../identifiers.ts';

/**
 * The scope types and which may stand under which: data, not code (SPEC section 1). A type with
 * `root: true` may stand alone; a root is a tenant, the isolation boundary.
 */
export interface ScopeType {
  readonly root: boolean;
  readonly parents: readonly string[];
}

export const SCOPE_TYPES: Readonly<Record<string, ScopeType>> = {
  tenant: { root: true, parents: [] },
  location: { root: true, parents: ['tenant'] },
  client: { root: true, parents: [] },
  project: { root: false, parents: ['client'] },
  building: { root: false, parents: ['project'] },
  zone: { root: false, parents: ['building', 'zone'] },
  device: { root: false, parents: ['building', 'zone'] },
  account: { root: true, parents: [] },
  enterprise: { root: true, parents: [] },
  workstream: { root: false, parents: ['account'] },
};

export const isScopeType = (type: string): boolean => Object.hasOwn(SCOPE_TYPES, type);

/** Reads a reference to a scope. Throws `invalid` naming `field` when the type is not a scope type. */
export function parseScopeRef(text: string, field: string): Ref {
  const ref = parseRef(text, field);
  if (!isScopeType(ref.type)) {
    throw invalid(
      field,
      `${field} has an unknown scope type; known are ${Object.keys(SCOPE_TYPES).join(', ')}`,
    );
  }
  return ref;
}
