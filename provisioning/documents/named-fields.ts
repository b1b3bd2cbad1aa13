import { isScopeType, NAMED_KINDS, type NamedKind } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { BUILT_IN_SUBJECTS, parseRef } from '../../table/identifiers.ts';
import type { Field, Property } from './commands.ts';

/** Which fields of commands take the id or the reference of what, by their JSON Schema. */

/** Fields that hold a reference to a scope. */
const SCOPES = new Set(['scope', 'scopes', 'parent', ...Object.keys(SCOPE_TYPES)]);
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
/** What has a scope that may be a template of one. */
const TEMPLATED = new Set(['route', 'resource-type']);

const isNamedKind = (entity: string): entity is NamedKind =>
  (NAMED_KINDS as readonly string[]).includes(entity);

/** What a field names: a kind, and for scopes and subjects their type where there is one only. */
export interface FieldNames {
  readonly kind: NamedKind;
  readonly type?: string;
}

/** What a schema says of a field, of one that may be cleared or is a list, too; how it takes references is in it. */
export const descriptionOf = ({ description, anyOf, items }: Property): string =>
  description ?? anyOf?.[0]?.description ?? items?.description ?? '';

/** What a field names; undefined for one that names nothing that is found by a name. */
export function namedBy(
  command: string,
  { name, property }: Field,
  input: Readonly<Record<string, unknown>>,
): FieldNames | undefined {
  const [entity = '', verb = ''] = command.split('.');
  const description = descriptionOf(property);
  const typed = (kind: NamedKind, type?: string): FieldNames =>
    type === undefined ? { kind } : { kind, type };
  if (name === 'id') {
    if (verb === 'create') return undefined;
    // Of subjects of all types.
    if (description.startsWith('id of a user,')) return typed('subject');
    if (isNamedKind(entity)) return typed(entity);
    if (BUILT_IN_SUBJECTS.includes(entity)) return typed('subject', entity);
    return isScopeType(entity) ? typed('scope', entity) : undefined;
  }
  if (SUBJECTS.has(name))
    return typed('subject', /^(?:id of a user,|reference)/.test(description) ? undefined : 'user');
  if (description.startsWith('reference to a subject') || (entity === 'audit' && name === 'actor'))
    return typed('subject');
  if (isNamedKind(name) && description.startsWith('id (')) return typed(name);
  if (name === 'customTemplateId') return typed('role-template');
  if (name === 'role' || name === 'roles' || (entity === 'role' && name === 'parent')) return typed('role');
  if (TEMPLATED.has(entity) && name === 'scope')
    return /[{}]/.test(String(input.scope)) ? undefined : typed('scope');
  const isReferred = description.startsWith('reference such as') || (entity === 'role' && name === 'scope');
  return SCOPES.has(name) && isReferred ? typed('scope') : undefined;
}

/** A reference as a field with this description takes it: whole where it takes references, otherwise the id. */
export function asField(description: string, ref: string): string {
  const { type, id } = parseRef(ref, 'ref');
  const takesReference = /^(?:reference|scope|`global`|`tenant:ID`)/.test(description);
  const takesSubject = description.startsWith('id of a user,');
  return takesReference || (takesSubject && type !== 'user') ? ref : id;
}
