import { type CryptoKey, exportJWK, importJWK, type JWK } from 'jose';
import { createCachedLoader } from '../../engine/cached-loader.ts';
import type { Clock } from '../../engine/index.ts';
import { CredentialsError, Fault } from '../errors.ts';
import { type Fetch, fetchKeys } from './fetch.ts';

/**
 * A public key for one algorithm. Two keys with the same `print` are the same, whenever they were fetched.
 */
export interface VerificationKey {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly key: CryptoKey;
  readonly print: string;
}

/** The keys of an issuer at one instant, by `print`. */
export type KeySet = ReadonlyMap<string, VerificationKey>;

const NO_KEYS: KeySet = new Map();

/**
 * Keys that are tried for one token: more than any issuer has at a time for one algorithm, and few enough that a token
 * cannot cost much. Of a larger set the first ones are tried.
 */
const MAX_CANDIDATES = 8;

/** RFC 9864 gave the one EdDSA algorithm that is supported here a name of its own: keys and tokens may have either. */
const ONE_NAME: Readonly<Record<string, string>> = { Ed25519: 'EdDSA' };
const nameOf = (alg: string): string => ONE_NAME[alg] ?? alg;

/** The names of algorithms in headers, where these are configured. */
export const namesOf = (algorithms: readonly string[]): readonly string[] => [
  ...algorithms,
  ...Object.entries(ONE_NAME).flatMap((pair) => (pair.some((name) => algorithms.includes(name)) ? pair : [])),
];

/** The keys by which a token with this header may be signed; a token without `kid` matches any. */
export const candidatesIn = (
  keys: KeySet,
  alg: string,
  kid: string | undefined,
): readonly VerificationKey[] =>
  [...keys.values()]
    .filter((key) => key.alg === nameOf(alg) && (kid === undefined || key.kid === kid))
    .slice(0, MAX_CANDIDATES);

/** The response is not a usable key set. The error carries only a code, nothing of the response. */
class KeySetError extends Error {
  override readonly name = 'KeySetError';
  readonly code: string;

  constructor(code: 'jwks_status' | 'jwks_too_large' | 'jwks_malformed') {
    super(code);
    this.code = code;
  }
}

/** More than any issuer publishes. Each key must be imported, which takes time. */
const MAX_KEYS = 100;

/** "A key of size 2048 bits or larger MUST be used" (RFC 7518 sections 3.3 and 3.5). */
const MIN_RSA_BITS = 2_048;

/** A public exponent is odd and between 2^16 and 2^256 (FIPS 186-5 section 5.1). */
const MIN_RSA_EXPONENT = 65_537n;
const MAX_RSA_EXPONENT = 2n ** 256n;

/**
 * The encodings of the points of order 1, 2, 4 and 8 of edwards25519, in hexadecimal without the sign of x.
 * With such a key anybody can sign: a signature with `R` the neutral element and `S` zero verifies for every
 * message, and OpenSSL accepts it. The list is from libsodium (`ge25519_has_small_order`).
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

/** Members that only private keys have (`k`: a shared secret). If they are published, anybody can sign. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Key type and curve of the supported algorithms (RFC 7518 section 3.1, RFC 8037). */
function shapeOf(alg: string): { readonly kty: string; readonly crv?: string } | undefined {
  if (/^[RP]S(?:256|384|512)$/.test(alg)) return { kty: 'RSA' };
  const crv = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg];
  if (crv !== undefined) return { kty: 'EC', crv };
  return alg === 'EdDSA' || alg === 'Ed25519' ? { kty: 'OKP', crv: 'Ed25519' } : undefined;
}

/** Whether a key may verify signatures, if it declares its use (RFC 7517 sections 4.2 and 4.3). */
function isForVerification({ use, key_ops: operations }: Fields): boolean {
  if (use !== undefined && use !== 'sig') return false;
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
}

/**
 * The algorithm for which a key is used: its own, if it names one, otherwise the first configured one that
 * fits its type. It never depends on the header of a token.
 */
function algorithmOf(jwk: Fields, algorithms: readonly string[]): string | undefined {
  return algorithms.find((alg) => {
    if (jwk.alg !== undefined && (typeof jwk.alg !== 'string' || nameOf(jwk.alg) !== nameOf(alg)))
      return false;
    const shape = shapeOf(alg);
    return shape !== undefined && shape.kty === jwk.kty && (shape.kty === 'RSA' || shape.crv === jwk.crv);
  });
}

/**
 * Whether only the owner of the private key can sign. With an RSA exponent of 1, a signature equals its
 * message; libraries do not create keys with even exponents or exponent 3 any more. The numbers are taken
 * from the imported key, because signatures are verified with those, whatever the spelling in the JWK.
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

/** A usable key; undefined for any other, which is to be ignored (RFC 7517 section 5). */
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
  return { alg: nameOf(alg), kid, key, print: JSON.stringify([nameOf(alg), kid, members]) };
}

/**
 * Parses a JWK Set (RFC 7517 section 5) for the configured algorithms. Keys of other types, for other uses,
 * private, damaged and weak keys are left out. A set without usable keys is valid, but verifies no token.
 *
 * @throws KeySetError `jwks_malformed` if it is not a key set, or has more than 100 keys
 */
export async function createKeySet(jwks: unknown, algorithms: readonly string[]): Promise<KeySet> {
  const listed = isFields(jwks) ? jwks.keys : undefined;
  if (!Array.isArray(listed) || listed.length > MAX_KEYS) throw new KeySetError('jwks_malformed');
  const usable = await Promise.all(listed.map((jwk) => toKey(jwk, algorithms)));
  return new Map(usable.flatMap((key) => (key ? [[key.print, key] as const] : [])));
}

/** The keys of one issuer. */
export interface KeySource {
  /**
   * The keys that a token's header fits, at most eight: without `kid` several may. Throws CredentialsError
   * `key_unknown` if there is none, and Fault `keys_unavailable` if the keys cannot be fetched.
   */
  find(alg: string, kid: string | undefined): Promise<readonly VerificationKey[]>;
  /**
   * Further keys, where none of those that were tried has made the signature: an issuer may have given an old `kid`
   * to a new key. Keys are fetched for it as for an unknown `kid`, at most once in 30 seconds.
   */
  findMore(
    alg: string,
    kid: string | undefined,
    tried: readonly VerificationKey[],
  ): Promise<readonly VerificationKey[]>;
  /**
   * Whether the issuer still publishes a key: at once where its keys need not be fetched. Rejects with Fault
   * `keys_unavailable`.
   */
  holds(key: VerificationKey): boolean | Promise<boolean>;
}

/** The keys of an issuer that are fetched. */
export interface RemoteKeys extends KeySource {
  /**
   * The keys, fetched before a token needs them. Empty if they cannot be had; the first token then fetches them, and
   * waits for no back-off.
   */
  prefetch(): Promise<KeySet>;
}

export interface RemoteKeysOptions {
  readonly url: URL;
  /** A key that names no algorithm is used for the first of these that fits it. */
  readonly algorithms: readonly string[];
  readonly clock: Clock;
  /** The cache of the keys of all issuers. */
  readonly keySets: KeySets;
  /** Random number in [0, 1). Spreads the back-off of many instances. */
  readonly random?: () => number;
  /** Milliseconds for which keys may be used beyond their freshness while new ones cannot be fetched. */
  readonly staleMs: number;
  readonly fetch?: Fetch;
  /**
   * Called once for each failed fetch that does not fail a request: in the background, or if older keys are
   * used.
   */
  readonly onRefreshFailed?: (fault: Fault) => void;
}

/** Deadline of a fetch in milliseconds. API Gateway waits 10 s for the whole authorizer, callers less. */
const TIMEOUT_MS = 1_000;
/** Milliseconds for which keys are fresh. After half of it, a request starts a refresh in the background. */
const FRESH_MS = 600_000;
/** Milliseconds between two fetches that are caused by unknown key ids and by signatures that no key has made. */
const COOL_DOWN_MS = 30_000;
/**
 * Back-off after a failure in milliseconds, doubled with each further one and randomly shortened by up to
 * half.
 */
const BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30_000;
/** Limit on a key set in bytes. The largest known one has a tenth of it. */
const MAX_BYTES = 256 * 1_024;

interface Fetched {
  readonly text: string;
  readonly set: KeySet;
  /** When its fetch began. A key that was withdrawn later may still be in the set. */
  readonly readAt: number;
}

/** The key sets of all issuers: a cache bounded in bytes, and the fetches in flight. */
export type KeySets = ReturnType<typeof createKeySets>;

/** Estimated bytes of a key set without its text; the imported keys are about as large as the text. */
const KEY_SET_BYTES = 1_024;

/**
 * @param maxBytes bound on all key sets, in estimated bytes. At least one is always kept: otherwise each
 *   request would fetch.
 */
export const createKeySets = (maxBytes: number, { now }: Clock) =>
  createCachedLoader<Fetched>({
    maxBytes,
    sizeOf: ({ text }) => Math.min(maxBytes, KEY_SET_BYTES + 2 * text.length),
    now,
  });

/** Compares the absolute difference: after the clock was set back, instants in the future expire too. */
const isWithin = (ms: number, since: number, now: number): boolean => Math.abs(now - since) < ms;

const faultOf = (cause: unknown): Fault =>
  new Fault('keys_unavailable', 'the keys of the issuer could not be had', cause);

/**
 * Downloads at most 256 KB, within a second. A redirect is an error, like any status other than 200.
 *
 * @throws KeySetError `jwks_status` or `jwks_too_large`; the error of the connection
 */
export async function download(fetch: Fetch, url: URL): Promise<string> {
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
 * The keys that an issuer publishes as a JWK Set. They are fetched on first use, with one fetch at a time;
 * are fresh for ten minutes and refreshed in the background after half of that; and are used for `staleMs`
 * longer if new ones cannot be fetched. There are no timers: ages are computed from the clock at each use and
 * count from the start of the fetch, so that an instance that was frozen for an hour does not trust older
 * keys.
 *
 * jose's remote key set is not used because its cool-down only starts after a success: with the issuer down,
 * each request would fetch and be refused although keys are cached.
 */
export function createRemoteKeys(options: RemoteKeysOptions): RemoteKeys {
  const { url, algorithms, clock, keySets, random = Math.random, staleMs, fetch = fetchKeys } = options;
  const { onRefreshFailed = () => undefined } = options;
  const name = [url.href, ...algorithms].join(' ');

  /** When the newest fetch began. The results of older fetches are ignored. */
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

  /** Fetches, unless the back-off after a failure is still running. */
  async function attempt(now: number): Promise<Fetched> {
    if (failure && isWithin(failure.waitMs, failure.at, now)) throw failure.fault;
    return fetchNew(now);
  }

  /**
   * Joins the fetch in flight, or calls `begin`. A fetch that began longer ago than its deadline is not
   * joined: the instance was frozen since.
   */
  const refresh = (now: number, begin: (now: number) => Promise<Fetched> = attempt): Promise<Fetched> =>
    keySets.load([name], now - TIMEOUT_MS + 1, () => [begin(now)])[0] as Promise<Fetched>;

  /** Reports a failed fetch once, even if several requests wait for it. */
  const reported = new WeakSet<Fault>();
  const report = (fault: Fault): void => {
    if (reported.has(fault)) return;
    reported.add(fault);
    onRefreshFailed(fault);
  };

  /** Fetches new keys; if that fails, returns the old ones unless they are older than `staleMs` allows. */
  async function renewed(now: number): Promise<Fetched> {
    try {
      return await refresh(now);
    } catch (fault) {
      const known = latest();
      if (known === undefined || !isWithin(FRESH_MS + staleMs, known.readAt, clock.now())) throw fault;
      report(fault as Fault);
      return known;
    }
  }

  function current(now: number): Fetched | Promise<Fetched> {
    const known = latest();
    if (known === undefined || !isWithin(FRESH_MS, known.readAt, now)) return renewed(now);
    if (!isWithin(FRESH_MS / 2, known.readAt, now)) refresh(now).catch(report);
    return known;
  }

  /**
   * Newer keys than `known`, for a key id that is not in them: those fetched in the meantime, or else those
   * of a new fetch, at most one in 30 seconds. Unknown ids are not remembered, so that they cannot fill the
   * memory.
   */
  async function again(known: Fetched): Promise<Fetched> {
    const now = clock.now();
    const newer = latest();
    if (newer !== undefined && newer !== known) return newer;
    const isCoolingDown = isWithin(COOL_DOWN_MS, begunAt, now);
    try {
      return await refresh(now, isCoolingDown ? async () => answerable(known, now) : attempt);
    } catch (fault) {
      report(fault as Fault);
      return answerable(known, clock.now());
    }
  }

  /**
   * Fresh keys show that a key does not exist; older ones do not: then it throws the fault of the last fetch.
   */
  function answerable(known: Fetched, now: number): Fetched {
    if (isWithin(FRESH_MS, known.readAt, now)) return known;
    throw failure?.fault ?? faultOf(undefined);
  }

  /** The keys that fit and were not tried: of the set that is known, or else of a newer one. */
  async function untried(alg: string, kid: string | undefined, tried: readonly VerificationKey[]) {
    const isNew = ({ print }: VerificationKey): boolean => tried.every((each) => each.print !== print);
    const known = await current(clock.now());
    const candidates = candidatesIn(known.set, alg, kid).filter(isNew);
    return candidates.length > 0
      ? candidates
      : candidatesIn((await again(known)).set, alg, kid).filter(isNew);
  }

  return {
    find: async (alg, kid) => {
      const candidates = await untried(alg, kid, []);
      if (candidates.length === 0) throw new CredentialsError('key_unknown');
      return candidates;
    },
    findMore: untried,
    holds: (key) => {
      const known = current(clock.now());
      return known instanceof Promise
        ? known.then(({ set }) => set.has(key.print))
        : known.set.has(key.print);
    },
    prefetch: async () => {
      try {
        return (await current(clock.now())).set;
      } catch {
        settle();
        return NO_KEYS;
      }
    },
  };
}
