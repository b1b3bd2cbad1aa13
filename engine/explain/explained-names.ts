import { isRef, parseRef, parseSubjectRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { DecisionReader } from '../item-cache.ts';
import { subjectOfId } from '../items.ts';
import type { Named, Place } from './explanation.ts';

/** Names in one explanation: as many as one BatchGetItem reads. Further entities are shown by reference. */
const MAX_NAMES = 100;

/**
 * The nodes that an explanation names. The explanation is built twice: first to collect references, then with
 * names.
 */
export interface Names {
  readonly of: (ref: string) => Named;
  /** As `of`, with the status from its node; `inactive` if that gives no reason. */
  readonly withStatus: (ref: string, active: boolean | undefined) => Place;
  /** The node itself, once read. */
  readonly node: (ref: string) => Item | undefined;
  /** Reads the nodes requested since the last read, in one call. False when there were none. */
  readonly read: (reader: Pick<DecisionReader, 'getMany'>) => Promise<boolean>;
}

export function createNames(): Names {
  const wanted = new Set<string>();
  const nodes = new Map<string, Item | undefined>();

  function node(id: string): Item | undefined {
    if (wanted.size < MAX_NAMES && isRef(subjectOfId(id))) wanted.add(id);
    return nodes.get(id);
  }

  /** The display name. For a user never an email address or phone number. */
  function of(id: string): Named {
    const ref = subjectOfId(id);
    const text = node(id)?.[ref.startsWith('user:') ? 'displayName' : 'name'];
    return { ref, name: typeof text === 'string' && text !== '' ? text : ref };
  }

  return {
    of,
    node,
    withStatus: (ref, active) => ({ ...of(ref), status: statusOf(active, node(ref)) }),
    read: async (reader) => {
      const refs = [...wanted].filter((ref) => !nodes.has(ref));
      if (refs.length === 0) return false;
      const items = await reader.getMany(refs.map((id) => nodeKey(refOf(id))));
      for (const [position, item] of items.entries()) nodes.set(String(refs[position]), item);
      return true;
    },
  };
}

/** A subject of a registered type is named by its id ({@link subjectId}), anything else by its reference. */
const refOf = (id: string): Ref =>
  subjectOfId(id) === id ? parseRef(id, 'ref') : parseSubjectRef(subjectOfId(id), 'ref');

/** The decision's state takes precedence: the node was read later and may have changed since. */
function statusOf(active: boolean | undefined, node: Item | undefined): string {
  if (active === undefined) return 'unknown';
  if (active) return 'active';
  if (node?.deletingSince !== undefined) return 'being deleted';
  if (node?.movingTo !== undefined) return 'being moved';
  return typeof node?.status === 'string' && node.status !== 'active' ? node.status : 'inactive';
}
