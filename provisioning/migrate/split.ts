import type { SplitThresholds } from '../../table/decision/split.ts';
import { stamped } from '../../table/decision/writes.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';
import { isMeanwhile } from '../verify/relation.ts';
import { GROUPS_OF_SUBJECT } from './split-groups.ts';
import { FOLDED_ROLES } from './split-roles.ts';
import { GROUPS_OF_SCOPE } from './split-scope.ts';
import type { SplitTable, Splitting } from './splitting.ts';

/** All kinds of parts. */
export const SPLITTINGS: readonly Splitting[] = [GROUPS_OF_SUBJECT, GROUPS_OF_SCOPE, FOLDED_ROLES];

interface SplitterOptions extends Omit<SplitTable, 'send'> {
  /** Counts only, when left out. */
  readonly writer?: Writer | undefined;
  readonly thresholds: SplitThresholds;
  /** Whether parts are brought back into their items, instead of out of them. */
  readonly joins: boolean;
}

/** How often a transaction is planned anew because a command came between. The next migration goes on. */
const MAX_TRIES = 16;

/** Splits decision items, or joins them. */
export function createSplitter({ reader, writer, clock, newId, thresholds, joins }: SplitterOptions) {
  /** How many items were brought to the other form, and how many are left. */
  const counts = { split: 0, unsplit: 0 };
  const isWanted = (each: Splitting, item: Item): boolean =>
    joins ? each.isSplit(item) : !each.isSplit(item) && each.isDue(item, thresholds);

  /** Whether nothing is left to do. */
  async function carryOut(each: Splitting, key: Key, to: Writer): Promise<boolean> {
    const send = (actions: readonly Action[]) =>
      to.send(stamped(actions, { writtenAt: clock.now(), writeId: newId() }));
    for (let tries = 0; tries < MAX_TRIES; ) {
      const item = await reader.get(key);
      if (!item || !isWanted(each, item)) return true;
      try {
        if (!(await (joins ? each.join : each.split)({ reader, send, clock, newId }, item))) return false;
      } catch (error) {
        if (!isMeanwhile(error)) throw error;
        tries += 1;
      }
    }
    return false;
  }

  return {
    counts,
    look: async (item: Item): Promise<void> => {
      for (const each of SPLITTINGS) {
        if (!isWanted(each, item)) continue;
        const isDone = writer !== undefined && (await carryOut(each, { PK: item.PK, SK: item.SK }, writer));
        counts[isDone ? 'split' : 'unsplit'] += 1;
      }
    },
  };
}
