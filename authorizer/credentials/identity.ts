import { hash } from 'node:crypto';
import type { Actor, Credential, TokenGroups } from '../../engine/index.ts';
import { parseMandateToken, readApiToken } from '../../table/api-token.ts';
import { isId } from '../../table/identifiers.ts';
import { CredentialsError } from '../errors.ts';
import type { Authenticate } from './authentication.ts';
import type { CredentialSources, ReadCredentials } from './credentials.ts';
import type { ActorOf } from './token-actor.ts';
import type { GroupsOf } from './token-groups.ts';
import { NO_CLAIMS, type VerifiedClaims } from './verify.ts';

/** The identity in a request's credentials. */
export interface Identity {
  /** The subject that the token of an API or a mandate names; undefined for a JWT, whose subject follows from its claims. */
  readonly subject: string | undefined;
  /**
   * A reference to a record in the table, which the engine checks. Undefined for a JWT that cannot be
   * revoked.
   */
  readonly credential: Credential | undefined;
  readonly claims: VerifiedClaims;
  /** What a JWT names of the groups of its subject. */
  readonly groups?: TokenGroups | undefined;
  /** Who acts for the subject. */
  readonly actor?: Actor | undefined;
}

/**
 * Reads and verifies the credentials of a request. Throws CredentialsError, or Fault if a token cannot be
 * verified.
 */
export type Identify = (request: CredentialSources) => Promise<Identity>;

/** The claim by which a JWT can be revoked: it contains the id of a login session or of a token. */
export interface RevocationSource {
  readonly kind: 'session' | 'token';
  readonly claim: string;
}

export interface IdentityOptions {
  readonly readCredentials: ReadCredentials;
  /** Verifies JWTs. */
  readonly authenticate: Authenticate;
  /** Undefined if JWTs cannot be revoked. */
  readonly revocation: RevocationSource | undefined;
  /** Finds the groups that claims name; without it none count. */
  readonly groupsOf?: GroupsOf | undefined;
  /** Finds who acts by claims; undefined where nobody does, and a JWT that says so is refused. */
  readonly actorOf: ActorOf | undefined;
}

/**
 * Refuses a token by which somebody acts: as one of its subject alone it would be worth more.
 *
 * @throws CredentialsError `claim_refused`
 */
function refuseAct(claims: VerifiedClaims): undefined {
  if (Object.hasOwn(claims, 'act')) throw new CredentialsError('claim_refused', 'act');
}

/**
 * SHA-256 of a token's text, as the table keeps it. Node's own: WebCrypto, with which table/api-token.ts makes
 * it in browsers too, goes through a thread and takes ten times as long.
 */
const hashOfToken = (text: string): string => hash('sha256', text, 'base64url');

/** The prefix of every token of ours. A JWT never has it: its first part encodes a JSON object. */
const OF_OURS = /^gh1_/i;
/** That of a mandate. */
const OF_MANDATE = 'gh1_m_';

/**
 * Verifies the credentials of a request: an API token of a technical user or user, the token of a mandate, or else a JWT.
 *
 * A token of ours is not verified here. The engine reads its record, or the mandate, with the rest of the decision
 * input, and refuses it unless the record has the token's hash, belongs to this subject and is neither revoked nor
 * expired. If JWTs can be revoked, the engine checks their record likewise; a JWT without the configured
 * claim is refused.
 */
export function createIdentify(options: IdentityOptions): Identify {
  const { readCredentials, authenticate, revocation, groupsOf, actorOf = refuseAct } = options;

  function ofMandate(text: string): Identity {
    const token = parseMandateToken(text);
    if (token === undefined) throw new CredentialsError('token_malformed');
    const { subject, actor, mandate } = token;
    const acting = { subject: actor, mandate, hash: hashOfToken(text) };
    return { subject, credential: undefined, claims: NO_CLAIMS, actor: acting };
  }

  function ofApiToken(text: string): Identity {
    const token = readApiToken(text);
    if (token === undefined) throw new CredentialsError('token_malformed');
    const { subject, id } = token;
    return { subject, credential: { ref: `token:${id}`, hash: hashOfToken(text) }, claims: NO_CLAIMS };
  }

  function recordOf(claims: VerifiedClaims): Credential | undefined {
    if (revocation === undefined) return undefined;
    const { kind, claim } = revocation;
    const id = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (typeof id !== 'string' || !isId(id)) throw new CredentialsError('claim_refused', claim);
    return { ref: `${kind}:${id}` };
  }

  return async (request) => {
    const text = readCredentials(request);
    if (OF_OURS.test(text)) return text.startsWith(OF_MANDATE) ? ofMandate(text) : ofApiToken(text);
    const claims = await authenticate(text);
    const actor = actorOf(claims);
    return { subject: undefined, credential: recordOf(claims), claims, groups: groupsOf?.(claims), actor };
  };
}
