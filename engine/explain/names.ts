import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { DecisionReader } from '../item-cache.ts';
import type { Named, Place } from './explanation.ts';

/** Names of one explanation, as many as one BatchGetItem takes. What is asked for later shows its reference. */
const MAX_NAMES = 100;

/** The nodes that an explanation names. It is made once to learn what it names, and again with the names. */
export interface Names {
  readonly of: (ref: string) => Named;
  /** The same with the status that its node says; `inactive` where that does not say why. */
  readonly withStatus: (ref: string, active: boolean | undefined) => Place;
  /** The node itself, once it is read. */
  readonly node: (ref: string) => Item | undefined;
  /** Reads what was asked for and is not read yet, in one call. False when there was nothing to read. */
  readonly read: (reader: Pick<DecisionReader, 'getMany'>) => Promise<boolean>;
}

export function createNames(): Names {
  const wanted = new Set<string>();
  const nodes = new Map<string, Item | undefined>();

  function node(ref: string): Item | undefined {
    if (wanted.size < MAX_NAMES && isRef(ref)) wanted.add(ref);
    return nodes.get(ref);
  }

  /** What people call it. Of a user the display name and nothing else: no address, no number. */
  function of(ref: string): Named {
    const text = node(ref)?.[ref.startsWith('user:') ? 'displayName' : 'name'];
    return { ref, name: typeof text === 'string' && text !== '' ? text : ref };
  }

  return {
    of,
    node,
    withStatus: (ref, active) => ({ ...of(ref), status: statusOf(active, node(ref)) }),
    read: async (reader) => {
      const refs = [...wanted].filter((ref) => !nodes.has(ref));
      if (refs.length === 0) return false;
      const items = await reader.getMany(refs.map((ref) => nodeKey(parseRef(ref, 'ref'))));
      for (const [position, item] of items.entries()) nodes.set(String(refs[position]), item);
      return true;
    },
  };
}

/** The decision's own word comes first: the node was read a moment later and may say otherwise by now. */
function statusOf(active: boolean | undefined, node: Item | undefined): string {
  if (active === undefined) return 'unknown';
  if (active) return 'active';
  if (node?.deletingSince !== undefined) return 'being deleted';
  if (node?.movingTo !== undefined) return 'being moved';
  return typeof node?.status === 'string' && node.status !== 'active' ? node.status : 'inactive';
}
