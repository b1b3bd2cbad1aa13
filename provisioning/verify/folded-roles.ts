import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import type { Item } from '../../table/item.ts';

/** The attributes of roles in the item of a root whose roles are folded (ADR 0003), and in all others. */

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
