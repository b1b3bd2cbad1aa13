import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { Reader } from '../../table/read/reader.ts';
import { type Action, type Expected, keyOf, type Put, type Update } from '../../table/write/action.ts';

/**
 * Things that one transaction creates together, each planned as if the ones before were there: what is planned is
 * read back from the actions, and what changes an item that is only being created becomes part of its creation.
 */
const identityOf = ({ PK, SK }: Key): string => JSON.stringify([PK, SK]);

/** The reader as it will read once these items are there. Lists are still those of the table. */
export function withPlanned(reader: Reader, actions: readonly Action[]): Reader {
  const planned = new Map(
    actions.flatMap((action): [string, Item][] =>
      action.kind === 'put' ? [[identityOf(keyOf(action)), action.item]] : [],
    ),
  );
  return {
    ...reader,
    get: async (key, ...rest) => planned.get(identityOf(key)) ?? reader.get(key, ...rest),
    getMany: async (keys, ...rest) => {
      const found = await reader.getMany(keys, ...rest);
      return found.map((item, position) => planned.get(identityOf(keys[position] as Key)) ?? item);
    },
  };
}

/** Puts every update of an item into the creation of the item, where the same actions create it before. */
export function asCreated(actions: readonly Action[]): readonly Action[] {
  const result: Action[] = [];
  const created = new Map<string, number>();
  for (const action of actions) {
    const identity = identityOf(keyOf(action));
    const position = created.get(identity);
    const earlier = position === undefined ? undefined : result[position];
    if (earlier?.kind === 'put' && action.kind === 'update') {
      result[position as number] = { ...earlier, item: updated(earlier, action) };
      continue;
    }
    if (action.kind === 'put' && action.when?.exists === false) created.set(identity, result.length);
    result.push(action);
  }
  return result;
}

const impossible = ({ PK, SK }: Key) =>
  new GatehouseError(
    'internal',
    `an item is created otherwise than another part of it expects: ${PK} / ${SK}`,
  );

function updated({ item: before }: Put, { key, set, remove, add, takeOut, when }: Update): Item {
  if (when?.exists === false) throw impossible(key);
  for (const [attribute, expected] of Object.entries(when?.equals ?? {})) {
    if (!isSame(before[attribute], expected)) throw impossible(key);
  }
  const item: Record<string, unknown> = { ...before, ...set };
  for (const attribute of remove ?? []) delete item[attribute];
  for (const [attribute, value] of Object.entries(add ?? {})) {
    const old = item[attribute];
    if (typeof value === 'number') item[attribute] = (typeof old === 'number' ? old : 0) + value;
    else item[attribute] = new Set([...(old instanceof Set ? old : []), ...value]);
  }
  for (const [attribute, members] of Object.entries(takeOut ?? {})) {
    const old = item[attribute];
    if (!(old instanceof Set)) continue;
    const left = [...old].filter((member) => !members.has(member));
    if (left.length > 0) item[attribute] = new Set(left);
    else delete item[attribute];
  }
  return item as Item;
}

/** Whether an attribute is as a condition wants it. */
function isSame(value: unknown, expected: Expected): boolean {
  if (Array.isArray(value) && Array.isArray(expected))
    return JSON.stringify(value) === JSON.stringify(expected);
  if (value instanceof Set && expected instanceof Set)
    return value.size === expected.size && [...value].every((each) => expected.has(each));
  return value === expected;
}
