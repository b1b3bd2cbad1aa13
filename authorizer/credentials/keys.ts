import { type CryptoKey, exportJWK, importJWK, type JWK } from 'jose';
import { createCachedLoader } from '../../engine/cached-loader.ts';
import type { Clock } from '../../engine/index.ts';
import { CredentialsError, Fault } from '../errors.ts';
import { type Fetch, fetchKeys } from './fetch.ts';

/** A public key for one algorithm. Two with the same print are the same key, whenever they were fetched. */
export interface VerificationKey {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly key: CryptoKey;
  readonly print: string;
}

/** The keys of an issuer as they were at one instant, by their prints. */
export type KeySet = ReadonlyMap<string, VerificationKey>;

/** The keys that a token with this header may have been signed by; any `kid` when it names none. */
export const candidatesIn = (
  keys: KeySet,
  alg: string,
  kid: string | undefined,
): readonly VerificationKey[] =>
  [...keys.values()].filter((key) => key.alg === alg && (kid === undefined || key.kid === kid));

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
  return new Map(usable.flatMap((key) => (key ? [[key.print, key] as const] : [])));
}

/** The keys of one issuer. */
export interface KeySource {
  /**
   * The key for a token's header. Throws CredentialsError `key_unknown` when the issuer has none, or several between
   * which the header does not choose, and Fault `keys_unavailable` when its keys cannot be had.
   */
  find(alg: string, kid: string | undefined): Promise<VerificationKey>;
  /** Whether the issuer still has a key that it once had. Throws Fault `keys_unavailable`. */
  holds(key: VerificationKey): Promise<boolean>;
}

export interface RemoteKeysOptions {
  readonly url: URL;
  /** A key that names no algorithm serves the first of these that fits it. */
  readonly algorithms: readonly string[];
  readonly clock: Clock;
  /** Where the keys are kept, together with those of other issuers. */
  readonly keySets: KeySets;
  /** From 0 to below 1: for what it is multiplied by, back-offs of many instances part. */
  readonly random?: () => number;
  /** Milliseconds for which keys that are no longer fresh answer while new ones cannot be had. */
  readonly staleMs: number;
  readonly fetch?: Fetch;
  /** Told of each fetch that failed behind a request, or before an answer from older keys. */
  readonly onRefreshFailed?: (fault: Fault) => void;
}

/** API Gateway waits 10 s for the whole authorizer, and callers less. */
const TIMEOUT_MS = 1_000;
/** So long are keys taken for the issuer's; from the half of it on, a request has new ones fetched behind it. */
export const FRESH_MS = 600_000;
/** A key id that is in no set has the set fetched again, once in so long. */
export const COOL_DOWN_MS = 30_000;
/** After the first failure in a row, doubled with each further one; each time less up to its half, by chance. */
const BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30_000;
/** The largest of known issuers is a tenth of it. */
const MAX_BYTES = 256 * 1_024;

interface Fetched {
  readonly text: string;
  readonly set: KeySet;
  /** When its fetch began: a key that was taken back since may be in it. */
  readonly readAt: number;
}

/** The key sets of all issuers: a cache that is bounded in bytes, and the fetches that are in flight. */
export type KeySets = ReturnType<typeof createKeySets>;

/** Estimated bytes of a key set, beside its text; the keys themselves are about as large as the text. */
const KEY_SET_BYTES = 1_024;

/**
 * @param maxBytes bound on all key sets, in estimated bytes. The one that was used last is kept however small the bound
 *   is: without it, each request would be a fetch.
 */
export const createKeySets = (maxBytes: number, { now }: Clock) =>
  createCachedLoader<Fetched>({
    maxBytes,
    sizeOf: ({ text }) => Math.min(maxBytes, KEY_SET_BYTES + 2 * text.length),
    now,
  });

/** Also after the clock was set back: what lies ahead is not fresh for all that time. */
const isWithin = (ms: number, since: number, now: number): boolean => Math.abs(now - since) < ms;

const faultOf = (cause: unknown): Fault =>
  new Fault('keys_unavailable', 'the keys of the issuer could not be had', cause);

/** The text that is served, of 256 KB at most. A redirect is an answer like any other that is not 200. */
async function download(fetch: Fetch, url: URL): Promise<string> {
  const response = await fetch(url.href, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new KeySetError('jwks_status');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new KeySetError('jwks_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KeySetError('jwks_malformed');
  }
}

/**
 * The keys that an issuer serves as a JWK Set. They are fetched when first asked for, by one fetch at a time; are
 * fresh for ten minutes and fetched again behind a request from the half of that on; and answer, when new ones
 * cannot be had, for `staleMs` longer. There are no timers: all ages are asked of the clock at each question, and
 * count from when the fetch began, so that an instance that was frozen for an hour trusts nothing from before it.
 *
 * jose's own remote set is not used, as its cool-down counts from successes only: with the issuer down, each request
 * would fetch, and be refused though the keys are there.
 */
export function createRemoteKeys(options: RemoteKeysOptions): KeySource {
  const { url, algorithms, clock, keySets, random = Math.random, staleMs, fetch = fetchKeys } = options;
  const { onRefreshFailed = () => undefined } = options;
  const name = [url.href, ...algorithms].join(' ');

  /** When the newest fetch began. What one from before it brings is no news, and its failure none of now. */
  let begunAt = Number.NEGATIVE_INFINITY;
  let failure: { readonly fault: Fault; readonly at: number; readonly waitMs: number } | undefined;
  let failures = 0;

  const latest = (): Fetched | undefined => keySets.find(name);

  async function read(readAt: number): Promise<Fetched> {
    const text = await download(fetch, url);
    const known = latest();
    const set = text === known?.text ? known.set : await createKeySet(parse(text), algorithms);
    return { text, set, readAt };
  }

  async function fetchNew(now: number): Promise<Fetched> {
    begunAt = now;
    try {
      const fetched = await read(now);
      if (begunAt !== now) return latest() ?? fetched;
      settle();
      keySets.keep(name, fetched);
      return fetched;
    } catch (error) {
      const fault = faultOf(error);
      if (begunAt === now) settle(fault);
      throw fault;
    }
  }

  function settle(fault?: Fault): void {
    failures = fault === undefined ? 0 : failures + 1;
    const longest = Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** (failures - 1));
    failure = fault && { fault, at: clock.now(), waitMs: longest * (1 - random() / 2) };
  }

  /** A fetch, unless one failed a moment ago. */
  async function attempt(now: number): Promise<Fetched> {
    if (failure && isWithin(failure.waitMs, failure.at, now)) throw failure.fault;
    return fetchNew(now);
  }

  /**
   * What the fetch in flight brings, or else what `begin` does. One that began longer ago than a fetch may take is not
   * waited for: the instance was frozen since.
   */
  const refresh = (now: number, begin: (now: number) => Promise<Fetched> = attempt): Promise<Fetched> =>
    keySets.load([name], now - TIMEOUT_MS + 1, () => [begin(now)])[0] as Promise<Fetched>;

  /** Tells of a failed fetch, once however many wait for it. */
  const told = new WeakSet<Fault>();
  const tell = (fault: Fault): void => {
    if (told.has(fault)) return;
    told.add(fault);
    onRefreshFailed(fault);
  };

  /** While new keys cannot be had, those from before, if they are not older than they may be. */
  async function renewed(now: number): Promise<Fetched> {
    try {
      return await refresh(now);
    } catch (fault) {
      const known = latest();
      if (known === undefined || !isWithin(FRESH_MS + staleMs, known.readAt, clock.now())) throw fault;
      tell(fault as Fault);
      return known;
    }
  }

  async function current(now: number): Promise<Fetched> {
    const known = latest();
    if (known === undefined || !isWithin(FRESH_MS, known.readAt, now)) return renewed(now);
    if (!isWithin(FRESH_MS / 2, known.readAt, now)) refresh(now).catch(tell);
    return known;
  }

  /**
   * Looks once more, in newer keys: those that came since, or those of a fetch, if none began in the last 30 seconds.
   * Any number of unknown ids costs that one fetch, and no memory.
   */
  async function again(known: Fetched): Promise<Fetched> {
    const now = clock.now();
    const newer = latest();
    if (newer !== undefined && newer !== known) return newer;
    const isCoolingDown = isWithin(COOL_DOWN_MS, begunAt, now);
    try {
      return await refresh(now, isCoolingDown ? async () => answerable(known, now) : attempt);
    } catch (fault) {
      tell(fault as Fault);
      return answerable(known, clock.now());
    }
  }

  /** That a key is not among fresh ones says that nobody has it; that it is not among older ones says nothing. */
  function answerable(known: Fetched, now: number): Fetched {
    if (isWithin(FRESH_MS, known.readAt, now)) return known;
    throw failure?.fault ?? faultOf(undefined);
  }

  function one(candidates: readonly VerificationKey[]): VerificationKey {
    const [key, ...others] = candidates;
    if (key === undefined || others.length > 0) throw new CredentialsError('key_unknown');
    return key;
  }

  async function search(alg: string, kid: string | undefined) {
    const known = await current(clock.now());
    const candidates = candidatesIn(known.set, alg, kid);
    return one(candidates.length > 0 ? candidates : candidatesIn((await again(known)).set, alg, kid));
  }

  return {
    find: search,
    holds: async (key) => (await current(clock.now())).set.has(key.print),
  };
}
