import type { Bearer } from '../../engine/index.ts';
import { CredentialsError } from '../errors.ts';
import type { VerifiedClaims } from './authentication.ts';

/** The claim by which a JWT can be revoked, and of what it holds the id: of a login session or of a token. */
export interface RevocationSource {
  readonly kind: 'session' | 'token';
  readonly claim: string;
}

/** What a verified JWT comes with, for the engine to look at; undefined where JWTs cannot be revoked. */
export type BearerOf = (claims: VerifiedClaims) => Bearer | undefined;

/**
 * Where JWTs can be revoked, one that does not say which it is cannot be looked up, and is refused.
 *
 * The function throws CredentialsError then.
 */
export function createBearerOf(
  source: RevocationSource | undefined,
  isId: (text: string) => boolean,
): BearerOf {
  if (source === undefined) return () => undefined;
  const { kind, claim } = source;
  return (claims) => {
    const id = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (typeof id !== 'string' || !isId(id)) throw new CredentialsError('claim_refused');
    return { ref: `${kind}:${id}` };
  };
}
