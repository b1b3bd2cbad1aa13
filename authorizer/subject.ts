import type { Kind } from '../engine/items.ts';
import type { Look } from '../engine/load.ts';
import { GatehouseError } from '../table/errors.ts';
import { isId, isRef } from '../table/identifiers.ts';
import { guardKey, type Key } from '../table/keys.ts';
import type { Log } from '../table/log.ts';
import { normaliseEmail } from '../table/normalise.ts';
import type { IssuerConfiguration } from './credentials/configuration.ts';
import type { VerifiedClaims } from './credentials/verify.ts';
import type { SubjectSource } from './variables.ts';

/**
 * The subject (`user:01J…`) of verified claims; null if they name none; undefined while a required look-up is
 * not loaded.
 */
export type SubjectOf = (claims: VerifiedClaims, look: Look) => string | null | undefined;

/** Local part, `@` and domain at their longest (RFC 5321 section 4.5.3.1). */
const MAX_EMAIL_LENGTH = 320;

/** More than the bytes of any issuer and `sub` that the table keeps. */
const MAX_IDENTITY_LENGTH = 1_024;

/**
 * The owner of a unique value, from the guard item that also makes the value unique.
 *
 * @param prefix distinguishes its ids in the engine's cache from those of other kinds
 * @param keyOf throws `invalid` for a value that no user can have: such a claim names nobody and is no fault
 */
const ownerOf = (prefix: string, keyOf: (value: string) => Key): Kind<string> => ({
  mayLackStamp: true,
  keyOf: (id) => {
    try {
      return keyOf(id.slice(prefix.length));
    } catch (error) {
      if (error instanceof GatehouseError && error.code === 'invalid') return undefined;
      throw error;
    }
  },
  decode: (_, { owner }) => {
    if (typeof owner !== 'string' || !owner.startsWith('user:') || !isRef(owner))
      throw new GatehouseError('damaged_item', `the guard of an ${prefix.slice(0, -1)} names no user`);
    return owner;
  },
});

const EMAIL = 'email:';
const EMAIL_OWNER = ownerOf(EMAIL, (email) => guardKey('EMAIL', normaliseEmail(email, 'email')));

/** Issuer and `sub`, joined by a line feed, which no key holds. */
const IDENTITY = 'identity:';
const IDENTITY_OWNER = ownerOf(IDENTITY, (identity) => {
  const [issuer = '', ...sub] = identity.split('\n');
  return guardKey('IDENTITY', sub.join('\n'), issuer);
});

/**
 * Finds the subject by a claim that contains its id, or by looking up a verified email or an identity.
 *
 * @param emailVerified `text`: the text "true" counts in `email_verified`, too. OpenID Connect defines a boolean.
 * @param onText called for a text that does not count
 */
export function createSubjectOf(
  from: SubjectSource,
  emailVerified: 'boolean' | 'text' = 'boolean',
  onText: () => void = () => undefined,
): SubjectOf {
  if (from.kind === 'email') {
    return ({ email, email_verified }, look) => {
      const isText = email_verified === 'true';
      if (isText && emailVerified !== 'text') onText();
      const isVerified = email_verified === true || (isText && emailVerified === 'text');
      if (!isVerified || typeof email !== 'string' || email.length > MAX_EMAIL_LENGTH) return null;
      return look.item(EMAIL_OWNER, `${EMAIL}${email}`);
    };
  }
  if (from.kind === 'identity') {
    const { name } = from;
    return (claims, look) => {
      const { iss } = claims;
      const sub = Object.hasOwn(claims, name) ? claims[name] : undefined;
      if (typeof iss !== 'string' || typeof sub !== 'string') return null;
      if (iss.length + sub.length > MAX_IDENTITY_LENGTH) return null;
      return look.item(IDENTITY_OWNER, `${IDENTITY}${iss}\n${sub}`);
    };
  }
  return (claims) => {
    const id = Object.hasOwn(claims, from.name) ? claims[from.name] : undefined;
    return typeof id === 'string' && isId(id) ? `user:${id}` : null;
  };
}

/**
 * Finds the subject by the source that is configured for the issuer of the claims. The same `sub` from two
 * issuers means two persons (OpenID Connect Core section 5.7; see credentials/configuration.ts).
 *
 * @param log is told once of each issuer whose `email_verified` is a text that does not count
 */
export function createSubjectOfIssuers(
  issuers: readonly Pick<IssuerConfiguration, 'issuer' | 'subjectFrom' | 'emailVerified'>[],
  log: Pick<Log, 'warn'>,
): SubjectOf {
  const said = new Set<string>();
  const byIssuer = new Map<unknown, SubjectOf>(
    issuers.map(({ issuer, subjectFrom, emailVerified }) => {
      const onText = () => {
        if (!said.has(issuer)) log.warn('email_verified is a text and does not count', { issuer });
        said.add(issuer);
      };
      return [issuer, createSubjectOf(subjectFrom, emailVerified, onText)];
    }),
  );
  return (claims, look) => {
    const subjectOf = byIssuer.get(claims.iss);
    return subjectOf === undefined ? null : subjectOf(claims, look);
  };
}
