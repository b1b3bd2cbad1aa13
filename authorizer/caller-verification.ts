import type { Log } from '../table/log.ts';
import { createAuthentication } from './credentials/authentication.ts';
import type { TokenConfiguration } from './credentials/configuration.ts';
import { type CredentialPlace, createReadCredentials } from './credentials/credentials.ts';
import { createIdentify, type IdentityOptions } from './credentials/identity.ts';
import { createIssuers } from './credentials/issuers.ts';
import type { RemoteKeysOptions } from './credentials/keys.ts';
import { createActorOfIssuers } from './credentials/token-actor.ts';
import { CredentialsError, fieldsOfFault } from './errors.ts';
import { createSubjectOfIssuers } from './subject.ts';

export interface CallerVerificationOptions
  extends Pick<IdentityOptions, 'revocation' | 'groupsOf'>,
    Pick<RemoteKeysOptions, 'clock' | 'random' | 'fetch' | 'onRefreshFailed'> {
  /** Default: the Authorization header. */
  readonly credentialsFrom?: readonly CredentialPlace[];
  /** Bounds on cached keys and on cached verified tokens, in estimated bytes. */
  readonly cacheBytes: { readonly keys: number; readonly tokens: number };
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Finds callers by their credentials: the issuers with their keys, who is in a request's credentials, and the
 * subject of verified claims.
 *
 * @param token undefined: every JWT is refused, API tokens and those of mandates are the only credentials
 */
export function createCallerVerification(
  token: TokenConfiguration | undefined,
  { revocation, groupsOf, credentialsFrom, cacheBytes, log, ...options }: CallerVerificationOptions,
) {
  const configured = token?.issuers ?? [];
  const issuers = createIssuers(configured, {
    onRefreshFailed: (fault) => log.warn('keys not refreshed', fieldsOfFault(fault)),
    ...options,
    staleMs: token?.staleMs ?? 0,
    cacheBytes: cacheBytes.keys,
  });
  const identify = createIdentify({
    readCredentials: createReadCredentials(credentialsFrom),
    authenticate: token
      ? createAuthentication({ ...token, issuers, clock: options.clock, cacheBytes: cacheBytes.tokens })
      : () => Promise.reject(new CredentialsError('issuer_refused')),
    revocation,
    groupsOf,
    actorOf: createActorOfIssuers(configured),
  });
  return { issuers, identify, subjectOf: createSubjectOfIssuers(configured, log) };
}
