import {
  Attribute,
  foldedPatternAttribute,
  heirsAttribute,
  splitAttribute,
} from '../../table/decision/attributes.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import type { Item } from '../../table/item.ts';
import type { Entry } from './entries.ts';
import type { Found } from './relation.ts';

/** The entries of roles in the item of a root whose roles are folded (ADR 0052), and in all others. */

/** The kinds of attributes that only an item with folded roles has; `closing` is one by itself. */
const GROUPS: ReadonlySet<string> = new Set(['heirs', 'allow', 'deny']);

/** Whether an attribute of a scope's item holds roles as a set. */
export function isFoldedAttribute(attribute: string): boolean {
  const [kind = '', about] = splitAttribute(attribute);
  return attribute === Attribute.closing || (GROUPS.has(kind) && about !== undefined);
}

/** Whether an attribute of roles is as the form of its item wants it. */
export function fitsForm(attribute: string, value: unknown, item: Item): boolean {
  const isFolded = hasFoldedRoles(item);
  const [kind] = splitAttribute(attribute);
  if (isFoldedAttribute(attribute)) return isFolded;
  return !isFolded || (kind !== 'role' && !(kind === 'wild' && typeof value === 'string'));
}

/** An entry of a node or an edge as this decision item has it; none where it says the same without one. */
export function writtenIn(item: Found, entry: Entry): Entry | undefined {
  const { at, attribute, value } = entry;
  if (!hasFoldedRoles(item)) return attribute === Attribute.closing ? undefined : entry;
  const [kind, role = '', pattern = ''] = splitAttribute(attribute);
  if (kind === 'role')
    return value === '' ? undefined : { at, attribute: heirsAttribute(String(value)), member: role };
  if (kind === 'wild' && (value === 'ALLOW' || value === 'DENY'))
    return { at, attribute: foldedPatternAttribute(value, pattern), member: role };
  return entry;
}
