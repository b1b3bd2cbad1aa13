import type { BearerFacts } from '../table/decision/facts.ts';

/**
 * What a subject comes with, beside its name: an API token, or a token or login session that can be revoked.
 * Its record is read together with all else that a decision needs.
 */
export interface Bearer {
  /** `token:01J…` or `session:01J…`. */
  readonly ref: string;
  /** SHA-256 of an API token's text, base64url. */
  readonly hash?: string | undefined;
}

/** Whether the record is that of this subject, is in force at `at`, and has this hash, or none when none is shown. */
export function isGoodBearer(
  record: BearerFacts | null | undefined,
  subject: string,
  hash: string | undefined,
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
