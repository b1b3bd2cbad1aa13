import type { Clock } from '../engine/index.ts';
import { createBridge } from '../engine/outage.ts';
import type { SubjectSource } from './configuration.ts';
import { createRecent } from './recent.ts';
import type { VerifiedClaims } from './token/authentication.ts';

/** The subject reference (`user:01J…`) that claims stand for; undefined when they name nobody. */
export type SubjectOf = (claims: VerifiedClaims) => string | undefined | Promise<string | undefined>;

export interface SubjectOptions {
  readonly from: SubjectSource;
  /** Whether a text is an identifier as the table has them: a ULID or a lower-case UUID. */
  readonly isId: (text: string) => boolean;
  /** The subject that owns an email, as a reference; undefined when nobody does. Throws on faults. */
  readonly findUserByEmail: (email: string) => Promise<string | undefined>;
  /** Milliseconds for which a look-up may answer, a miss like a hit: how late a changed email is noticed. */
  readonly ttlMs: number;
  /** Milliseconds for which it may answer while DynamoDB is down; 0: no longer than `ttlMs`. */
  readonly outageTtlMs: number;
  readonly clock: Clock;
}

/** Local part, `@` and domain at their longest (RFC 5321 section 4.5.3.1). */
const MAX_EMAIL_LENGTH = 320;

/** Emails that are remembered. An entry is of the order of 200 bytes. */
const MAX_EMAILS = 10_000;

export function createSubjectOf(options: SubjectOptions): SubjectOf {
  const { from, isId } = options;
  if (from.kind === 'email') {
    const find = createEmailLookup(options);
    return (claims) => {
      const { email, email_verified } = claims;
      // The boolean itself: an issuer that says "true" as text has not said it in OpenID Connect's terms.
      if (email_verified !== true || typeof email !== 'string' || email.length > MAX_EMAIL_LENGTH)
        return undefined;
      return find(email);
    };
  }
  // The claims of a token that is known are the same object each time, and nobody can change them.
  const named = new WeakMap<VerifiedClaims, string>();
  return (claims) => {
    const known = named.get(claims);
    if (known !== undefined) return known;
    const id = Object.hasOwn(claims, from.name) ? claims[from.name] : undefined;
    if (typeof id !== 'string' || !isId(id)) return undefined;
    const subject = `user:${id}`;
    named.set(claims, subject);
    return subject;
  };
}

interface Found {
  readonly subject: string | undefined;
  readonly readAt: number;
}

/**
 * The look-up behind a cache. Expiry counts from when the read began, by the injected clock, so that what
 * was true then answers no longer than promised. Misses that run together share one read; errors are not kept.
 */
function createEmailLookup({ findUserByEmail, ttlMs, outageTtlMs, clock }: SubjectOptions) {
  const found = createRecent<Found>({ most: MAX_EMAILS });
  const underWay = new Map<string, Promise<Found>>();
  const bridge = createBridge(clock);

  async function read(email: string): Promise<Found> {
    const readAt = clock.now();
    const one = { subject: await findUserByEmail(email), readAt };
    found.set(email, one);
    return one;
  }

  /** Reads, or joins the read that is under way. */
  function join(email: string): Promise<Found> {
    const pending = underWay.get(email) ?? read(email).finally(() => underWay.delete(email));
    underWay.set(email, pending);
    return pending;
  }

  const within = (ageMs: number, email: string, now: number): Found | undefined => {
    const known = found.get(email);
    return known !== undefined && now < known.readAt + ageMs ? known : undefined;
  };

  return (email: string): string | undefined | Promise<string | undefined> => {
    const now = clock.now();
    const known = within(ttlMs, email, now);
    if (known) return known.subject;
    const older = (later: number) => within(outageTtlMs, email, later);
    return bridge(now, () => join(email), older).then(({ subject }) => subject);
  };
}
