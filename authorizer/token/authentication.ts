import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../engine/index.ts';
import { type CredentialsCode, CredentialsError, Fault } from '../errors.ts';
import type { VerifiedClaims } from './claims.ts';
import { isCompactJws, unverifiedClaims } from './compact-jws.ts';
import type { VerificationKey } from './key-set.ts';
import type { KeySource } from './keys.ts';
import { createVerifiedTokens, type Verified } from './verified.ts';

export { NO_CLAIMS, type VerifiedClaims } from './claims.ts';

/** From the text of a token to its verified claims; without a promise when it was verified a moment ago. */
export type Authenticate = (token: string) => VerifiedClaims | Promise<VerifiedClaims>;

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

export interface AuthenticationOptions {
  readonly issuers: readonly TrustedIssuer[];
  /** Longest token that is looked at. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Milliseconds for which a token that was verified need not be verified again; 0: it is, each time. */
  readonly ttlMs: number;
}

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

async function verify(token: string, trusted: TrustedIssuer, at: number): Promise<Verified> {
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

/**
 * Verifies tokens (RFC 8725): the algorithm is ours to choose and not the header's, `exp` is required
 * (jose alone does not), issuer and audience are compared, times with the injected clock and no tolerance.
 *
 * The function throws CredentialsError when the caller is at fault (401) and Fault when we are (500).
 */
export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const { maxBytes, clock, ttlMs } = options;
  const choose = createChoice(options.issuers);
  // Not all the options: the longest token is not the bound on all that are kept.
  const tokens = createVerifiedTokens({ clock, ttlMs });

  function findKnown(token: string): ReturnType<typeof tokens.find> {
    try {
      return tokens.find(token);
    } catch (error) {
      throw toOurs(error);
    }
  }

  async function authenticateNew(
    token: string,
    found: Promise<VerifiedClaims | undefined> | undefined,
  ): Promise<VerifiedClaims> {
    try {
      const known = await found;
      if (known !== undefined) return known;
      if (!isCompactJws(token)) throw new CredentialsError('credentials_malformed');
      const verified = await verify(token, choose(token), clock.now());
      tokens.keep(token, verified);
      return verified.claims;
    } catch (error) {
      throw toOurs(error);
    }
  }

  return (token) => {
    if (token.length > maxBytes) throw new CredentialsError('token_too_long');
    const found = findKnown(token);
    return found === undefined || found instanceof Promise ? authenticateNew(token, found) : found;
  };
}
