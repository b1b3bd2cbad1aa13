import { BY_SCOPE } from '../../table/decision/split.ts';
import { stale } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { GATES, gateKey, identityOf, type Key, nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, type Delete, type Expected, keyOf, type Update } from '../../table/write/action.ts';
import type { Node } from '../plan.ts';

/**
 * Creations that rest on the same nodes (a tenant, its connection, its domain), which seldom change. DynamoDB lets one
 * transaction at a time write an item or check it, so creations that each did so would queue. What they rest on is
 * therefore noted in a gate of the tenant, one of sixteen, and a creation asks for its gate in place of the nodes.
 *
 * What a gate says is true as long as it is there: whatever makes it untrue deletes all gates in the same transaction.
 * Where a gate does not say it, a creation asks for the nodes themselves, and notes it.
 */
export const GATE = 'Gate';

/** What is noted of a node: that it is this one, and what else creations rest on. */
const NOTED = ['createdAt', 'issuer', BY_SCOPE] as const;

/** More are not noted: an item that each creation writes stays small. */
const MOST_NOTED = 64;

/** What a gate says of a node. */
export const notedOf = (item: Item): string => NOTED.map((name) => item[name] ?? '').join(' ');

/** The nodes themselves: still so, and not on their way out. */
const asNoted = ({ ref, item }: Node): Update => ({
  kind: 'update',
  key: nodeKey(ref),
  when: {
    exists: true,
    equals: {
      ...Object.fromEntries(NOTED.map((name) => [name, item[name] as Expected])),
      deletingSince: undefined,
    },
  },
  failure: () => stale(formatRef(ref)),
});

/**
 * The actions of a creation, through a gate of the tenant.
 *
 * @param by what spreads creations over gates
 * @param nodes on which it rests: the tenant first; read with what `actions` was planned of
 * @param actions what it writes, touches and conditions of these nodes included
 */
export async function throughGate(
  reader: Reader,
  by: string,
  nodes: readonly [Node, ...Node[]],
  actions: readonly Action[],
): Promise<readonly Action[]> {
  const key = gateKey(nodes[0].ref, by);
  const notes = Object.fromEntries(nodes.map((node) => [formatRef(node.ref), notedOf(node.item)]));
  const gate = await reader.get(key);
  if (gate && Object.entries(notes).every(([name, text]) => gate[name] === text)) {
    const asked = new Set(nodes.map(({ ref }) => identityOf(nodeKey(ref))));
    const pass: Update = {
      kind: 'update',
      key,
      add: { rev: 1 },
      when: { exists: true, equals: notes },
      failure: () => stale('the tenant'),
    };
    return [...actions.filter((action) => !asked.has(identityOf(keyOf(action)))), pass];
  }
  const note: Update = { kind: 'update', key, set: { Type: GATE, ...notes }, add: { rev: 1 } };
  const isFull = gate !== undefined && Object.keys(gate).length > MOST_NOTED;
  return [...actions, ...nodes.map(asNoted), ...(isFull ? [] : [note])];
}

const keysOf = (root: Ref): readonly Key[] => GATES.map((n) => gateKey(root, n));

/** Ends what the gates of a tenant say. */
export const closeGates = (root: Ref): readonly Delete[] =>
  keysOf(root).map((key) => ({ kind: 'delete', key }));

/**
 * The same, on condition that nobody has passed since. Read before what came through them is listed; who makes a gate
 * touches the nodes.
 */
export async function closeGatesAsRead(reader: Reader, root: Ref): Promise<readonly Delete[]> {
  const gates = await reader.getMany(keysOf(root));
  return closeGates(root).map((close, n) => {
    const rev = gates[n]?.rev as number | undefined;
    if (rev === undefined) return close;
    return { ...close, when: { exists: true, equals: { rev } }, failure: () => stale('the tenant') };
  });
}
