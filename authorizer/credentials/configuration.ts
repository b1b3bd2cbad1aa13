import * as z from 'zod/mini';
import { parseJson } from '../../table/json.ts';
import {
  list,
  objectError,
  type SubjectSource,
  subjectFrom,
  subjectType,
  text,
  url,
  wholeNumber,
  wrongConfiguration,
} from '../variables.ts';
import {
  APIS,
  type ApiKind,
  type CredentialPlace,
  FROM_HEADER,
  MAX_CREDENTIALS_LENGTH,
} from './credentials.ts';
import type { TrustedIssuer } from './verify.ts';

/** A trusted issuer before its keys are known. */
export interface IssuerConfiguration extends Omit<TrustedIssuer, 'keys'> {
  readonly jwksUrl: URL;
  readonly subjectFrom: SubjectSource;
  /** In which form `email_verified` counts. OpenID Connect defines a boolean; some issuers send a text. */
  readonly emailVerified?: 'boolean' | 'text' | undefined;
  /** The claim that lists the subject's groups at the issuer; none count without it. */
  readonly groupsFrom?: string | undefined;
  /** Which claim says that somebody acts for the subject; a token with `act` is refused without it. */
  readonly actorFrom?: ActorSource | undefined;
  /** The claim with the id of the mandate by which the actor acts. */
  readonly mandateFrom?: string | undefined;
}

export interface TokenConfiguration {
  readonly issuers: readonly IssuerConfiguration[];
  readonly maxBytes: number;
  /** Milliseconds for which a verified token is not verified again. */
  readonly ttlMs: number;
  /** Milliseconds for which an issuer's keys may be used beyond their freshness while it is down. */
  readonly staleMs: number;
  readonly credentialsFrom: readonly CredentialPlace[];
}

/**
 * Only asymmetric algorithms: with a shared secret, everyone who can verify tokens can create them, and a
 * public key used as a secret is a well-known attack on JWT (RFC 8725 section 2.1).
 */
const ALGORITHMS: ReadonlySet<string> = new Set([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);
const isAlgorithm = (value: string): boolean => ALGORITHMS.has(value);
const NO_ALGORITHM = `holds something that is none of ${[...ALGORITHMS].join(', ')}`;
const DEFAULT_ALGORITHM = 'RS256';

const texts = (problem: string, isMember: (value: string) => boolean) =>
  z
    .array(z.string({ error: problem }).check(z.refine(isMember, { error: problem })), {
      error: 'is not a list',
    })
    .check(z.refine((members) => members.length > 0, { error: 'is empty' }));

const isName = (value: string): boolean => value !== '';
const NAMES = texts('is not a text, or an empty one', isName);

const claimName = text('is not the name of a claim', (value) => /^[!-~]{1,128}$/.test(value));

const actorFrom = z.strictObject(
  {
    /** `act` (RFC 8693 section 4.1), or the client that the token was issued to. */
    claim: z.enum(['act', 'azp', 'client_id'], { error: 'is none of act, azp, client_id' }),
    /** The type of these actors, as `agent`. */
    type: subjectType,
    /** The only values that count: other clients are no actors, and an `act` that names another one is refused. */
    clients: z.optional(NAMES),
  },
  { error: objectError },
);

/** Where an issuer's tokens name who acts for their subject. */
export type ActorSource = Readonly<z.output<typeof actorFrom>>;

const ISSUER = z
  .strictObject(
    {
      issuer: url,
      audience: z.optional(
        z.union(
          [
            NAMES,
            z.pipe(
              z.string().check(z.refine(isName)),
              z.transform((one) => [one]),
            ),
          ],
          {
            error: 'is neither a text nor a list of texts',
          },
        ),
      ),
      clientIds: z.optional(NAMES),
      tokenUse: z.optional(z.enum(['access', 'id'], { error: 'is neither access nor id' })),
      typ: z.optional(text('is not a media type', (value) => /^[!-~]{1,128}$/.test(value))),
      jwksUrl: z.optional(url),
      algorithms: z.prefault(texts(NO_ALGORITHM, isAlgorithm), [DEFAULT_ALGORITHM]),
      subjectFrom: z.optional(subjectFrom),
      groupsFrom: z.optional(claimName),
      actorFrom: z.optional(actorFrom),
      mandateFrom: z.optional(claimName),
      emailVerified: z.optional(z.enum(['boolean', 'text'], { error: 'is neither boolean nor text' })),
    },
    { error: objectError },
  )
  .check(
    z.refine(({ audience, clientIds }) => audience !== undefined || clientIds !== undefined, {
      error: 'names neither audience nor clientIds',
    }),
    z.refine(({ actorFrom, mandateFrom }) => mandateFrom === undefined || actorFrom !== undefined, {
      error: 'names mandateFrom without actorFrom',
    }),
  );

/** `iss` and `token_use` must determine the entry for a token. */
function areDistinct(
  issuers: readonly { readonly issuer: string; readonly tokenUse?: string | undefined }[],
) {
  return issuers.every(({ issuer, tokenUse }, at) =>
    issuers.every(
      (other, otherAt) =>
        at === otherAt ||
        other.issuer !== issuer ||
        (tokenUse !== undefined && other.tokenUse !== undefined && other.tokenUse !== tokenUse),
    ),
  );
}

const ISSUERS = z.pipe(
  z.pipe(z.string(), z.transform(parseJson)),
  z
    .array(ISSUER, { error: 'is not a list in JSON' })
    .check(z.refine((issuers) => issuers.length > 0, { error: 'is empty' }))
    .check(z.refine(areDistinct, { error: 'names an issuer twice and not once for each tokenUse' })),
);

/** Names consist of characters that are literal both in cookie names (RFC 6265) and in queries (RFC 3986). */
const PLACE = new RegExp(`^(?:(${APIS.join('|')}):)?(?:(header)|(cookie|query):([A-Za-z0-9._~-]{1,128}))$`);

function placeOf(value: string): CredentialPlace {
  const [, api, header, place, name = ''] = PLACE.exec(value) ?? [];
  const kind = api as ApiKind | undefined;
  return header === undefined
    ? { api: kind, place: place === 'cookie' ? 'cookie' : 'query', name }
    : { ...FROM_HEADER, api: kind };
}

/** A place that is listed twice would count as two credentials. */
const isNamedOnce = (places: readonly CredentialPlace[]): boolean =>
  APIS.every((api) => {
    const names = places
      .filter((place) => place.api === undefined || place.api === api)
      .map(({ place, name }) => `${place} ${name}`);
    return new Set(names).size === names.length;
  });

/** The variable CREDENTIALS_FROM. */
export const credentialsFrom = z.prefault(
  z.pipe(
    list('holds something that is none of header, cookie:<name> and query:<name>', (value) =>
      PLACE.test(value),
    ).check(
      z.refine((values) => isNamedOnce(values.map(placeOf)), {
        error: 'names a place twice for one kind of API',
      }),
    ),
    z.transform((values: string[]): readonly CredentialPlace[] => values.map(placeOf)),
  ),
  'header',
);

/** The variables about tokens, for one or several issuers. */
const COMMON = {
  TOKEN_MAX_BYTES: wholeNumber(256, MAX_CREDENTIALS_LENGTH, 8_192),
  TOKEN_CACHE_SECONDS: wholeNumber(0, 3_600, 300),
  JWKS_STALE_SECONDS: wholeNumber(0, 86_400, 3_600),
  CREDENTIALS_FROM: credentialsFrom,
};

export const ONE_ISSUER = {
  ...COMMON,
  TOKEN_ISSUER: url,
  TOKEN_AUDIENCE: list('holds an empty audience', (value) => value !== ''),
  TOKEN_JWKS_URL: z.optional(url),
  TOKEN_ALGORITHMS: z.prefault(list(NO_ALGORITHM, isAlgorithm), DEFAULT_ALGORITHM),
};

const besides = z.optional(z.never({ error: 'stands beside TOKEN_ISSUERS, which says it all' }));

export const SEVERAL_ISSUERS = {
  ...COMMON,
  TOKEN_ISSUERS: ISSUERS,
  TOKEN_ISSUER: besides,
  TOKEN_AUDIENCE: besides,
  TOKEN_JWKS_URL: besides,
  TOKEN_ALGORITHMS: besides,
};

const ONE = z.object(ONE_ISSUER);
const SEVERAL = z.object(SEVERAL_ISSUERS);

/** The parsed variables. */
export type TokenVariables = z.infer<typeof ONE> | z.infer<typeof SEVERAL>;

const keysOf = (issuer: string, jwksUrl: string | undefined): URL =>
  new URL(jwksUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`);

function issuersIn(data: TokenVariables, fallback: SubjectSource): readonly IssuerConfiguration[] {
  const entries: readonly z.infer<typeof ISSUER>[] =
    'TOKEN_ISSUERS' in data
      ? data.TOKEN_ISSUERS
      : [
          {
            issuer: data.TOKEN_ISSUER,
            audience: data.TOKEN_AUDIENCE,
            jwksUrl: data.TOKEN_JWKS_URL,
            algorithms: data.TOKEN_ALGORITHMS,
          },
        ];
  return entries.map(({ audience = [], jwksUrl, subjectFrom: source = fallback, ...issuer }) => ({
    ...issuer,
    audience,
    jwksUrl: keysOf(issuer.issuer, jwksUrl),
    subjectFrom: source,
  }));
}

/**
 * A conflict between issuers, as the end of an error message. `sub` is unique within its issuer only (OpenID
 * Connect Core section 5.7): with two issuers, a user of one could be taken for the user of the other with
 * the same `sub`. For any other claim and for a verified email, the operator trusts each issuer not to assert
 * them for users of another.
 */
function problemWith(issuers: readonly IssuerConfiguration[]): string | undefined {
  const bySub = issuers.filter(({ subjectFrom: from }) => from.kind === 'claim' && from.name === 'sub');
  if (new Set(bySub.map(({ issuer }) => issuer)).size > 1) {
    return 'takes the subject from the sub of more than one issuer: give all but one another subjectFrom';
  }
  const sources = new Map(issuers.map((one) => [one.issuer, JSON.stringify(one.subjectFrom)]));
  const differs = issuers.some((one) => sources.get(one.issuer) !== JSON.stringify(one.subjectFrom));
  return differs ? 'takes the subject of one issuer from two places' : undefined;
}

/** @throws GatehouseError `invalid` if the issuers are in conflict */
export function toTokenConfiguration(data: TokenVariables, fallback: SubjectSource): TokenConfiguration {
  const issuers = issuersIn(data, fallback);
  const problem = problemWith(issuers);
  if (problem !== undefined) throw wrongConfiguration('TOKEN_ISSUERS', `TOKEN_ISSUERS ${problem}`);
  return {
    issuers,
    maxBytes: data.TOKEN_MAX_BYTES,
    ttlMs: data.TOKEN_CACHE_SECONDS * 1_000,
    staleMs: data.JWKS_STALE_SECONDS * 1_000,
    credentialsFrom: data.CREDENTIALS_FROM,
  };
}
