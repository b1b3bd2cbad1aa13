import type { CredentialItem } from '../table/decision/items.ts';

/**
 * What a subject comes with that has a record in the table: an API token, or a JWT or login session that can be revoked.
 * Its record is read together with all else that a decision needs.
 */
export interface Credential {
  /** `token:01J…` or `session:01J…`. */
  readonly ref: string;
  /** SHA-256 of an API token's text, base64url. */
  readonly hash?: string | undefined;
}

/**
 * Whether a record is that of this subject, is in force at `at` (epoch milliseconds), and has the hash that is shown, or
 * none when none is.
 */
export function isCredentialGood(
  record: CredentialItem | null | undefined,
  subject: string,
  { hash }: Credential,
  at: number,
): boolean {
  if (!record?.active || record.subject !== subject || !(at < record.endsAt)) return false;
  return isSame(record.hash ?? '', hash ?? '');
}

/** In a time that does not tell where the texts differ. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
