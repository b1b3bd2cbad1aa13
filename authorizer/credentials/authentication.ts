import { LRUCache } from 'lru-cache';
import type { Clock } from '../../engine/index.ts';
import { CredentialsError } from '../errors.ts';
import { createVerify, type TrustedIssuer, type Verified, type VerifiedClaims } from './verify.ts';

/** From the text of a token to its verified claims. */
export type Authenticate = (token: string) => Promise<VerifiedClaims>;

export interface AuthenticationOptions {
  readonly issuers: readonly TrustedIssuer[];
  /** Longest token that is looked at. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Milliseconds for which a token that was verified need not be verified again; 0: it is, each time. */
  readonly ttlMs: number;
  /** Bound on all verified tokens that are kept, in estimated bytes. */
  readonly cacheBytes: number;
}

/**
 * Verifies tokens (verify.ts), and remembers those that were good.
 *
 * The function throws CredentialsError when the caller is at fault (401) and Fault when we are (500).
 */
export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const { maxBytes, clock, ttlMs, cacheBytes } = options;
  const verify = createVerify(options.issuers);
  const tokens = createVerifiedTokens({ clock, ttlMs, maxBytes: cacheBytes });

  return async (token) => {
    if (token.length > maxBytes) throw new CredentialsError('token_too_long');
    const known = await tokens.find(token);
    if (known !== undefined) return known;
    const verified = await verify(token, clock.now());
    tokens.keep(token, verified);
    return verified.claims;
  };
}

export interface VerifiedTokensOptions {
  /** Milliseconds for which a verification may answer; 0: it answers its own request only. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** Bound on all tokens that are kept, in estimated bytes. */
  readonly maxBytes: number;
}

/** Tokens that were verified a moment ago. Those that were refused are not among them. */
export interface VerifiedTokens {
  /**
   * The claims of a token that is still good: within its dates, verified no longer ago than a verification may
   * answer, and by a key that the issuer still has. Throws Fault `keys_unavailable` when that cannot be known.
   */
  find(token: string): Promise<VerifiedClaims | undefined>;
  keep(token: string, verified: Verified): void;
  readonly size: number;
}

interface Entry extends Verified {
  readonly token: string;
}

/**
 * As many characters of a token's end as the shortest signature has: 32 bytes in base64url. Tokens that end alike are
 * told apart by the whole text, so this decides where to look and nothing else.
 */
const TAIL = 43;

/** An estimate that is rather too high: the text, its payload as objects, and what holds them. */
const bytesOf = ({ token }: Entry): number => 512 + 4 * token.length;

/** Whole seconds, as jose compares them: what is kept is good exactly as long as it would be verified. */
function isWithinDates({ exp, nbf }: VerifiedClaims, now: number): boolean {
  const seconds = Math.floor(now / 1_000);
  return typeof exp === 'number' && seconds < exp && (nbf === undefined || Number(nbf) <= seconds);
}

/** Bounded in bytes; those that nobody comes with go first. */
export function createVerifiedTokens({ ttlMs, clock, maxBytes }: VerifiedTokensOptions): VerifiedTokens {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: bytesOf });

  const isYoung = ({ at }: Entry, now: number): boolean => Math.abs(now - at) < ttlMs;

  return {
    async find(token) {
      const tail = token.slice(-TAIL);
      const entry = entries.get(tail);
      if (entry?.token !== token) return undefined;
      // The key is asked for first: new ones may have to be waited for, and the dates are those of the answer.
      const isHeld = await entry.keys.holds(entry.key);
      const now = clock.now();
      if (isHeld && isYoung(entry, now) && isWithinDates(entry.claims, now)) return entry.claims;
      entries.delete(tail);
      return undefined;
    },
    keep(token, verified) {
      if (ttlMs > 0) entries.set(token.slice(-TAIL), { ...verified, token });
    },
    get size() {
      return entries.size;
    },
  };
}
