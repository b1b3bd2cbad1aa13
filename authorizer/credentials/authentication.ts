import { LRUCache } from 'lru-cache';
import type { Clock } from '../../engine/index.ts';
import { CredentialsError } from '../errors.ts';
import { createVerify, type TrustedIssuer, type Verified, type VerifiedClaims } from './verify.ts';

/** Verifies the text of a token. */
export type Authenticate = (token: string) => Promise<VerifiedClaims>;

export interface AuthenticationOptions {
  readonly issuers: readonly TrustedIssuer[];
  /** Limit on the length of a token. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Milliseconds for which a verified token is not verified again; 0: verify each time. */
  readonly ttlMs: number;
  /** Bound on all cached verified tokens, in estimated bytes. */
  readonly cacheBytes: number;
}

/**
 * Verifies tokens (verify.ts) and caches valid ones.
 *
 * The returned function throws CredentialsError for an invalid token (401) and Fault for a fault of ours
 * (500).
 */
export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const { maxBytes, clock, ttlMs, cacheBytes } = options;
  const verify = createVerify(options.issuers);
  const tokens = createVerifiedTokens({ clock, ttlMs, maxBytes: cacheBytes });

  return async (token) => {
    if (token.length > maxBytes) throw new CredentialsError('token_too_long');
    const found = tokens.find(token);
    const known = found instanceof Promise ? await found : found;
    if (known !== undefined) return known;
    const verified = await verify(token, clock.now());
    tokens.keep(token, verified);
    return verified.claims;
  };
}

export interface VerifiedTokensOptions {
  /** Milliseconds for which a verified token is cached; 0: not at all. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** Bound on all cached tokens, in estimated bytes. */
  readonly maxBytes: number;
}

/** A cache of verified tokens. Refused tokens are not cached. */
export interface VerifiedTokens {
  /**
   * The claims of a token that is still valid: within its dates, verified within the time-to-live, and by a
   * key that the issuer still publishes. At once where the issuer's keys need not be fetched; rejects with Fault
   * `keys_unavailable` if they cannot be.
   */
  find(token: string): VerifiedClaims | undefined | Promise<VerifiedClaims | undefined>;
  keep(token: string, verified: Verified): void;
  readonly size: number;
}

interface Entry extends Verified {
  readonly token: string;
}

/**
 * Length of the cache key: the end of the token, as long as 32 bytes in base64url, the shortest signature.
 * The whole token is compared afterwards, so that a collision is harmless.
 */
const TAIL = 43;

/** A high estimate of the text, the payload as objects, and the cache entry. */
const bytesOf = ({ token }: Entry): number => 512 + 4 * token.length;

/** Creates the cache, bounded in bytes; the least recently used tokens are evicted first. */
export function createVerifiedTokens({ ttlMs, clock, maxBytes }: VerifiedTokensOptions): VerifiedTokens {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: bytesOf });

  const isYoung = ({ at }: Entry, now: number): boolean => Math.abs(now - at) < ttlMs;
  const isWithinDates = ({ from, until }: Entry, now: number): boolean => from <= now && now < until;

  /** Called when it is known whether the key is published, for it may have to be fetched: the dates must be right then. */
  function claimsOf(entry: Entry, tail: string, isPublished: boolean): VerifiedClaims | undefined {
    const now = clock.now();
    if (isPublished && isYoung(entry, now) && isWithinDates(entry, now)) return entry.claims;
    entries.delete(tail);
    return undefined;
  }

  return {
    find(token) {
      const tail = token.slice(-TAIL);
      const entry = entries.get(tail);
      if (entry?.token !== token) return undefined;
      const isPublished = entry.keys.holds(entry.key);
      if (isPublished instanceof Promise) return isPublished.then((is) => claimsOf(entry, tail, is));
      return claimsOf(entry, tail, isPublished);
    },
    keep(token, verified) {
      if (ttlMs > 0) entries.set(token.slice(-TAIL), { ...verified, token });
    },
    get size() {
      return entries.size;
    },
  };
}
