import { type CryptoKey, exportJWK, importJWK, type JWK } from 'jose';

/** A public key for one algorithm. Two with the same print are the same key, whenever they were fetched. */
export interface VerificationKey {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly key: CryptoKey;
  readonly print: string;
}

/** The keys of an issuer as they were at one instant. */
export interface KeySet {
  /** The keys that a token with this header may have been signed by; any `kid` when it names none. */
  candidates(alg: string, kid: string | undefined): readonly VerificationKey[];
  holds(key: VerificationKey): boolean;
}

/** What is served is no key set. The code is all there is to it: what was read is not quoted. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
  readonly code: string;

  constructor(code: 'jwks_status' | 'jwks_too_large' | 'jwks_malformed') {
    super(code);
    this.code = code;
  }
}

/** More than any issuer has; each costs an import. */
const MAX_KEYS = 100;

/** "A key of size 2048 bits or larger MUST be used" (RFC 7518 sections 3.3 and 3.5). */
const MIN_RSA_BITS = 2_048;

/** A public exponent is odd and lies between 2^16 and 2^256 (FIPS 186-5 section 5.1). */
const MIN_RSA_EXPONENT = 65_537n;
const MAX_RSA_EXPONENT = 2n ** 256n;

/**
 * The encodings of the points of order 1, 2, 4 and 8 of edwards25519, in hexadecimal and without the sign of x. Under
 * such a "key" everybody signs: `R` and the key both the neutral element and `S` zero verify for every message, and
 * OpenSSL lets them. The list is that of libsodium (`ge25519_has_small_order`).
 */
const SMALL_ORDER_POINTS: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What of a key only its owner may have: with it in public, anyone signs. `k` is a shared secret. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Key type and curve of the algorithms that there are here (RFC 7518 section 3.1, RFC 8037). */
function shapeOf(alg: string): { readonly kty: string; readonly crv?: string } | undefined {
  if (/^[RP]S(?:256|384|512)$/.test(alg)) return { kty: 'RSA' };
  const crv = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg];
  if (crv !== undefined) return { kty: 'EC', crv };
  return alg === 'EdDSA' || alg === 'Ed25519' ? { kty: 'OKP', crv: 'Ed25519' } : undefined;
}

/** For signatures, as far as it says what it is for (RFC 7517 sections 4.2 and 4.3). */
function isForVerification({ use, key_ops: operations }: Fields): boolean {
  if (use !== undefined && use !== 'sig') return false;
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
}

/**
 * The one algorithm that a key serves. Its own, when it names one; otherwise the first of the configured ones
 * that it is of a shape for. The header of a token has no say in it.
 */
function algorithmOf(jwk: Fields, algorithms: readonly string[]): string | undefined {
  return algorithms.find((alg) => {
    if (jwk.alg !== undefined && jwk.alg !== alg) return false;
    const shape = shapeOf(alg);
    return shape !== undefined && shape.kty === jwk.kty && (shape.kty === 'RSA' || shape.crv === jwk.crv);
  });
}

/**
 * Whether nobody but the owner of the private key can sign. With an RSA exponent of 1 a signature is its own message;
 * an even exponent, or one of 3, is no key that a library makes today. The numbers are those of the imported key:
 * however the JWK spells them, they are what signatures are verified with.
 */
async function isStrong(key: CryptoKey): Promise<boolean> {
  if (key.algorithm.name === 'Ed25519') {
    const { x = '' } = await exportJWK(key);
    const point = Buffer.from(x, 'base64url');
    point.writeUInt8(point.readUInt8(31) & 0x7f, 31);
    return !SMALL_ORDER_POINTS.has(point.toString('hex'));
  }
  const { modulusLength, publicExponent } = key.algorithm as Partial<RsaParameters>;
  if (modulusLength === undefined || publicExponent === undefined) return key.algorithm.name === 'ECDSA';
  const exponent = BigInt(`0x0${Buffer.from(publicExponent).toString('hex')}`);
  return (
    modulusLength >= MIN_RSA_BITS &&
    exponent % 2n === 1n &&
    exponent >= MIN_RSA_EXPONENT &&
    exponent < MAX_RSA_EXPONENT
  );
}

/** Of an imported RSA key (Web Cryptography API section 20.6). */
interface RsaParameters {
  readonly modulusLength: number;
  /** Big-endian. */
  readonly publicExponent: Uint8Array;
}

/** A key that can be used; undefined for any other (RFC 7517 section 5: those are to be ignored). */
async function toKey(jwk: unknown, algorithms: readonly string[]): Promise<VerificationKey | undefined> {
  if (!isFields(jwk) || PRIVATE.some((name) => Object.hasOwn(jwk, name))) return undefined;
  const { kid, kty, n, e, crv, x, y } = jwk;
  const alg = algorithmOf(jwk, algorithms);
  if (alg === undefined || !isForVerification(jwk)) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  const members = kty === 'RSA' ? { kty, n, e } : kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x };
  const key = await importJWK(members as JWK, alg).catch(() => undefined);
  if (key === undefined || key instanceof Uint8Array || key.type !== 'public') return undefined;
  if (!(await isStrong(key))) return undefined;
  return { alg, kid, key, print: JSON.stringify([alg, kid, members]) };
}

/**
 * Reads a JWK Set (RFC 7517 section 5) for the algorithms that are configured. Keys of another kind, for another
 * use, secret, damaged or weak ones are left out; a set that has none left is one, and no token is good under it.
 *
 * @throws KeySetError `jwks_malformed` for what is no key set, or has more than 100 keys
 */
export async function createKeySet(jwks: unknown, algorithms: readonly string[]): Promise<KeySet> {
  const listed = isFields(jwks) ? jwks.keys : undefined;
  if (!Array.isArray(listed) || listed.length > MAX_KEYS) throw new KeySetError('jwks_malformed');
  const usable = await Promise.all(listed.map((jwk) => toKey(jwk, algorithms)));
  // The same key twice is one.
  const keys = new Map(usable.flatMap((key) => (key ? [[key.print, key] as const] : [])));
  return {
    candidates: (alg, kid) =>
      [...keys.values()].filter((key) => key.alg === alg && (kid === undefined || key.kid === kid)),
    holds: (key) => keys.has(key.print),
  };
}
