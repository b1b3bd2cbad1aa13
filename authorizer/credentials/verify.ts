import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { type CredentialsCode, CredentialsError, Fault } from '../errors.ts';
import type { KeySource, VerificationKey } from './keys.ts';

const THREE_PARTS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Of a last character, 4 bits stand for nothing where a part is 2 longer than a multiple of 4, and 2 where it is 3. */
const LAST_OF_TWO = 'AQgw';
const LAST_OF_THREE = 'AEIMQUYcgkosw048';

function isCanonical(text: string, start: number, end: number): boolean {
  const rest = (end - start) % 4;
  if (rest === 0) return true;
  return rest !== 1 && (rest === 2 ? LAST_OF_TWO : LAST_OF_THREE).includes(text.charAt(end - 1));
}

/**
 * Whether a text is a JWS in compact form (RFC 7515), each part in the one spelling that base64url has for it: the
 * bits of a last character that stand for nothing are zero, or the same token could be written in sixteen ways.
 */
export function isCompactJws(text: string): boolean {
  if (!THREE_PARTS.test(text)) return false;
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  return (
    isCanonical(text, 0, first) &&
    isCanonical(text, first + 1, second) &&
    isCanonical(text, second + 1, text.length)
  );
}

/**
 * What the payload of a compact JWS says, before anything of it is verified.
 *
 * @throws CredentialsError `token_malformed` when that is no object
 */
export function unverifiedClaims(token: string): Readonly<Record<string, unknown>> {
  const start = token.indexOf('.') + 1;
  const payload = Buffer.from(token.slice(start, token.indexOf('.', start)), 'base64url').toString();
  const claims = parsed(payload);
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw new CredentialsError('token_malformed');
  }
  return claims as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

declare const verified: unique symbol;

/**
 * The claims of a token whose signature, issuer, audience and dates were checked. Branded: this file alone makes
 * them, so whoever takes them need not ask where they come from.
 */
export type VerifiedClaims = Readonly<Record<string, unknown>> & { readonly [verified]: true };

/** The claims of who comes with an API token: it says nothing but whose it is. */
export const NO_CLAIMS = Object.freeze({}) as VerifiedClaims;

/** A token that was good, and what it was good by. */
export interface Verified {
  readonly claims: VerifiedClaims;
  readonly key: VerificationKey;
  readonly keys: KeySource;
  /** When it was asked about. */
  readonly at: number;
}

/** Whose tokens are accepted, and which of them. */
export interface TrustedIssuer {
  /** Compared with `iss` as it stands. */
  readonly issuer: string;
  readonly keys: KeySource;
  readonly algorithms: readonly string[];
  /** A token for any one of these is accepted. Empty: only one that names no audience, and one of `clientIds`. */
  readonly audience: readonly string[];
  /** The clients whose tokens are accepted, by the claim `client_id`; any when undefined. */
  readonly clientIds?: readonly string[] | undefined;
  /** What Cognito says in `token_use`; of one issuer there may be one entry for each. */
  readonly tokenUse?: TokenUse | undefined;
  /** The `typ` of the header, such as `at+jwt` (RFC 9068). */
  readonly typ?: string | undefined;
}

export type TokenUse = 'access' | 'id';

/**
 * Headers that change how a token is read, or that bring their own key: RFC 7515 sections 4.1.2 (`jku`),
 * 4.1.3 (`jwk`), 4.1.5 (`x5u`), 4.1.11 (`crit`), RFC 7797 (`b64`). jose ignores some of them; a token that
 * carries one is not one that our issuers make.
 */
const REFUSED_HEADERS = ['crit', 'b64', 'jku', 'jwk', 'x5u'];

/** Whatever goes wrong on the way to a key is our fault, but for a key that nobody has. */
async function findKey(keys: KeySource, header: JWTHeaderParameters): Promise<VerificationKey> {
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) {
    throw new CredentialsError('header_refused');
  }
  const kid: unknown = header.kid;
  if (kid !== undefined && typeof kid !== 'string') throw new CredentialsError('key_unknown');
  try {
    return await keys.find(header.alg, kid);
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof Fault) throw error;
    throw new Fault('keys_unavailable', 'the keys of the issuer could not be had', error);
  }
}

const CODES: Readonly<Record<string, CredentialsCode>> = {
  [errors.JOSEAlgNotAllowed.code]: 'algorithm_refused',
  [errors.JWSSignatureVerificationFailed.code]: 'signature_invalid',
  [errors.JWTExpired.code]: 'token_expired',
};

/** The caller's fault as a code. jose's own error is dropped: it carries the claims. */
function refusal(error: InstanceType<typeof errors.JOSEError>): CredentialsError {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return new CredentialsError('issuer_refused');
    return new CredentialsError(error.claim === 'aud' ? 'audience_refused' : 'claim_refused');
  }
  return new CredentialsError(CODES[error.code] ?? 'token_malformed');
}

/** What is thrown on the way, as whose fault it is. */
function toOurs(error: unknown): CredentialsError | Fault {
  if (error instanceof CredentialsError || error instanceof Fault) return error;
  if (error instanceof errors.JOSEError) return refusal(error);
  return new Fault('verification_failed', 'a token could not be verified', error);
}

/** "If the principal … does not identify itself with a value in the aud claim … the JWT MUST be rejected" (RFC 7519). */
function isForUs({ audience, clientIds }: TrustedIssuer, claims: JWTPayload): boolean {
  if (audience.length === 0 && (clientIds === undefined || Object.hasOwn(claims, 'aud'))) return false;
  return clientIds === undefined || clientIds.some((id) => id === claims.client_id);
}

/**
 * The issuer that a token says it is of, and for Cognito the use: before anything of it is verified, and only to
 * choose what it is then verified against. No key is asked for before.
 */
function createChoice(issuers: readonly TrustedIssuer[]) {
  const entries = new Map<unknown, TrustedIssuer[]>();
  for (const one of issuers) entries.set(one.issuer, [...(entries.get(one.issuer) ?? []), one]);
  return (token: string): TrustedIssuer => {
    const { iss, token_use } = unverifiedClaims(token);
    const ofIssuer = entries.get(iss);
    if (ofIssuer === undefined) throw new CredentialsError('issuer_refused');
    const chosen = ofIssuer.find(({ tokenUse }) => tokenUse === undefined || tokenUse === token_use);
    if (chosen === undefined) throw new CredentialsError('claim_refused');
    return chosen;
  };
}

async function verifyFor(token: string, trusted: TrustedIssuer, at: number): Promise<Verified> {
  const { keys, algorithms, issuer, audience, tokenUse, typ } = trusted;
  const used: VerificationKey[] = [];
  const { payload } = await jwtVerify(
    token,
    async (header) => {
      const key = await findKey(keys, header);
      used.push(key);
      return key.key;
    },
    {
      algorithms: [...algorithms],
      issuer,
      ...(audience.length > 0 ? { audience: [...audience] } : {}),
      ...(typ === undefined ? {} : { typ }),
      requiredClaims: ['exp'],
      currentDate: new Date(at),
    },
  );
  const [key] = used;
  // JSON may say 1e999, which is a number and never over.
  if (key === undefined || !Number.isFinite(payload.exp)) throw new CredentialsError('claim_refused');
  if (tokenUse !== undefined && payload.token_use !== tokenUse) throw new CredentialsError('claim_refused');
  if (!isForUs(trusted, payload)) throw new CredentialsError('audience_refused');
  return { claims: Object.freeze(payload) as unknown as VerifiedClaims, key, keys, at };
}

/** From the text of a token and the instant to what is verified of it. */
export type Verify = (token: string, at: number) => Promise<Verified>;

/**
 * Verifies tokens (RFC 8725): the algorithm is ours to choose and not the header's, `exp` is required
 * (jose alone does not), issuer and audience are compared, times with the given instant and no tolerance.
 *
 * The function throws CredentialsError when the caller is at fault (401) and Fault when we are (500).
 */
export function createVerify(issuers: readonly TrustedIssuer[]): Verify {
  const choose = createChoice(issuers);
  return async (token, at) => {
    if (!isCompactJws(token)) throw new CredentialsError('credentials_malformed');
    try {
      return await verifyFor(token, choose(token), at);
    } catch (error) {
      throw toOurs(error);
    }
  };
}
