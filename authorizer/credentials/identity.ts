import type { Credential } from '../../engine/index.ts';
import { CredentialsError } from '../errors.ts';
import type { Authenticate } from './authentication.ts';
import type { CredentialSources, ReadCredentials } from './credentials.ts';
import { NO_CLAIMS, type VerifiedClaims } from './verify.ts';

/** Who asks: what is verified of a request's credentials. */
export interface Identity {
  /** Whom an API token names; undefined for a JWT, whose subject follows from its claims. */
  readonly subject: string | undefined;
  /** What has a record in the table; the engine looks at it. Undefined for a JWT that cannot be revoked. */
  readonly credential: Credential | undefined;
  readonly claims: VerifiedClaims;
}

/** From a request to who asks. Throws CredentialsError, and Fault where a token could not be verified. */
export type Identify = (request: CredentialSources) => Promise<Identity>;

/** The claim by which a JWT can be revoked, and of what it holds the id: of a login session or of a token. */
export interface RevocationSource {
  readonly kind: 'session' | 'token';
  readonly claim: string;
}

export interface IdentityOptions {
  /** Where a request's token stands. */
  readonly readCredentials: ReadCredentials;
  /** Verifies what is no API token. */
  readonly authenticate: Authenticate;
  /** Undefined where JWTs cannot be revoked. */
  readonly revocation: RevocationSource | undefined;
  /** Takes the text of an API token apart: whom it names, and which token it is. */
  readonly readApiToken: (text: string) => { readonly subject: string; readonly id: string } | undefined;
  /** SHA-256 of a token's text, as the table keeps it. */
  readonly hashOfToken: (text: string) => Promise<string>;
  readonly isId: (text: string) => boolean;
}

/** Every API token begins like this; a JWT never does, for its first part is the JSON of an object. */
const API_TOKEN = /^gh1_/i;

/**
 * Verifies the credentials of a request: an API token of a technical user or of a user, or else a JWT.
 *
 * The record of an API token is read together with all that the decision needs, so what the token says of itself goes
 * into the question as a claim: the engine refuses it unless its hash is that of a token which the table has for this
 * very subject, and which is neither revoked nor over. Where JWTs can be revoked, their record is looked at, too; one
 * that does not say which it is cannot be looked up, and is refused.
 */
export function createIdentify(options: IdentityOptions): Identify {
  const { readCredentials, authenticate, revocation, readApiToken, hashOfToken, isId } = options;

  async function ofApiToken(text: string): Promise<Identity> {
    const token = readApiToken(text);
    if (token === undefined) throw new CredentialsError('token_malformed');
    const { subject, id } = token;
    return { subject, credential: { ref: `token:${id}`, hash: await hashOfToken(text) }, claims: NO_CLAIMS };
  }

  function recordOf(claims: VerifiedClaims): Credential | undefined {
    if (revocation === undefined) return undefined;
    const { kind, claim } = revocation;
    const id = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (typeof id !== 'string' || !isId(id)) throw new CredentialsError('claim_refused');
    return { ref: `${kind}:${id}` };
  }

  return async (request) => {
    const text = readCredentials(request);
    if (API_TOKEN.test(text)) return ofApiToken(text);
    const claims = await authenticate(text);
    return { subject: undefined, credential: recordOf(claims), claims };
  };
}
