import { BUILT_IN_SUBJECTS, SCOPE_TYPES } from '../../table/index.ts';

/** The types of scopes and subjects that come with the table, by its registry; others were added as items. */

/** Types of roots: those that may be below another scope come last, for their list has these too. */
export const ROOT_TYPES: readonly string[] = Object.keys(SCOPE_TYPES)
  .filter((type) => SCOPE_TYPES[type]?.root)
  .sort((a, b) => parentsOf(a).length - parentsOf(b).length);

export const TYPES_BELOW: readonly string[] = Object.keys(SCOPE_TYPES).filter(
  (type) => parentsOf(type).length > 0,
);

export const SCOPE_TYPE_NAMES: readonly string[] = [...new Set([...ROOT_TYPES, ...TYPES_BELOW])];

export const SUBJECT_TYPES = BUILT_IN_SUBJECTS;

function parentsOf(type: string): readonly string[] {
  return SCOPE_TYPES[type]?.parents ?? [];
}

/** What may be below scopes of a type that comes with the table. */
export const typesBelow = (type: string): readonly string[] =>
  TYPES_BELOW.filter((each) => parentsOf(each).includes(type));

export const isScopeType = (type: string): boolean => Object.hasOwn(SCOPE_TYPES, type);
