import { CredentialsError } from '../errors.ts';

/** Of a request, where credentials may stand. A kind of API that has no cookies or no query leaves them out. */
export interface CredentialSources {
  /** `http`, `rest-request`, …: what stands before the first dash is the API's. */
  readonly kind: string;
  /** The values of the Authorization header; of a REST TOKEN authorizer, its one token. */
  readonly authorization: readonly string[];
  /** All values of a query parameter, decoded. */
  readonly query?: (name: string) => readonly string[];
  /** All values of a cookie. */
  readonly cookies?: (name: string) => readonly string[];
}

/** Kinds of APIs. A browser cannot set headers for a WebSocket, so what holds for one need not for another. */
export const APIS = ['http', 'rest', 'websocket', 'appsync'] as const;
export type ApiKind = (typeof APIS)[number];

/** One place in which credentials may stand, in APIs of one kind or of all. */
export interface CredentialPlace {
  readonly api: ApiKind | undefined;
  readonly place: 'header' | 'cookie' | 'query';
  /** Of the cookie or the parameter; the header is always Authorization. */
  readonly name: string;
}

/** From a request to the text of the one token that it brings: a JWT or an API token. */
export type ReadCredentials = (request: CredentialSources) => string;

export const FROM_HEADER: CredentialPlace = { api: undefined, place: 'header', name: '' };

/** "All headers together 10,240 bytes" (API Gateway's limits): no longer token can arrive. */
export const MAX_CREDENTIALS_LENGTH = 10_240;

/** The scheme's name is case-insensitive (RFC 9110 section 11.1), and one space follows. */
const BEARER = 'bearer ';

/** Nothing stands before, between or after scheme and token but the one space. */
function tokenIn(authorization: string): string {
  const token = authorization.slice(BEARER.length);
  if (token === '' || authorization.slice(0, BEARER.length).toLowerCase() !== BEARER) {
    throw new CredentialsError('credentials_malformed');
  }
  return token;
}

function valuesAt({ place, name }: CredentialPlace, request: CredentialSources): readonly string[] {
  if (place === 'header') return request.authorization;
  return (place === 'cookie' ? request.cookies?.(name) : request.query?.(name)) ?? [];
}

/**
 * Reads credentials out of the places that are configured for the kind of the API, and out of no other. There must
 * be one value in one place: of two, this authorizer and the backend might each believe another.
 *
 * The function throws CredentialsError.
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
