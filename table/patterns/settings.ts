import { GatehouseError, invalid, notFound } from '../errors.ts';
import { formatRef, parseRef, type Ref } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { type Key, nodeKey, settingKey } from '../keys.ts';
import type { Reader } from '../reader.ts';
import { pattern } from './pattern.ts';

/**
 * Settings (seed 000): a scope's own value replaces that of the scope above it, a user's own replaces both,
 * unless one further up says that it may not be overridden.
 */
export const VALUE_TYPES = ['string', 'number', 'boolean', 'json'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export interface Setting {
  readonly value: unknown;
  readonly valueType: ValueType;
  /** The scope or user that it comes from. */
  readonly from: string;
  readonly isOverridable: boolean;
}

export interface SettingsQuestion {
  readonly keys: readonly string[];
  readonly scope: Ref;
  /** Where the scope stands, from its parent up to the root, if the caller knows: it saves a read. */
  readonly ancestors?: readonly Ref[] | undefined;
  readonly user?: Ref | undefined;
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
 * The settings in force at a scope, for a user or nobody: those of all levels in one BatchGetItem. Where the
 * scope stands is read before, unless the caller says so; then it is compared with what the batch brings.
 */
export const settingsInForce = pattern(
  {
    name: 'settings-in-force',
    title: 'settings at a scope whose ancestors are known, resolved down the tree and for a user',
    // Without the ancestors a GetItem of the scope goes before.
    reads: [{ operation: 'BatchGetItem' }],
    rows: ['AM-20'],
  },
  async (reader, question: SettingsQuestion): Promise<Readonly<Record<string, Setting>>> => {
    const { keys, scope, user } = question;
    const ancestors = question.ancestors?.map(formatRef) ?? (await ancestorsOf(reader, scope));
    const places = [...ancestors.map(toRef).reverse(), scope, ...(user ? [user] : [])];
    const wanted: Key[] = keys.flatMap((key) => places.map((place) => settingKey(place, key)));
    const [node, ...found] = await reader.getMany([nodeKey(scope), ...wanted]);
    if (!node) throw notFound('scope', formatRef(scope));
    if (String(node.ancestors) !== String(ancestors)) {
      throw invalid('ancestors', `ancestors are not those of ${formatRef(scope)}`);
    }
    const settings: Record<string, Setting> = {};
    keys.forEach((key, position) => {
      const column = found.slice(position * places.length, (position + 1) * places.length);
      const setting = inForce(column);
      if (setting) settings[key] = setting;
    });
    return settings;
  },
);

/** From the root down to the user: the last one that may replace those before it. */
function inForce(column: readonly (Item | undefined)[]): Setting | undefined {
  let setting: Setting | undefined;
  for (const item of column) {
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

async function ancestorsOf(reader: Reader, scope: Ref): Promise<readonly string[]> {
  const node = await reader.get(nodeKey(scope));
  if (!node) throw notFound('scope', formatRef(scope));
  return (node.ancestors as readonly string[] | undefined) ?? [];
}

const toRef = (text: string): Ref => parseRef(text, 'ancestors');
