import type { Kind } from '../engine/items.ts';
import type { Look } from '../engine/load.ts';
import { GatehouseError } from '../table/errors.ts';
import { isId, isRef } from '../table/identifiers.ts';
import { guardKey, type Key } from '../table/keys.ts';
import { normaliseEmail } from '../table/normalise.ts';
import type { IssuerConfiguration } from './credentials/configuration.ts';
import type { VerifiedClaims } from './credentials/verify.ts';
import type { SubjectSource } from './variables.ts';

/**
 * The subject reference (`user:01J…`) that claims stand for; null when they name nobody; undefined while the look-up that
 * it takes is not loaded.
 */
export type SubjectOf = (claims: VerifiedClaims, look: Look) => string | null | undefined;

/** Local part, `@` and domain at their longest (RFC 5321 section 4.5.3.1). */
const MAX_EMAIL_LENGTH = 320;

/** The owner of an email: the guard of its uniqueness, which is the look-up at the same time (seed 003). */
const EMAIL_OWNER: Kind<string> = {
  mayLackStamp: true,
  keyOf: (id) => emailKey(id.slice(EMAIL.length)),
  decode: (_, { owner }) => {
    if (typeof owner !== 'string' || !owner.startsWith('user:') || !isRef(owner))
      throw new GatehouseError('damaged_item', "an email's guard names no user");
    return owner;
  },
};
const EMAIL = 'email:';

/** Undefined for a text that can be nobody's email: such a claim names nobody, it is no fault. */
function emailKey(email: string): Key | undefined {
  try {
    return guardKey('EMAIL', normaliseEmail(email, 'email'));
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'invalid') return undefined;
    throw error;
  }
}

/** Where the subject comes from: a claim that holds its id, or a verified email that is looked up. */
export function createSubjectOf(from: SubjectSource): SubjectOf {
  if (from.kind === 'email') {
    return ({ email, email_verified }, look) => {
      // The boolean itself: an issuer that says "true" as text has not said it in OpenID Connect's terms.
      if (email_verified !== true || typeof email !== 'string' || email.length > MAX_EMAIL_LENGTH)
        return null;
      return look.item(EMAIL_OWNER, `${EMAIL}${email}`);
    };
  }
  return (claims) => {
    const id = Object.hasOwn(claims, from.name) ? claims[from.name] : undefined;
    return typeof id === 'string' && isId(id) ? `user:${id}` : null;
  };
}

/**
 * Who the subject is, by the issuer of the verified claims: the same `sub` of two issuers is two persons (OpenID
 * Connect Core section 5.7), so what one issuer is asked for, another need not be (credentials/configuration.ts).
 */
export function createSubjectOfIssuers(
  issuers: readonly Pick<IssuerConfiguration, 'issuer' | 'subjectFrom'>[],
): SubjectOf {
  const byIssuer = new Map<unknown, SubjectOf>(
    issuers.map(({ issuer, subjectFrom }) => [issuer, createSubjectOf(subjectFrom)]),
  );
  return (claims, look) => {
    const subjectOf = byIssuer.get(claims.iss);
    return subjectOf === undefined ? null : subjectOf(claims, look);
  };
}
