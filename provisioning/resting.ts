import { identityOf } from '../table/keys.ts';
import { type Action, keyOf } from '../table/write/action.ts';
import type { Seen } from './batched-reads.ts';

/** Whether one plan rests on what another one changes: it is made when that is written then. */

/** The revision of a node: it counts what came and went, and says nothing that a plan rests on. */
export const isTouch = (action: Action): boolean =>
  action.kind === 'check' ||
  (action.kind === 'update' &&
    [action.set, action.takeOut, action.remove].every((part) => Object.keys(part ?? {}).length === 0) &&
    Object.keys(action.add ?? {}).every((name) => name === 'rev'));

export const hasAny = (set: ReadonlySet<string>, all: Iterable<string>): boolean => {
  if (set.size > 0) for (const each of all) if (set.has(each)) return true;
  return false;
};

/** Whether planning has looked at an item that these actions change, or at a list, which may hold any of them. */
export const hasSeen = (seen: Seen, actions: readonly Action[]): boolean =>
  seen.hasListed() ||
  hasAny(
    new Set(actions.filter((action) => !isTouch(action)).map((action) => identityOf(keyOf(action)))),
    seen.keys,
  );
