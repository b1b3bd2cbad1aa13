import { isRef } from '../table/identifiers.ts';
import { readPermissionName } from '../table/permission-name.ts';
import { NOT_AN_INSTANT, readInstant } from './instant.ts';
import { UsageError } from './surroundings.ts';

/** Whether this may be who asks: a user or a technical user. */
export const isSubjectRef = (text: string): boolean => isRef(text) && /^(?:user|technical-user):/.test(text);

/** Throws {@link UsageError} for a question that nobody could have meant: the engine would only refuse it. */
export function assertQuestion(subject: string, permission: string, scope: string): void {
  if (!isSubjectRef(subject))
    throw new UsageError(`SUBJECT ${subject} is neither user:ID nor technical-user:ID (a ULID or UUID)`);
  if (!readPermissionName(permission))
    throw new UsageError(`PERMISSION ${permission} is neither a page nor module:action:resource`);
  if (!isRef(scope)) throw new UsageError(`SCOPE ${scope} is not type:ID, as location:ID (a ULID or UUID)`);
}

/** The instant of `--at`, in epoch milliseconds. */
export function readAt(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = readInstant(text);
  if (at === undefined) throw new UsageError(`--at ${text} ${NOT_AN_INSTANT}`);
  return at;
}

export const ARGUMENTS = {
  subject: 'user:ID or technical-user:ID',
  permission: 'a page (dashboard) or module:action:resource',
  scope: 'type:ID, as location:ID',
  at: 'the instant to decide for, ISO 8601; now unless given',
} as const;
