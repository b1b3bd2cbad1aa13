import { CredentialsError } from '../errors.ts';

/**
 * The parts of a request that may contain credentials. Kinds of API without cookies or query leave them out.
 */
export interface CredentialSources {
  /** `http`, `rest-request`, …: the part before the first dash is the kind of API. */
  readonly kind: string;
  /** The values of the Authorization header; for a REST TOKEN authorizer its token. */
  readonly authorization: readonly string[];
  /** All values of a query parameter, decoded. */
  readonly query?: (name: string) => readonly string[];
  /** All values of a cookie. */
  readonly cookies?: (name: string) => readonly string[];
}

/**
 * Kinds of APIs. They may use different places: a browser, for example, cannot set headers for a WebSocket.
 */
export const APIS = ['http', 'rest', 'websocket', 'appsync'] as const;
export type ApiKind = (typeof APIS)[number];

/** A place for credentials, in one kind of API or in all. */
export interface CredentialPlace {
  readonly api: ApiKind | undefined;
  readonly place: 'header' | 'cookie' | 'query';
  /** The name of the cookie or query parameter; empty for the header, which is always Authorization. */
  readonly name: string;
}

/** Extracts the token of a request: a JWT or an API token. */
export type ReadCredentials = (request: CredentialSources) => string;

export const FROM_HEADER: CredentialPlace = { api: undefined, place: 'header', name: '' };

/** "All headers together 10,240 bytes" (API Gateway quotas): a token cannot be longer. */
export const MAX_CREDENTIALS_LENGTH = 10_240;

/** The scheme (RFC 6750 section 2.1) with one space. It is case-insensitive (RFC 9110 section 11.1). */
const SCHEME = 'bearer ';

/** The token after the scheme; no other text is accepted. */
function tokenIn(authorization: string): string {
  const token = authorization.slice(SCHEME.length);
  if (token === '' || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) {
    throw new CredentialsError('credentials_malformed');
  }
  return token;
}

function valuesAt({ place, name }: CredentialPlace, request: CredentialSources): readonly string[] {
  if (place === 'header') return request.authorization;
  return (place === 'cookie' ? request.cookies?.(name) : request.query?.(name)) ?? [];
}

/**
 * Reads credentials from the places that are configured for the kind of API. There must be exactly one value:
 * with two, the authorizer and the backend might each use a different one.
 *
 * The returned function throws CredentialsError `credentials_missing`, `credentials_ambiguous`,
 * `credentials_malformed` or `token_too_long`.
 */
export function createReadCredentials(from: readonly CredentialPlace[] = [FROM_HEADER]): ReadCredentials {
  const placesOf = (api: ApiKind | undefined): readonly CredentialPlace[] =>
    from.filter((place) => place.api === undefined || place.api === api);
  const places = new Map<string, readonly CredentialPlace[]>(APIS.map((api) => [api, placesOf(api)]));
  const everywhere = placesOf(undefined);
  return (request) => {
    const dash = request.kind.indexOf('-');
    const found: string[] = [];
    let first: CredentialPlace | undefined;
    for (const place of places.get(dash < 0 ? request.kind : request.kind.slice(0, dash)) ?? everywhere)
      for (const value of valuesAt(place, request)) {
        first ??= place;
        found.push(value);
      }
    const [one] = found;
    if (one === undefined || first === undefined || (one === '' && found.length === 1)) {
      throw new CredentialsError('credentials_missing');
    }
    if (found.some((value) => value.length > MAX_CREDENTIALS_LENGTH)) {
      throw new CredentialsError('token_too_long');
    }
    if (found.length > 1) throw new CredentialsError('credentials_ambiguous');
    return first.place === 'header' ? tokenIn(one) : one;
  };
}
