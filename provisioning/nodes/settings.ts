import { GatehouseError, invalid, notFound } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey, settingKey } from '../../table/keys.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';

/**
 * Settings: a scope's own value replaces that of the scope above it, a user's own replaces both,
 * unless one further up says that it may not be overridden.
 */
export const VALUE_TYPES = ['string', 'number', 'boolean', 'json'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

interface Setting {
  readonly value: unknown;
  readonly valueType: ValueType;
  /** The scope or user that it comes from. */
  readonly from: string;
  readonly isOverridable: boolean;
}

/** The value that a text stands for. Throws `invalid` on `value` when it is none of that type. */
export function readValue(text: string, type: ValueType): unknown {
  if (type === 'string') return text;
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw invalid('value', 'value is neither true nor false');
  }
  if (type === 'number') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number)) throw invalid('value', 'value is not a number');
    return number;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('value', 'value is not JSON');
  }
}

/**
 * The settings in force at a scope, for a user or nobody: a GetItem of the scope, then those of all levels in
 * one BatchGetItem.
 *
 * @throws GatehouseError `not_found` on `scope`; `damaged_item` for a stored setting that cannot be read
 */
export async function settingsInForce(
  reader: Reader,
  keys: readonly string[],
  scope: Ref,
  user: Ref | undefined,
): Promise<Readonly<Record<string, Setting>>> {
  const node = await reader.get(nodeKey(scope));
  if (!node) throw notFound('scope', formatRef(scope));
  const ancestors = ((node.ancestors ?? []) as readonly string[]).map((ref) => parseRef(ref, 'ancestors'));
  const owners = [...ancestors.reverse(), scope, ...(user ? [user] : [])];
  const found = await reader.getMany(keys.flatMap((key) => owners.map((owner) => settingKey(owner, key))));
  const settings: Record<string, Setting> = {};
  const levels = batchesOf(found, owners.length);
  for (const [position, key] of keys.entries()) {
    const setting = inForce(levels[position] ?? []);
    if (setting) settings[key] = setting;
  }
  return settings;
}

/** From the root down to the user: the last one that may replace those before it. */
function inForce(levels: readonly (Item | undefined)[]): Setting | undefined {
  let setting: Setting | undefined;
  for (const item of levels) {
    if (!item) continue;
    const { value, valueType, scope, isOverridable } = item;
    const type = VALUE_TYPES.find((known) => known === valueType);
    if (typeof value !== 'string' || type === undefined || typeof scope !== 'string') {
      throw new GatehouseError('damaged_item', 'a stored setting cannot be read', { field: 'value' });
    }
    setting = {
      value: readValue(value, type),
      valueType: type,
      from: scope,
      isOverridable: isOverridable === true,
    };
    if (!setting.isOverridable) break;
  }
  return setting;
}
