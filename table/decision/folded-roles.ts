import { FORM, SPLIT_FORM } from '../form.ts';
import type { Item } from '../item.ts';
import {
  Attribute,
  FOLDED,
  foldedPatternAttribute,
  heirsAttribute,
  patternAttribute,
  roleAttribute,
  splitAttribute,
} from './attributes.ts';
import type { Effect } from './items.ts';
import { formOfParts } from './split.ts';

/**
 * A root's decision item with its roles folded, and back (ADR 0052). Listed one by one, each role takes about 60 bytes;
 * folded into sets, only what a role says takes room: 30 bytes for its parent and for each pattern.
 */

export const hasFoldedRoles = (item: Item | undefined): boolean => item?.[Attribute.roleTable] === FOLDED;

/** How many roles the item lists one by one. */
export const listedRolesIn = (item: Item): number =>
  Object.keys(item).filter((name) => splitAttribute(name)[0] === 'role').length;

type Sets = Record<string, Set<string>>;

const addTo = (sets: Sets, name: string, member: string): void => {
  const known = sets[name];
  if (known) known.add(member);
  else sets[name] = new Set([member]);
};

const isEffect = (value: unknown): value is Effect => value === 'ALLOW' || value === 'DENY';

/**
 * The item with its roles folded; it says the same.
 *
 * @param owned the ids of all roles that the root owns. One that the item does not list is in deletion.
 */
export function foldRoles(item: Item, owned: readonly string[]): Item {
  const rest: Record<string, unknown> = {};
  const sets: Sets = {};
  const listed = new Set<string>();
  const named = new Set(owned);
  for (const [name, value] of Object.entries(item)) {
    const [kind, role = '', pattern] = splitAttribute(name);
    if (kind === 'role' && pattern === undefined) {
      listed.add(role);
      if (value !== '') addTo(sets, heirsAttribute(String(value)), role);
    } else if (kind === 'wild' && pattern !== undefined) {
      named.add(role);
      if (isEffect(value)) addTo(sets, foldedPatternAttribute(value, pattern), role);
      else rest[name] = value;
    } else rest[name] = value;
  }
  for (const role of named) if (!listed.has(role)) addTo(sets, Attribute.closing, role);
  return { ...(rest as Item), ...sets, [Attribute.roleTable]: FOLDED, [FORM]: SPLIT_FORM };
}

/** The other way: the item with each of these roles listed. What it says of others does not count. */
export function unfoldRoles(item: Item, owned: readonly string[]): Item {
  const { [Attribute.roleTable]: _, [Attribute.closing]: closing, ...others } = item;
  const listed: Record<string, unknown> = {};
  for (const role of owned)
    if (!(closing instanceof Set && closing.has(role))) listed[roleAttribute(role)] = '';
  for (const [name, value] of Object.entries(others)) {
    const [kind, about = '', more] = splitAttribute(name);
    const members = value instanceof Set && more === undefined ? ([...value] as readonly string[]) : [];
    if (kind === 'heirs') for (const role of members) listed[roleAttribute(role)] = about;
    else if ((kind === 'allow' || kind === 'deny') && about !== '')
      for (const role of members) listed[patternAttribute(role, about)] = kind === 'allow' ? 'ALLOW' : 'DENY';
    else listed[name] = value;
  }
  return { ...(listed as Item), [FORM]: formOfParts(listed) };
}
