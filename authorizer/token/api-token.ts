import { timingSafeEqual } from 'node:crypto';
import type { Engine } from '../../engine/index.ts';
import { CredentialsError } from '../errors.ts';

/**
 * From the values of the Authorization header to the subject of the API token that they hold; undefined when
 * they hold none. Throws CredentialsError for one that is not good, and as the engine does on faults.
 */
export type ApiTokenSubject = (authorization: readonly string[]) => Promise<string | undefined>;

export interface ApiTokenOptions {
  /** Takes the text of a token apart: whom it names, and which token it is. */
  readonly read: (text: string) => { readonly subject: string; readonly id: string } | undefined;
  /** SHA-256 of a token's text, as the table keeps it. */
  readonly hashOf: (text: string) => string;
  readonly bearerOf: Engine['bearerOf'];
}

/** Every API token begins like this; a JWT never does, for its first part is the JSON of an object. */
const API_TOKEN = /^Bearer (gh1_.*)$/is;

/**
 * API tokens of technical users, and of users. What a token says of itself counts for nothing until its hash
 * is that of a token which the table has for this very subject, and which is neither revoked nor over.
 */
export function createApiTokenSubject({ read, hashOf, bearerOf }: ApiTokenOptions): ApiTokenSubject {
  return async (authorization) => {
    const [value = '', ...others] = authorization;
    const text = API_TOKEN.exec(value)?.[1];
    if (text === undefined) return undefined;
    if (others.length > 0) throw new CredentialsError('credentials_ambiguous');
    const token = read(text);
    if (token === undefined) throw new CredentialsError('token_malformed');
    const bearer = await bearerOf(token.id);
    const isGood = bearer?.subject === token.subject && isSame(bearer.hash, hashOf(text));
    if (!isGood) throw new CredentialsError('token_refused');
    return token.subject;
  };
}

/** In a time that tells nothing of where the texts differ. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
