/** What is proved. */
export { type Invariant, permissionsOf } from '../../table/invariant.ts';
