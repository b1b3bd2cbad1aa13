import { BUILT_IN_SUBJECTS, SCOPE_TYPES } from '../../table/index.ts';

/** The types of scopes and subjects that come with the table, by its registry; others were added as items. */

/** Those that may be below another scope come last, for the lists of roots have these too. */
const byParents = Object.entries(SCOPE_TYPES).sort(([, a], [, b]) => a.parents.length - b.parents.length);

/** Types of roots. */
export const ROOT_TYPES: readonly string[] = byParents.flatMap(([type, { root }]) => (root ? type : []));

export const SCOPE_TYPE_NAMES: readonly string[] = [...new Set([...ROOT_TYPES, ...Object.keys(SCOPE_TYPES)])];

export const SUBJECT_TYPES = BUILT_IN_SUBJECTS;
