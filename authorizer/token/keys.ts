import type { FetchImplementation } from 'jose';
import type { Clock } from '../../engine/index.ts';
import { CredentialsError, Fault } from '../errors.ts';
import { createKeySet, type KeySet, KeySetError, type VerificationKey } from './key-set.ts';

/** The keys of one issuer. */
export interface KeySource {
  /**
   * The key for a token's header. Throws CredentialsError `key_unknown` when the issuer has none, or several between
   * which the header does not choose, and Fault `keys_unavailable` when its keys cannot be had.
   */
  find(alg: string, kid: string | undefined): VerificationKey | Promise<VerificationKey>;
  /** Whether the issuer still has a key that it once had. Throws Fault `keys_unavailable`. */
  holds(key: VerificationKey): boolean | Promise<boolean>;
}

export interface RemoteKeysOptions {
  readonly url: URL;
  /** A key that names no algorithm serves the first of these that fits it. */
  readonly algorithms: readonly string[];
  readonly clock: Clock;
  /** From 0 to below 1: for what it is multiplied by, back-offs of many instances part. */
  readonly random?: () => number;
  /** Milliseconds for which keys that are no longer fresh answer while new ones cannot be had. */
  readonly staleMs: number;
  readonly fetch?: FetchImplementation;
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
  /** The how many-th fetch it was: what began later is newer, also after the clock was set back. */
  readonly turn: number;
}

interface UnderWay {
  readonly startedAt: number;
  readonly fetched: Promise<Fetched>;
}

/** Also after the clock was set back: what lies ahead is not fresh for all that time. */
const isWithin = (ms: number, since: number, now: number): boolean => Math.abs(now - since) < ms;

const faultOf = (cause: unknown): Fault =>
  new Fault('keys_unavailable', 'the keys of the issuer could not be had', cause);

/** The text that is served, of 256 KB at most. A redirect is an answer like any other that is not 200. */
async function download(fetchIt: FetchImplementation, url: URL): Promise<string> {
  const response = await fetchIt(url.href, {
    method: 'GET',
    redirect: 'manual',
    headers: new Headers({ accept: 'application/json, application/jwk-set+json' }),
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
  const {
    url,
    algorithms,
    clock,
    random = Math.random,
    staleMs,
    onRefreshFailed = () => undefined,
  } = options;
  const fetchIt: FetchImplementation = options.fetch ?? ((href, init) => fetch(href, init));

  let latest: Fetched | undefined;
  let underWay: UnderWay | undefined;
  let turns = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failure: { readonly fault: Fault; readonly at: number; readonly waitMs: number } | undefined;
  let failures = 0;

  async function read(readAt: number, turn: number): Promise<Fetched> {
    const text = await download(fetchIt, url);
    const set = text === latest?.text ? latest.set : await createKeySet(parse(text), algorithms);
    return { text, set, readAt, turn };
  }

  function start(startedAt: number): Promise<Fetched> {
    askedAt = startedAt;
    turns += 1;
    const mine: UnderWay = {
      startedAt,
      fetched: read(startedAt, turns).then(
        (fetched) => {
          // One that was overtaken, by a fetch that began after it, brings nothing new.
          if (latest === undefined || latest.turn < fetched.turn) latest = fetched;
          if (underWay === mine) settle();
          return latest;
        },
        (error: unknown) => {
          const fault = faultOf(error);
          if (underWay === mine) settle(fault);
          throw fault;
        },
      ),
    };
    underWay = mine;
    return mine.fetched;
  }

  function settle(fault?: Fault): void {
    underWay = undefined;
    failures = fault === undefined ? 0 : failures + 1;
    const longest = Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** (failures - 1));
    failure = fault && { fault, at: clock.now(), waitMs: longest * (1 - random() / 2) };
  }

  /** The fetch that is under way. One that began longer ago than it may take is not: the instance was frozen since. */
  const joinable = (now: number): UnderWay | undefined =>
    underWay && isWithin(TIMEOUT_MS, underWay.startedAt, now) ? underWay : undefined;

  /** The fetch that is under way, or a new one, unless one failed a moment ago. */
  async function refresh(now: number): Promise<Fetched> {
    const pending = joinable(now);
    if (pending) return pending.fetched;
    if (failure && isWithin(failure.waitMs, failure.at, now)) throw failure.fault;
    return start(now);
  }

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
      if (latest === undefined || !isWithin(FRESH_MS + staleMs, latest.readAt, clock.now())) throw fault;
      tell(fault as Fault);
      return latest;
    }
  }

  function current(now: number): Fetched | Promise<Fetched> {
    if (latest === undefined || !isWithin(FRESH_MS, latest.readAt, now)) return renewed(now);
    if (!isWithin(FRESH_MS / 2, latest.readAt, now)) refresh(now).catch(tell);
    return latest;
  }

  /**
   * Looks once more, in newer keys: those that came since, or those of a fetch, if none began in the last 30 seconds.
   * Any number of unknown ids costs that one fetch, and no memory.
   */
  async function again(known: Fetched): Promise<Fetched> {
    const now = clock.now();
    if (latest !== undefined && latest !== known) return latest;
    if (!joinable(now) && isWithin(COOL_DOWN_MS, askedAt, now)) return answerable(known, now);
    try {
      return await refresh(now);
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

  async function search(asked: Fetched | Promise<Fetched>, alg: string, kid: string | undefined) {
    const known = await asked;
    const candidates = known.set.candidates(alg, kid);
    return one(candidates.length > 0 ? candidates : (await again(known)).set.candidates(alg, kid));
  }

  return {
    find: (alg, kid) => search(current(clock.now()), alg, kid),
    holds(key) {
      const known = current(clock.now());
      return known instanceof Promise ? known.then(({ set }) => set.holds(key)) : known.set.holds(key);
    },
  };
}
