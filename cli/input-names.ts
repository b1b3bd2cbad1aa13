import type { CommandDescription } from '../provisioning/documents/commands.ts';
import { formerOf, inCurrentNames } from '../provisioning/former-names.ts';
import { isScopeType, NAMED_KINDS, type NamedKind } from '../table/entities/registry.ts';
import { SCOPE_TYPES } from '../table/entities/scope-types.ts';
import { GatehouseError } from '../table/errors.ts';
import { isRef, isUlidOrUuid, parseRef } from '../table/identifiers.ts';
import { UsageError } from './context.ts';
import type { Field } from './input.ts';
import type { Mapping } from './json.ts';
import { isReference, type Resolve, type Typed } from './references.ts';

/** Names in the inputs of commands: which fields take the id or reference of what. */

/** Fields that hold a reference to a scope. */
const SCOPES = new Set(['scope', 'parent', ...Object.keys(SCOPE_TYPES)]);
/** Fields that hold the id of a user, or the reference of another subject. */
const SUBJECTS = new Set([
  'user',
  'userId',
  'ownerUserId',
  'invitedBy',
  'createdBy',
  'grantedBy',
  'updatedBy',
  'revokedBy',
]);
/** Types whose nodes are found by names. */
const SUBJECT_TYPES = new Set(['user', 'technical-user']);
/** What `role.scope` may be beside a reference. */
const OWNERS = new Set(['global', 'tenant']);
/** What has a scope that may be a template of one. */
const TEMPLATED = new Set(['route', 'resource-type']);

const isNamedKind = (entity: string): entity is NamedKind =>
  (NAMED_KINDS as readonly string[]).includes(entity);

/** What a field names; undefined for one that names nothing that is found by a name. */
export function namedBy(command: string, { name, property }: Field, input: Mapping): Typed | undefined {
  const [entity = '', verb = ''] = command.split('.');
  const description =
    property.description ?? property.anyOf?.[0]?.description ?? property.items?.description ?? '';
  const typed = (kind: Typed['kind'], type?: unknown): Typed => ({
    label: name,
    kind,
    takesIds: true,
    ...(typeof type === 'string' ? { type } : {}),
  });
  if (name === 'id') {
    if (verb === 'create') return undefined;
    // Of subjects of all types.
    if (description.startsWith('id of a user,')) return typed('subject');
    if (isNamedKind(entity)) return typed(entity);
    if (SUBJECT_TYPES.has(entity)) return typed('subject', entity);
    return isScopeType(entity) ? typed('scope', entity) : undefined;
  }
  if (SUBJECTS.has(name))
    return typed('subject', /^(?:id of a user,|reference)/.test(description) ? undefined : 'user');
  if (isNamedKind(name) && description.startsWith('id (')) return typed(name);
  if (name === 'customTemplateId') return typed('role-template');
  if (name === 'role' || name === 'roles' || (entity === 'role' && name === 'parent')) return typed('role');
  if (TEMPLATED.has(entity) && name === 'scope')
    return /[{}]/.test(String(input.scope)) ? undefined : typed('scope');
  const isReferred = description.startsWith('reference such as') || (entity === 'role' && name === 'scope');
  return SCOPES.has(name) && isReferred ? typed('scope') : undefined;
}

/** Whether a command would answer for what does not exist with an empty list. The log is of what is gone too. */
export const isListed = ({ name, kind }: CommandDescription): boolean =>
  kind === 'read' && /\.(?:list|list-all|read-all|access)$/.test(name) && name !== 'audit.list';

/**
 * The input with ids and references in the place of names. Throws NameError.
 *
 * @param mustExist whether ids and references are looked up too
 */
export async function withoutNames(
  resolve: Resolve,
  { name: command, fields }: { readonly name: string; readonly fields: readonly Field[] },
  input: Mapping,
  mustExist = false,
): Promise<Mapping> {
  const meant = async (typed: Typed, property: string, text: unknown): Promise<unknown> => {
    if (typeof text !== 'string' || (typed.kind === 'scope' && OWNERS.has(text))) return text;
    // A setting is of a scope or of a user.
    const kind = typed.kind === 'scope' && text.startsWith('user:') ? 'subject' : typed.kind;
    const of: Typed = { ...typed, kind };
    const isExact = isUlidOrUuid(text) || (isRef(text) && isReference(of, text));
    const ref = isExact && !mustExist ? text : await resolve(of, text);
    return isRef(ref) ? asField(property, ref) : ref;
  };
  const current = inCurrent(command, await withFormerId(meant, command, input));
  const entries = fields.map(async (field) => {
    const { name, property } = field;
    const value = current[name];
    const typed = value === undefined ? undefined : namedBy(command, field, current);
    if (!typed) return [];
    const form = property.description ?? property.anyOf?.[0]?.description ?? '';
    const found = Array.isArray(value)
      ? await Promise.all(value.map((each) => meant(typed, form, each)))
      : await meant(typed, form, value);
    return [[name, found] as const];
  });
  return { ...current, ...Object.fromEntries((await Promise.all(entries)).flat()) };
}

/** An input by former names, where the id beside a type may be a name. */
async function withFormerId(
  meant: (typed: Typed, form: string, text: unknown) => Promise<unknown>,
  command: string,
  input: Mapping,
): Promise<Mapping> {
  const { field, before: [first = '', id] = [] } = formerOf(command) ?? {};
  const [type, text] = [input[first], id === undefined ? undefined : input[id]];
  if (id === undefined || typeof type !== 'string' || typeof text !== 'string') return input;
  const typed: Typed = { label: id, kind: field === 'scope' ? 'scope' : 'subject', type, takesIds: true };
  return { ...input, [id]: await meant(typed, 'id', text) };
}

/** The input by the names that fields have now. Throws {@link UsageError}. */
function inCurrent(command: string, input: Mapping): Mapping {
  try {
    return inCurrentNames(command, input);
  } catch (error) {
    throw error instanceof GatehouseError ? new UsageError(error.message) : error;
  }
}

/** A reference as a field takes it: whole where it takes references, otherwise the id. */
function asField(form: string, ref: string): string {
  const { type, id } = parseRef(ref, 'ref');
  const takesReference = /^(?:reference|scope|`global`|`tenant:ID`)/.test(form);
  const takesSubject = form.startsWith('id of a user,');
  return takesReference || (takesSubject && type !== 'user') ? ref : id;
}
