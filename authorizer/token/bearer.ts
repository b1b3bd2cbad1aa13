import { CredentialsError } from '../errors.ts';

/** The scheme's name is case-insensitive (RFC 9110 section 11.1); the token is a JWS in compact form (RFC 7515). */
const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;
const SCHEME_LENGTH = 'Bearer '.length;

/**
 * The token out of the values of the Authorization header: exactly one value, and nothing before, between
 * or after scheme and token but the one space. The length comes first, so that no long text is looked at.
 *
 * @throws CredentialsError
 */
export function readBearer(values: readonly string[], maxBytes: number): string {
  const [value, ...others] = values;
  if (value === undefined || value === '') throw new CredentialsError('credentials_missing');
  if (value.length > SCHEME_LENGTH + maxBytes) throw new CredentialsError('token_too_long');
  if (others.length > 0) throw new CredentialsError('credentials_ambiguous');
  const token = BEARER.exec(value)?.[1];
  if (token === undefined) throw new CredentialsError('credentials_malformed');
  return token;
}
