import { errors, type JWTHeaderParameters, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type CredentialsCode, CredentialsError, Fault } from '../errors.ts';
import { type KeySource, namesOf, type VerificationKey } from './keys.ts';

const THREE_PARTS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The last characters with zero padding bits: 4 bits if a part's length is 2 modulo 4, 2 bits if it is 3. */
const LAST_OF_TWO = 'AQgw';
const LAST_OF_THREE = 'AEIMQUYcgkosw048';

function isCanonical(text: string, start: number, end: number): boolean {
  const rest = (end - start) % 4;
  if (rest === 0) return true;
  return rest !== 1 && (rest === 2 ? LAST_OF_TWO : LAST_OF_THREE).includes(text.charAt(end - 1));
}

/**
 * Whether a text is a JWS in compact serialization (RFC 7515) with canonical base64url: the unused bits of
 * each part's last character must be zero. Otherwise one token would have up to sixteen spellings.
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
 * The payload of a compact JWS, before verification.
 *
 * @throws CredentialsError `token_malformed` if it is not an object
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
 * The claims of a token whose signature, issuer, audience and dates were verified. A branded type: only this
 * file creates values of it.
 */
export type VerifiedClaims = Readonly<Record<string, unknown>> & { readonly [verified]: true };

/** The claims of an API token, which has none. */
export const NO_CLAIMS = Object.freeze({}) as VerifiedClaims;

/** A valid token, and the key by which it was verified. */
export interface Verified {
  readonly claims: VerifiedClaims;
  readonly key: VerificationKey;
  readonly keys: KeySource;
  /** The instant of the verification in epoch milliseconds. */
  readonly at: number;
  /** The first instant at which it holds, by its `nbf`, and the first at which it no longer does, by its `exp`. */
  readonly from: number;
  readonly until: number;
}

/** An issuer and the tokens that are accepted from it. */
export interface TrustedIssuer {
  /** Compared with `iss` exactly. */
  readonly issuer: string;
  readonly keys: KeySource;
  readonly algorithms: readonly string[];
  /** Accepted audiences. If empty, a token must have no `aud` and a `client_id` that is in `clientIds`. */
  readonly audience: readonly string[];
  /** Accepted values of the claim `client_id`; any if undefined. */
  readonly clientIds?: readonly string[] | undefined;
  /** Cognito's claim `token_use`. One issuer may have an entry for each value. */
  readonly tokenUse?: 'access' | 'id' | undefined;
  /** The `typ` of the header, such as `at+jwt` (RFC 9068). */
  readonly typ?: string | undefined;
}

/**
 * Refused headers, which change how a token is processed or supply a key: RFC 7515 sections 4.1.2 (`jku`),
 * 4.1.3 (`jwk`), 4.1.5 (`x5u`), 4.1.11 (`crit`), RFC 7797 (`b64`). jose ignores some of them; issuers' tokens
 * do not have them.
 */
const REFUSED_HEADERS = ['crit', 'b64', 'jku', 'jwk', 'x5u'];

/**
 * Finds the keys for a header. Any failure is a fault, except for an unknown key or a refused header.
 *
 * @param tried keys by which the token is not signed
 */
async function findKeys(
  keys: KeySource,
  header: JWTHeaderParameters,
  tried: readonly VerificationKey[],
): Promise<readonly VerificationKey[]> {
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) {
    throw new CredentialsError('header_refused');
  }
  const kid: unknown = header.kid;
  if (kid !== undefined && typeof kid !== 'string') throw new CredentialsError('key_unknown');
  try {
    return await (tried.length === 0 ? keys.find(header.alg, kid) : keys.findMore(header.alg, kid, tried));
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof Fault) throw error;
    throw new Fault('keys_unavailable', 'the keys of the issuer could not be had', error);
  }
}

const CLAIMS = ['exp', 'nbf', 'iat', 'typ'];

const CODES: Readonly<Record<string, CredentialsCode>> = {
  [errors.JOSEAlgNotAllowed.code]: 'algorithm_refused',
  [errors.JWSSignatureVerificationFailed.code]: 'signature_invalid',
  [errors.JWTExpired.code]: 'token_expired',
};

/** Converts jose's error to a code. The error itself is dropped because it contains the claims. */
function refusal(error: InstanceType<typeof errors.JOSEError>): CredentialsError {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return new CredentialsError('issuer_refused');
    if (error.claim === 'aud') return new CredentialsError('audience_refused');
    // Only names that are asked for here: never a text of the token.
    return new CredentialsError(
      'claim_refused',
      CLAIMS.find((name) => name === error.claim),
    );
  }
  return new CredentialsError(CODES[error.code] ?? 'token_malformed');
}

/** Converts anything thrown to a refusal or a fault. */
function toOurs(error: unknown): CredentialsError | Fault {
  if (error instanceof CredentialsError || error instanceof Fault) return error;
  if (error instanceof errors.JOSEError) return refusal(error);
  return new Fault('verification_failed', 'a token could not be verified', error);
}

/**
 * "If the principal … does not identify itself with a value in the aud claim … the JWT MUST be rejected" (RFC
 * 7519).
 */
function isForUs({ audience, clientIds }: TrustedIssuer, claims: JWTPayload): boolean {
  if (audience.length === 0 && (clientIds === undefined || Object.hasOwn(claims, 'aud'))) return false;
  return clientIds === undefined || clientIds.some((id) => id === claims.client_id);
}

/**
 * Chooses the entry against which a token is verified, by its unverified `iss` and `token_use`; fetches no
 * keys.
 */
function createChoice(issuers: readonly Checked[]) {
  const entries = new Map<unknown, Checked[]>();
  for (const one of issuers) entries.set(one.issuer, [...(entries.get(one.issuer) ?? []), one]);
  return (token: string): Checked => {
    const { iss, token_use } = unverifiedClaims(token);
    const ofIssuer = entries.get(iss);
    if (ofIssuer === undefined) throw new CredentialsError('issuer_refused');
    const chosen = ofIssuer.find(({ tokenUse }) => tokenUse === undefined || tokenUse === token_use);
    if (chosen === undefined) throw new CredentialsError('claim_refused', 'token_use');
    return chosen;
  };
}

/**
 * Seconds by which `nbf` may lie ahead: some issuers set it to the instant of the log-in, by a clock of their own. There
 * is none for `exp`.
 */
const NBF_LEEWAY = 5;

const datesOf = ({ exp, nbf }: JWTPayload) => ({
  from: nbf === undefined ? 0 : (nbf - NBF_LEEWAY) * 1_000,
  until: Number(exp) * 1_000,
});

/** An issuer, with what jose checks of its tokens at any instant. */
interface Checked extends TrustedIssuer {
  readonly options: JWTVerifyOptions;
}

const checked = (trusted: TrustedIssuer): Checked => {
  const { algorithms, issuer, audience, typ } = trusted;
  const options: JWTVerifyOptions = {
    algorithms: [...namesOf(algorithms)],
    issuer,
    ...(audience.length > 0 ? { audience: [...audience] } : {}),
    ...(typ === undefined ? {} : { typ }),
    requiredClaims: ['exp'],
    clockTolerance: NBF_LEEWAY,
  };
  return { ...trusted, options };
};

async function verifyFor(token: string, trusted: Checked, at: number): Promise<Verified> {
  const { keys, options, tokenUse } = trusted;
  const { payload, key } = await verifyByKeys(token, keys, { ...options, currentDate: new Date(at) });
  // JSON may contain 1e999, which is parsed as Infinity.
  if (!Number.isFinite(payload.exp)) throw new CredentialsError('claim_refused', 'exp');
  const dates = datesOf(payload);
  // The tolerance is meant for `nbf`.
  if (at >= dates.until) throw new CredentialsError('token_expired');
  if (tokenUse !== undefined && payload.token_use !== tokenUse)
    throw new CredentialsError('claim_refused', 'token_use');
  if (!isForUs(trusted, payload)) throw new CredentialsError('audience_refused');
  return { claims: Object.freeze(payload) as unknown as VerifiedClaims, key, keys, at, ...dates };
}

/** Verifies a token by each key that its header fits, until one has made its signature; then by newer keys, once. */
async function verifyByKeys(token: string, keys: KeySource, options: JWTVerifyOptions) {
  const tried: VerificationKey[] = [];
  let left: VerificationKey[] = [];
  let isNewest = false;
  for (;;) {
    try {
      const { payload } = await jwtVerify(
        token,
        async (header) => {
          if (left.length === 0) {
            isNewest = tried.length > 0;
            left = [...(await findKeys(keys, header, tried))];
          }
          const key = left.shift();
          if (key === undefined) throw new errors.JWSSignatureVerificationFailed();
          tried.push(key);
          return key.key;
        },
        options,
      );
      return { payload, key: tried.at(-1) as VerificationKey };
    } catch (error) {
      const isAnother = error instanceof errors.JWSSignatureVerificationFailed;
      if (!isAnother || (isNewest && left.length === 0)) throw error;
    }
  }
}

/** Verifies a token at an instant in epoch milliseconds. */
export type Verify = (token: string, at: number) => Promise<Verified>;

/**
 * Verifies tokens (RFC 8725): the configuration determines the algorithm, not the header; `exp` is required
 * (jose does not require it); issuer and audience must match; times are compared with the given instant
 * without tolerance, but for `nbf` (NBF_LEEWAY).
 *
 * The returned function throws CredentialsError for an invalid token (401) and Fault for a fault of ours
 * (500).
 */
export function createVerify(issuers: readonly TrustedIssuer[]): Verify {
  const choose = createChoice(issuers.map(checked));
  return async (token, at) => {
    if (!isCompactJws(token)) throw new CredentialsError('credentials_malformed');
    try {
      return await verifyFor(token, choose(token), at);
    } catch (error) {
      throw toOurs(error);
    }
  };
}
