import {
  Attribute,
  foldedPatternAttribute,
  heirsAttribute,
  parseAttribute,
} from '../../table/decision/attributes.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import type { Item } from '../../table/item.ts';
import type { Entry } from './entries.ts';
import type { Found } from './relation.ts';

/** The entries of roles in the item of a root whose roles are folded (ADR 0003), and in all others. */

/** Whether an attribute of a scope's item holds roles as a set. Only one with folded roles has any. */
export function isFoldedAttribute(attribute: string): boolean {
  const kind = parseAttribute(attribute)?.kind;
  return attribute === Attribute.closing || kind === 'heirs' || kind === 'folded';
}

/** Whether an attribute of roles is as the form of its item wants it. */
export function fitsForm(attribute: string, value: unknown, item: Item): boolean {
  const isFolded = hasFoldedRoles(item);
  const kind = parseAttribute(attribute)?.kind;
  if (isFoldedAttribute(attribute)) return isFolded;
  return !isFolded || (kind !== 'role' && !(kind === 'wild' && typeof value === 'string'));
}

/** An entry of a node or an edge as this decision item has it; none where it says the same without one. */
export function writtenIn(item: Found, entry: Entry): Entry | undefined {
  const { at, attribute, value } = entry;
  if (!hasFoldedRoles(item)) return attribute === Attribute.closing ? undefined : entry;
  const parsed = parseAttribute(attribute);
  if (parsed?.kind === 'role')
    return value === '' ? undefined : { at, attribute: heirsAttribute(String(value)), member: parsed.role };
  if (parsed?.kind === 'wild' && (value === 'ALLOW' || value === 'DENY'))
    return { at, attribute: foldedPatternAttribute(value, parsed.pattern), member: parsed.role };
  return entry;
}
