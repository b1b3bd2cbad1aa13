import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { Clock } from '../../engine/index.ts';
import { type CredentialsCode, CredentialsError, Fault } from '../errors.ts';
import { readBearer } from './bearer.ts';
import type { KeySource } from './keys.ts';

declare const verified: unique symbol;

/**
 * The claims of a token whose signature, issuer, audience and dates were checked. Branded: this module alone
 * makes them, so whoever takes them need not ask where they come from.
 */
export type VerifiedClaims = Readonly<Record<string, unknown>> & { readonly [verified]: true };

/** The claims of who comes with an API token: it says nothing but whose it is. */
export const NO_CLAIMS = Object.freeze({}) as VerifiedClaims;

/** From the values of the Authorization header to verified claims. */
export type Authenticate = (authorization: readonly string[]) => Promise<VerifiedClaims>;

export interface AuthenticationOptions {
  readonly keys: KeySource;
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  /** Longest token that is looked at. */
  readonly maxBytes: number;
  readonly clock: Clock;
}

/**
 * Headers that change how a token is read, or that bring their own key: RFC 7515 sections 4.1.2 (`jku`),
 * 4.1.3 (`jwk`), 4.1.5 (`x5u`), 4.1.11 (`crit`), RFC 7797 (`b64`). jose ignores some of them; a token that
 * carries one is not one that our issuers make.
 */
const REFUSED_HEADERS = ['crit', 'b64', 'jku', 'jwk', 'x5u'];

/** The token asks for a key that the issuer does not have, or does not say which of several. */
const NO_SUCH_KEY: ReadonlySet<string> = new Set([
  errors.JWKSNoMatchingKey.code,
  errors.JWKSMultipleMatchingKeys.code,
]);

const codeOf = (error: unknown): string => (error instanceof errors.JOSEError ? error.code : '');

/** Whatever goes wrong on the way to a key is our fault, but for a key that nobody has. */
function guarded(keys: KeySource): KeySource {
  return async (header: JWTHeaderParameters, token) => {
    if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) {
      throw new CredentialsError('header_refused');
    }
    try {
      return await keys(header, token);
    } catch (error) {
      if (NO_SUCH_KEY.has(codeOf(error))) throw new CredentialsError('key_unknown');
      throw new Fault('keys_unavailable', 'the keys of the issuer could not be had', error);
    }
  };
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

/**
 * Verifies bearer tokens (RFC 8725): the algorithm is ours to choose and not the header's, `exp` is required
 * (jose alone does not), issuer and audience are compared, times with the injected clock and no tolerance.
 *
 * The function throws CredentialsError when the caller is at fault (401) and Fault when we are (500).
 */
export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const { issuer, audience, algorithms, maxBytes, clock } = options;
  const keys = guarded(options.keys);
  return async (authorization) => {
    const token = readBearer(authorization, maxBytes);
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: [...algorithms],
        issuer,
        audience: [...audience],
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
      });
      return payload as unknown as VerifiedClaims;
    } catch (error) {
      if (error instanceof CredentialsError || error instanceof Fault) throw error;
      if (error instanceof errors.JOSEError) throw refusal(error);
      throw new Fault('verification_failed', 'a token could not be verified', error);
    }
  };
}
