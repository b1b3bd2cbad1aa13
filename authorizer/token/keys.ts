import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from 'jose';

/** Finds the public key for a token's header. What it throws decides who is at fault (authentication.ts). */
export type KeySource = JWTVerifyGetKey;

/** jose waits 5 s by default; API Gateway waits 10 s for the whole authorizer. */
const TIMEOUT_MS = 1_000;

/** The issuer's JWKS over HTTP: one fetch in flight, kept for ten minutes, redirects refused (jose). */
export const createRemoteKeys = (url: URL, fetch?: FetchImplementation): KeySource =>
  createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT_MS,
    ...(fetch === undefined ? {} : { [customFetch]: fetch }),
  });
