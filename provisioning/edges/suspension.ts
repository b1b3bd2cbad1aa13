import type { Action } from '../../table/write/action.ts';
import type { Planning } from '../plan.ts';

/** What becomes of the memberships that a connection gave a user. */
export type OriginState = 'counts' | 'suspended' | 'ended';

/**
 * What brings the memberships that a connection gave a user to a state: for each that is not in it an edge's actions,
 * which must not be split.
 */
export const membershipsTo = async (
  _planning: Planning,
  _of: { readonly connection: string; readonly user: string },
  _state: OriginState,
): Promise<readonly (readonly Action[])[]> => [];
