import type { Clock } from '../../engine/index.ts';
import { createRecent } from '../recent.ts';
import type { VerifiedClaims } from './claims.ts';
import type { VerificationKey } from './key-set.ts';
import type { KeySource } from './keys.ts';

/** A token that was good, and what it was good by. */
export interface Verified {
  readonly claims: VerifiedClaims;
  readonly key: VerificationKey;
  readonly keys: KeySource;
  /** When it was asked about. */
  readonly at: number;
}

export interface VerifiedTokensOptions {
  /** Milliseconds for which a verification may answer; 0: it answers its own request only. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly maxTokens?: number;
  readonly maxBytes?: number;
}

/** Tokens that were verified a moment ago. Those that were refused are not among them. */
export interface VerifiedTokens {
  /**
   * The claims of a token that is still good: within its dates, verified no longer ago than a verification may
   * answer, and by a key that the issuer still has. A promise only where the issuer's keys have to be waited for.
   * Throws Fault `keys_unavailable` when that cannot be known.
   */
  find(token: string): VerifiedClaims | undefined | Promise<VerifiedClaims | undefined>;
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

/** Bounded in number and in bytes; those that nobody comes with go first. */
export function createVerifiedTokens(options: VerifiedTokensOptions): VerifiedTokens {
  const { ttlMs, clock, maxTokens = 10_000, maxBytes = 16 * 1024 ** 2 } = options;
  const entries = createRecent<Entry>({ most: maxTokens, mostBytes: maxBytes, bytesOf });

  const isYoung = ({ at }: Entry, now: number): boolean => Math.abs(now - at) < ttlMs;

  /** The key was asked for first: new ones may have had to be waited for, and the dates are those of now. */
  function claimsIf(isHeld: boolean, entry: Entry, tail: string): VerifiedClaims | undefined {
    const now = clock.now();
    if (isHeld && isYoung(entry, now) && isWithinDates(entry.claims, now)) return entry.claims;
    entries.delete(tail);
    return undefined;
  }

  return {
    find(token) {
      const tail = token.slice(-TAIL);
      const entry = entries.get(tail);
      if (entry?.token !== token) return undefined;
      const isHeld = entry.keys.holds(entry.key);
      return typeof isHeld === 'boolean'
        ? claimsIf(isHeld, entry, tail)
        : isHeld.then((held) => claimsIf(held, entry, tail));
    },
    keep(token, verified) {
      if (ttlMs > 0) entries.set(token.slice(-TAIL), { ...verified, token });
    },
    get size() {
      return entries.size;
    },
  };
}
