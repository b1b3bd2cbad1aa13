import { MAX_ANCESTORS } from '../table/entities/scope-types.ts';
import { GatehouseError } from '../table/errors.ts';
import { needScope, SCOPE } from './needs.ts';
import type { Store } from './store.ts';

/** Scopes as whoever asks believes, or what gives them: asked only where something has to be read. */
export type Believed = readonly string[] | (() => readonly string[]);

/** What may stand above a scope that has to be read. It names what to read along and says nothing of it. */
export interface Hints {
  /** The scopes above this one when it was last read, however long ago. */
  readonly recalled: (scope: string) => readonly string[] | undefined;
  /** The scopes above it as whoever asks believes. Nothing but names of scopes, and no more than can stand above one. */
  readonly believed: (names: Believed | undefined) => readonly string[];
}

const NONE: readonly string[] = [];

/** How a read may fail for what a hint alone has named. */
const isMisled = (fault: unknown): boolean =>
  fault instanceof GatehouseError && (fault.code === 'damaged_item' || fault.code === 'limit_exceeded');

const canBeScope = (name: unknown): boolean => typeof name === 'string' && needScope(name) !== undefined;

/**
 * Hints for one answer: from what the cache has still, too old as it may be, or else from the question. Most often a
 * scope stands where it stood, or where it is believed to stand, so what is above it comes in the same read. A wrong
 * hint costs the units of what nobody looks at.
 */
export function createHints(store: Store) {
  let [isTaken, isOver] = [false, false];

  function taken<T extends readonly string[] | undefined>(names: T): T {
    if (names?.length) isTaken = true;
    return names;
  }

  const hints: Hints = {
    recalled: (scope) => (isOver ? undefined : taken(store.recall(SCOPE, scope)?.facts?.ancestors)),
    believed: (names) => {
      if (isOver || names === undefined) return NONE;
      const given = typeof names === 'function' ? names() : names;
      return given.length > MAX_ANCESTORS ? NONE : taken(given.filter(canBeScope));
    },
  };

  /** Nothing read, and no hints from now on, when those taken may be why a read failed. Throws any other fault. */
  function forgo(fault: unknown): ReadonlyMap<string, never> {
    if (!isTaken || isOver || !isMisled(fault)) throw fault;
    isOver = true;
    return new Map<string, never>();
  }

  return { hints, forgo };
}
