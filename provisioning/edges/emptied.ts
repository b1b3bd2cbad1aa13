import { Attribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/read/reader.ts';
import type { Action, Update } from '../../table/write/action.ts';

/**
 * The effects of a tenant's own roles on one permission are an item of their own, which no node's deletion
 * takes along. So an update that would empty one becomes its deletion: otherwise a tenant would end with an
 * empty item for every permission it ever used, and be too large to delete.
 */
const EFFECTS = [Attribute.allow, Attribute.deny] as const;

const empties = (action: Action): action is Update =>
  action.kind === 'update' &&
  Object.keys(action.takeOut ?? {}).length > 0 &&
  Object.keys(action.add ?? {}).length === 0 &&
  parseKey(action.key)?.form === 'owned-effects';

/** Reads the items that lose effects, all in one call, and deletes those that lose their last one. */
export async function sweepEmptied(
  reader: Pick<Reader, 'getMany'>,
  actions: readonly Action[],
): Promise<readonly Action[]> {
  const losing = actions.filter(empties);
  if (losing.length === 0) return actions;
  const items = await reader.getMany(losing.map(({ key }) => key));
  const swept = new Map<Action, readonly Action[]>(
    losing.map((update, position) => [update, sweep(update, items[position])]),
  );
  return actions.flatMap((action) => swept.get(action) ?? [action]);
}

function sweep(update: Update, item: Item | undefined): readonly Action[] {
  // There is nothing to take out of an item that is gone.
  if (!item) return [];
  const held = EFFECTS.map((name) => [name, item[name] as Set<string> | undefined] as const);
  const isLast = held.every(([name, roles = new Set()]) =>
    [...roles].every((role) => update.takeOut?.[name]?.has(role)),
  );
  const asRead = {
    when: { exists: true, equals: Object.fromEntries(held) },
    failure: () => new GatehouseError('stale', 'the effects on this permission were changed meanwhile'),
  };
  return [isLast ? { kind: 'delete', key: update.key, ...asRead } : { ...update, ...asRead }];
}
