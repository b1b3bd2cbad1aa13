import * as z from 'zod/mini';
import { createCallerVerification } from '../authorizer/caller-verification.ts';
import { parseVariables } from '../authorizer/configuration.ts';
import {
  SEVERAL_ISSUERS,
  type TokenConfiguration,
  toTokenConfiguration,
} from '../authorizer/credentials/configuration.ts';
import type { Fetch } from '../authorizer/credentials/fetch.ts';
import type { RevocationSource } from '../authorizer/credentials/identity.ts';
import { createGroupsOfIssuers } from '../authorizer/credentials/token-groups.ts';
import { type Clock, systemClock } from '../engine/index.ts';
import { defined } from '../table/defined.ts';
import type { Caller } from './caller.ts';
import type { HttpRequest } from './http.ts';
import { log } from './log.ts';

/** Bytes of cached verified tokens, and of issuers' keys. */
const CACHE_BYTES = { tokens: 4 * 1024 ** 2, keys: 1024 ** 2 } as const;

/** An issuer of JWTs, with the fields of an entry of TOKEN_ISSUERS. Either `audience` or `clientIds` is needed. */
export interface TokenIssuer {
  /** Compared with `iss` exactly: an https URL (http for this machine only). */
  readonly issuer: string;
  readonly audience?: string | readonly string[];
  /** Accepted values of the claim `client_id`. */
  readonly clientIds?: readonly string[];
  /** Cognito's claim `token_use`. */
  readonly tokenUse?: 'access' | 'id';
  /** The header's `typ`, such as `at+jwt`. */
  readonly typ?: string;
  /** Default: `/.well-known/jwks.json` under the issuer. */
  readonly jwksUrl?: string;
  /** Default: RS256. */
  readonly algorithms?: readonly string[];
  /** Where the subject comes from: `claim:<name>`, `email`, `identity` or `identity:<name>`. Default: `claim:sub`. */
  readonly subjectFrom?: string;
  /** In which form `email_verified` counts: `text` lets the text "true" count, too. Default: `boolean`. */
  readonly emailVerified?: 'boolean' | 'text';
  /** The claim that lists the subject's groups at the issuer. */
  readonly groupsFrom?: string;
  /** Which claim says that somebody acts for the subject; a token with `act` is refused without it. */
  readonly actorFrom?: {
    readonly claim: 'act' | 'azp' | 'client_id';
    /** The type of these actors, as `agent`. */
    readonly type: string;
    /** The only values that count. */
    readonly clients?: readonly string[];
  };
  /** The claim with the id of the mandate by which the actor acts. */
  readonly mandateFrom?: string;
}

export interface TokenCallerOptions {
  readonly clock?: Clock | undefined;
  /** Fetches the issuers' keys. */
  readonly fetch?: Fetch | undefined;
  /** Called when keys cannot be refreshed. Default: writes one line of JSON to standard error. */
  readonly onRefreshFailed?: ((error: unknown) => void) | undefined;
}

/**
 * Finds the caller by the `Authorization` header: a JWT, an API token of the table or the token of a mandate.
 *
 * @throws CredentialsError if there is no valid credential; Fault if it cannot be verified
 */
export type TokenCaller = (request: unknown, http: HttpRequest) => Promise<Caller>;

const VARIABLES = z.object(SEVERAL_ISSUERS);

/**
 * A `who` for guards that verifies callers as the authorizer does (docs/routes.md).
 *
 * @param issuers whose JWTs are accepted
 * @throws Error naming the field of an issuer that is missing or invalid
 */
export function bearer(
  issuers: TokenIssuer | readonly TokenIssuer[],
  options: TokenCallerOptions = {},
): TokenCaller {
  const TOKEN_ISSUERS = JSON.stringify(Array.isArray(issuers) ? issuers : [issuers]);
  const data = parseVariables(VARIABLES, { TOKEN_ISSUERS });
  return createTokenCaller(toTokenConfiguration(data, { kind: 'claim', name: 'sub' }), undefined, options);
}

/** @param token undefined: API tokens are the only credentials */
export function createTokenCaller(
  token: TokenConfiguration | undefined,
  revocation: RevocationSource | undefined,
  { clock = systemClock, fetch, onRefreshFailed }: TokenCallerOptions,
): TokenCaller {
  const { identify, subjectOf } = createCallerVerification(token, {
    ...defined({ fetch, onRefreshFailed }),
    revocation,
    groupsOf: createGroupsOfIssuers(token?.issuers ?? [], log()),
    cacheBytes: CACHE_BYTES,
    clock,
    log: log(),
  });
  return async (_, http) => {
    const sources = { kind: 'http', authorization: http.header('authorization') };
    const { subject, credential, claims, groups, actor } = await identify(sources);
    if (subject !== undefined) return { subject, credential, actor };
    return { subject: (look) => subjectOf(claims, look), credential, claims, groups, actor };
  };
}
