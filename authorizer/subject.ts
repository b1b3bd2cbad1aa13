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
 * The subject (`user:01J…`) of verified claims; null if they name none; undefined while a required look-up is
 * not loaded.
 */
export type SubjectOf = (claims: VerifiedClaims, look: Look) => string | null | undefined;

/** Local part, `@` and domain at their longest (RFC 5321 section 4.5.3.1). */
const MAX_EMAIL_LENGTH = 320;

/** The owner of an email, from the guard item that also makes the email unique (seed 003). */
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

/** Undefined for a text that is not a valid email: such a claim names nobody and is not a fault. */
function emailKey(email: string): Key | undefined {
  try {
    return guardKey('EMAIL', normaliseEmail(email, 'email'));
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'invalid') return undefined;
    throw error;
  }
}

/** Finds the subject by a claim that contains its id, or by looking up a verified email. */
export function createSubjectOf(from: SubjectSource): SubjectOf {
  if (from.kind === 'email') {
    return ({ email, email_verified }, look) => {
      // Only the boolean counts: the text "true" is not what OpenID Connect defines.
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
 * Finds the subject by the source that is configured for the issuer of the claims. The same `sub` from two
 * issuers means two persons (OpenID Connect Core section 5.7; see credentials/configuration.ts).
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
