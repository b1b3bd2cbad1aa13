import { GatehouseError } from '../table/errors.ts';
import { SCOPE } from './needs.ts';
import type { Store } from './store.ts';

/** The scopes above this one when it was last read, however long ago. It names what to read and says nothing of it. */
export type Hint = (scope: string) => readonly string[] | undefined;

/** How a read may fail for what a hint alone has named. */
const isMisled = (fault: unknown): boolean =>
  fault instanceof GatehouseError && (fault.code === 'damaged_item' || fault.code === 'limit_exceeded');

/**
 * Hints for one answer, from what the cache has still, too old as it may be. Most often a scope stands where it stood,
 * so what is above it comes in the same read. A wrong hint costs the units of what nobody looks at.
 */
export function createHints(store: Store) {
  let [isTaken, isOver] = [false, false];
  const hint: Hint = (scope) => {
    const above = isOver ? undefined : store.recall(SCOPE, scope)?.facts?.ancestors;
    if (above?.length) isTaken = true;
    return above;
  };

  /** Nothing read, and no hints from now on, when those taken may be why a read failed. Throws any other fault. */
  function forgo(fault: unknown): ReadonlyMap<string, never> {
    if (!isTaken || isOver || !isMisled(fault)) throw fault;
    isOver = true;
    return new Map<string, never>();
  }

  return { hint, forgo };
}
