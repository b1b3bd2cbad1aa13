import type { Bearer } from '../../engine/index.ts';
import { CredentialsError } from '../errors.ts';

/** Whom an API token names, and what the engine compares before it believes it. */
export interface ShownToken {
  readonly subject: string;
  readonly bearer: Bearer;
}

/** From the text of a token to whom it names; undefined when it is no API token. */
export type ReadApiToken = (text: string) => ShownToken | undefined;

export interface ApiTokenOptions {
  /** Takes the text of a token apart: whom it names, and which token it is. */
  readonly read: (text: string) => { readonly subject: string; readonly id: string } | undefined;
  /** SHA-256 of a token's text, as the table keeps it. */
  readonly hashOf: (text: string) => string;
}

/** Every API token begins like this; a JWT never does, for its first part is the JSON of an object. */
const API_TOKEN = /^gh1_/i;

/**
 * API tokens of technical users, and of users. The token's record is read together with all that the decision
 * needs, so what a token says of itself goes into the question as a claim: the engine refuses it unless its hash
 * is that of a token which the table has for this very subject, and which is neither revoked nor over.
 *
 * The function throws CredentialsError for what begins like an API token and is none.
 */
export function createReadApiToken({ read, hashOf }: ApiTokenOptions): ReadApiToken {
  return (text) => {
    if (!API_TOKEN.test(text)) return undefined;
    const token = read(text);
    if (token === undefined) throw new CredentialsError('token_malformed');
    return { subject: token.subject, bearer: { ref: `token:${token.id}`, hash: hashOf(text) } };
  };
}
