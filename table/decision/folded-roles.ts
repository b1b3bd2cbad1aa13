import { FORM, SPLIT_FORM } from '../form.ts';
import type { Item } from '../item.ts';
import {
  Attribute,
  type Entry,
  FOLDED,
  foldedPatternAttribute,
  heirsAttribute,
  parseAttribute,
  patternAttribute,
  roleAttribute,
} from './attributes.ts';
import type { Effect } from './items.ts';
import { formOfParts } from './split.ts';

/**
 * A root's decision item with its roles folded, and back (ADR 0003). Listed one by one, each role takes about 60 bytes;
 * folded into sets, only what a role says takes room: 30 bytes for its parent and for each pattern.
 */

export const hasFoldedRoles = (item: Item | undefined): boolean => item?.[Attribute.roleTable] === FOLDED;

/** How many roles the item lists one by one. */
export const listedRolesIn = (item: Item): number =>
  Object.keys(item).filter((name) => parseAttribute(name)?.kind === 'role').length;

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
    const parsed = parseAttribute(name);
    if (parsed?.kind === 'role') {
      listed.add(parsed.role);
      if (value !== '') addTo(sets, heirsAttribute(String(value)), parsed.role);
    } else if (parsed?.kind === 'wild') {
      named.add(parsed.role);
      if (isEffect(value)) addTo(sets, foldedPatternAttribute(value, parsed.pattern), parsed.role);
      else rest[name] = value;
    } else rest[name] = value;
  }
  for (const role of named) if (!listed.has(role)) addTo(sets, Attribute.closing, role);
  return { ...(rest as Item), ...sets, [Attribute.roleTable]: FOLDED, [FORM]: SPLIT_FORM };
}

/** An entry as an item has it whose roles are folded, or are not; none where the item says the same without one. */
export function writtenIn(isFolded: boolean, entry: Entry): Entry | undefined {
  const { at, attribute, value } = entry;
  if (!isFolded) return attribute === Attribute.closing ? undefined : entry;
  const parsed = parseAttribute(attribute);
  if (parsed?.kind === 'role')
    return value === '' || value === undefined
      ? undefined
      : { at, attribute: heirsAttribute(String(value)), member: parsed.role };
  if (parsed?.kind === 'wild' && isEffect(value))
    return { at, attribute: foldedPatternAttribute(value, parsed.pattern), member: parsed.role };
  return entry;
}

/** The other way: the item with each of these roles listed. What it says of others does not count. */
export function unfoldRoles(item: Item, owned: readonly string[]): Item {
  const { [Attribute.roleTable]: _, [Attribute.closing]: closing, ...others } = item;
  const listed: Record<string, unknown> = {};
  for (const role of owned)
    if (!(closing instanceof Set && closing.has(role))) listed[roleAttribute(role)] = '';
  for (const [name, value] of Object.entries(others)) {
    const parsed = parseAttribute(name);
    const members = value instanceof Set ? ([...value] as readonly string[]) : [];
    if (parsed?.kind === 'heirs') for (const role of members) listed[roleAttribute(role)] = parsed.parent;
    else if (parsed?.kind === 'folded')
      for (const role of members) listed[patternAttribute(role, parsed.pattern)] = parsed.effect;
    else listed[name] = value;
  }
  return { ...(listed as Item), [FORM]: formOfParts(listed) };
}
