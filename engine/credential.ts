import { isSameSecret } from '../table/bytes.ts';
import type { CredentialItem } from '../table/decision/items.ts';

/**
 * A credential with a record in the table: an API token, or a revocable JWT or login session. The record is
 * part of the decision input.
 */
export interface Credential {
  /** `token:01J…` or `session:01J…`. */
  readonly ref: string;
  /** SHA-256 of an API token's text, base64url; undefined for other credentials. */
  readonly hash?: string | undefined;
}

/**
 * Whether the record belongs to the subject, is active at `at` (epoch milliseconds) and has the credential's
 * hash.
 */
export function isCredentialGood(
  record: CredentialItem | null | undefined,
  subject: string,
  { hash }: Pick<Credential, 'hash'>,
  at: number,
): boolean {
  if (!record?.active || record.subject !== subject || !(at < record.endsAt)) return false;
  return isSameSecret(record.hash ?? '', hash ?? '');
}
