import { isId, isRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { AuditEntry } from '../plan.ts';
import { notPermitted, type Operator, type Operators, permissionOf } from './operator.ts';
import type { Part } from './parts.ts';

/**
 * What whoever a mandate is for may do without a right of operators: it gives nobody more than the subject has. Who acts
 * for a subject may do none of it, whatever its mandate says.
 *
 * A mandate is written into the log of its tenant. So both, subject and actor, need something of their own at each of its
 * scopes: otherwise rights are asked for, and the refusal says the same of what does not exist and of what is others'.
 */
const OWN: ReadonlySet<string> = new Set([
  'mandate.create',
  'mandate.read',
  'mandate.list',
  'mandate.end',
  'mandate.end-all',
]);
const BY_ID: ReadonlySet<string> = new Set(['mandate.read', 'mandate.end']);

/** A secret that is made would outlive the mandate of who acts, and not name who acts. */
const NEVER_FOR_OTHERS = /^(?:(?:mandate|approval)\.|(?:token|session|scim-credential)\.create$)/;

/**
 * Throws `not_permitted` for what no right gives: to whoever acts for somebody, mandates, credentials, and decisions on
 * requests; to anybody, a mandate by which it would act itself.
 */
function refuseAlways(
  { subject, actor }: Operator,
  command: string,
  given: Readonly<Record<string, unknown>>,
): void {
  if (actor && NEVER_FOR_OTHERS.test(command)) throw notPermitted();
  if (command === 'mandate.create' && given.actor === subject) throw notPermitted('actor');
}

/**
 * The parts of a command that are not about a mandate of the operator itself: they take rights.
 *
 * @throws GatehouseError `not_permitted` for what nobody may do who acts for somebody
 */
export async function partsOfOthers(
  { reader, areGranted }: Ports,
  operator: Operator,
  parts: readonly Part[],
): Promise<readonly Part[]> {
  for (const { command, input } of parts) refuseAlways(operator, command, input);
  const areOwn = await Promise.all(parts.map((part) => isOwn({ reader, areGranted }, operator, part)));
  return parts.filter((_, position) => !areOwn[position]);
}

type Ports = Pick<Operators, 'areGranted'> & { readonly reader: Reader };

async function isOwn(
  { reader, areGranted }: Ports,
  { subject, actor }: Operator,
  part: Part,
): Promise<boolean> {
  const { command, permission, input } = part;
  // A part of a comparison is asked for by another permission.
  if (actor || !OWN.has(command) || permission !== permissionOf(command)) return false;
  if (!BY_ID.has(command) && input.subject !== subject) return false;
  // Whether a chosen id is taken would tell of mandates of others.
  if (command === 'mandate.create') return input.id === undefined && isAmongGranted(areGranted, input);
  if (!BY_ID.has(command)) return true;
  const { id } = input;
  if (typeof id !== 'string' || !isId(id)) return false;
  return (await reader.get(nodeKey({ type: 'mandate', id })))?.subject === subject;
}

/** Whether subject and actor of a mandate have something of their own at each of its scopes. */
async function isAmongGranted(
  areGranted: Operators['areGranted'],
  { subject, actor, scopes }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const [who, where] = [[subject, actor], [scopes].flat()];
  const areNames = (all: readonly unknown[]): all is readonly string[] =>
    all.every((each) => typeof each === 'string' && isRef(each));
  return where.length > 0 && areNames(who) && areNames(where) && areGranted(who, where);
}

/** The same of what a plan changes. */
export async function changesOfOthers(
  areGranted: Operators['areGranted'],
  operator: Operator,
  command: string,
  entries: readonly AuditEntry[],
): Promise<readonly AuditEntry[]> {
  for (const entry of entries) refuseAlways(operator, entry.command ?? command, entry.after ?? {});
  const areOwn = await Promise.all(
    entries.map(async (entry) => {
      const name = entry.command ?? command;
      if (!isOwnChange(operator, name, entry)) return false;
      return name !== 'mandate.create' || isAmongGranted(areGranted, entry.after ?? {});
    }),
  );
  return entries.filter((_, position) => !areOwn[position]);
}

/** Whether a change is of a mandate of the operator itself. */
export const isOwnChange = (
  { subject, actor }: Operator,
  command: string,
  { entity, before, after }: AuditEntry,
): boolean =>
  !actor && OWN.has(command) && entity.type === 'mandate' && { ...before, ...after }.subject === subject;
