import { stampOf } from '../../table/decision/decode.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, nodeKey } from '../../table/keys.ts';
import { fault, type Relation } from './relation.ts';

/** Milliseconds for which the steps of a command may go on: so long ago, it was most likely interrupted. */
const MOST_STEPS_MS = 3_600_000;

/**
 * A deletion or a move in steps (ADR 0007) that was interrupted. What its first step has closed stays closed until
 * somebody sends the command again.
 */
export function unfinishedRelation(ref: Ref, item: Item, now: number): readonly Relation[] {
  if (item.deletingSince === undefined && item.movingTo === undefined) return [];
  const key = nodeKey(ref);
  return [
    {
      name: `steps ${key.PK}`,
      // The node of a moving scope does not say since when; what decisions read was written when it was closed.
      keys: item.movingTo === undefined ? [key] : [key, decisionKey(ref)],
      judge: ([node, decision]) => {
        if (!node) return [];
        const { deletingSince, movingTo } = node;
        const isDeletion = deletingSince !== undefined;
        if (!isDeletion && movingTo === undefined) return [];
        const begun = isDeletion
          ? Date.parse(String(deletingSince))
          : decision && stampOf(decision)?.writtenAt;
        if (begun === undefined || !(begun < now - MOST_STEPS_MS)) return [];
        const expected = isDeletion
          ? 'none: send the deletion again'
          : `none: send scope.move to ${movingTo} again, or move it back`;
        const attribute = isDeletion ? 'deletingSince' : 'movingTo';
        return [fault('unfinished', key, expected, { attribute, effect: 'closes' })];
      },
    },
  ];
}
