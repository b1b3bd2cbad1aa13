import { isId } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { AuditEntry } from '../plan.ts';
import { notPermitted, type Operator, permissionOf } from './operator.ts';
import type { Part } from './parts.ts';

/**
 * What whoever a mandate is for may do without a right of operators: it gives nobody more than the subject has. Who acts
 * for a subject may do none of it, whatever its mandate says.
 */
const OWN: ReadonlySet<string> = new Set([
  'mandate.create',
  'mandate.read',
  'mandate.list',
  'mandate.end',
  'mandate.end-all',
]);
const BY_ID: ReadonlySet<string> = new Set(['mandate.read', 'mandate.end']);

/** Throws `not_permitted` for what nobody may do who acts for somebody: give mandates, and decide on requests. */
function refuseToActor({ actor }: Operator, command: string): void {
  if (actor && /^(?:mandate|approval)\./.test(command)) throw notPermitted();
}

/**
 * The parts of a command that are not about a mandate of the operator itself: they take rights.
 *
 * @throws GatehouseError `not_permitted` for what nobody may do who acts for somebody
 */
export async function partsOfOthers(
  reader: Reader,
  operator: Operator,
  parts: readonly Part[],
): Promise<readonly Part[]> {
  for (const { command } of parts) refuseToActor(operator, command);
  const areOwn = await Promise.all(parts.map((part) => isOwn(reader, operator, part)));
  return parts.filter((_, position) => !areOwn[position]);
}

async function isOwn(reader: Reader, { subject, actor }: Operator, part: Part): Promise<boolean> {
  const { command, permission, input } = part;
  // A part of a comparison is asked for by another permission.
  if (actor || !OWN.has(command) || permission !== permissionOf(command)) return false;
  if (!BY_ID.has(command)) return input.subject === subject;
  const { id } = input;
  if (typeof id !== 'string' || !isId(id)) return false;
  return (await reader.get(nodeKey({ type: 'mandate', id })))?.subject === subject;
}

/** The same of what a plan changes. */
export function changesOfOthers(
  operator: Operator,
  command: string,
  entries: readonly AuditEntry[],
): readonly AuditEntry[] {
  for (const entry of entries) refuseToActor(operator, entry.command ?? command);
  return entries.filter((entry) => !isOwnChange(operator, entry.command ?? command, entry));
}

/** Whether a change is of a mandate of the operator itself. */
export const isOwnChange = (
  { subject, actor }: Operator,
  command: string,
  { entity, before, after }: AuditEntry,
): boolean =>
  !actor && OWN.has(command) && entity.type === 'mandate' && { ...before, ...after }.subject === subject;
