import * as z from 'zod/mini';
import type { RevocationSource } from './token/revocation.ts';

/** Where the subject comes from: a claim that holds its id, or a verified email that is looked up. */
export type SubjectSource = { readonly kind: 'claim'; readonly name: string } | { readonly kind: 'email' };

/** Form of the answer to HTTP API 2.0; REST takes policies only. Must match the API's `EnableSimpleResponses`. */
export type HttpAnswer = 'simple' | 'policy';

export interface Configuration {
  readonly table: string;
  /** Any DynamoDB endpoint; AWS's own when undefined. */
  readonly endpoint: string | undefined;
  readonly token: {
    /** Compared with `iss` as it stands, trailing slash included. */
    readonly issuer: string;
    /** A token for any one of these is accepted. */
    readonly audience: readonly string[];
    readonly jwksUrl: URL;
    readonly algorithms: readonly string[];
    readonly maxBytes: number;
  };
  readonly subjectFrom: SubjectSource;
  /** The claim by which a JWT can be revoked; undefined where it lives until it ends. */
  readonly revocation: RevocationSource | undefined;
  /** Which set of routes this authorizer stands before. */
  readonly api: string;
  readonly httpAnswer: HttpAnswer;
  /** For what a policy holds: the whole API, where there can be such a one, or the route that was asked for. */
  readonly policy: {
    readonly covers: 'api' | 'route';
    /** Whether API Gateway itself refuses every path that no rule maps. */
    readonly isClosed: boolean;
    readonly maxBytes: number;
  };
  readonly cache: { readonly ttlMs: number; readonly outageTtlMs: number; readonly maxBytes: number };
  /** Where CloudWatch shows a metric of each decision; undefined: nowhere. */
  readonly metrics: { readonly namespace: string } | undefined;
  /** Share of all reads that may be asked twice, 0 to 1; 0 is off. */
  readonly hedging: { readonly maxShare: number };
}

/**
 * Asymmetric ones only: with a shared secret, whoever can verify a token can make one, and a public key
 * taken for a secret is the oldest attack on JWT (RFC 8725 section 2.1).
 */
const ALGORITHMS: ReadonlySet<string> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]);

/** "All headers together 10,240 bytes" (API Gateway's limits): no longer token can arrive. */
const MAX_HEADER_BYTES = 10_240;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

const text = (problem: string, isRight: (value: string) => boolean) =>
  z.string({ error: 'is missing' }).check(z.refine(isRight, { error: problem }));

const listOf = (value: string): string[] => value.split(',').map((member) => member.trim());

const list = (problem: string, isMember: (value: string) => boolean) =>
  z.pipe(
    text(problem, (value) => listOf(value).every(isMember)),
    z.transform(listOf),
  );

const wholeNumber = (min: number, max: number, fallback: number) =>
  z._default(
    z.pipe(
      text(
        `is not a whole number from ${min} to ${max}`,
        (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
      ),
      z.transform(Number),
    ),
    fallback,
  );

const url = text(
  'is not an https URL without credentials, query and fragment (http only for this machine)',
  isTrustedUrl,
);

const SUBJECT_FROM = /^(?:email|claim:([!-~]{1,128}))$/;

const subjectFrom = z.pipe(
  text('is neither email nor claim:<name>', (value) => SUBJECT_FROM.test(value)),
  z.transform((value): SubjectSource => {
    const name = SUBJECT_FROM.exec(value)?.[1];
    return name === undefined ? { kind: 'email' } : { kind: 'claim', name };
  }),
);

const REVOCATION = /^(session|token):([!-~]{1,128})$/;

const revocation = z.pipe(
  text('is neither session:<claim> nor token:<claim>', (value) => REVOCATION.test(value)),
  z.transform((value): RevocationSource => {
    const [, kind, claim = ''] = REVOCATION.exec(value) ?? [];
    return { kind: kind === 'token' ? 'token' : 'session', claim };
  }),
);

const SCHEMA = z.object({
  TABLE_NAME: text('is not the name of a table', (value) => /^[A-Za-z0-9_.-]{3,255}$/.test(value)),
  DYNAMODB_ENDPOINT: z.optional(url),
  TOKEN_ISSUER: url,
  TOKEN_AUDIENCE: list('holds an empty audience', (value) => value !== ''),
  TOKEN_JWKS_URL: z.optional(url),
  TOKEN_ALGORITHMS: z._default(
    list(`holds something that is none of ${[...ALGORITHMS].join(', ')}`, (value) => ALGORITHMS.has(value)),
    ['RS256'],
  ),
  TOKEN_MAX_BYTES: wholeNumber(256, MAX_HEADER_BYTES, 8_192),
  SUBJECT_FROM: z._default(subjectFrom, { kind: 'claim', name: 'sub' }),
  REVOCATION: z.optional(revocation),
  API_NAME: z._default(
    text('is not a name (letters, digits, dot, dash, underscore)', (value) =>
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(value),
    ),
    'default',
  ),
  HTTP_ANSWER: z._default(z.enum(['simple', 'policy'], { error: 'is neither simple nor policy' }), 'simple'),
  POLICY_COVERS: z._default(z.enum(['api', 'route'], { error: 'is neither api nor route' }), 'api'),
  UNMAPPED_PATHS: z._default(
    z.enum(['reachable', 'unreachable'], { error: 'is neither reachable nor unreachable' }),
    'reachable',
  ),
  POLICY_MAX_BYTES: wholeNumber(512, 65_536, 6_144),
  CACHE_TTL_SECONDS: wholeNumber(0, 3_600, 60),
  CACHE_OUTAGE_TTL_SECONDS: wholeNumber(0, 86_400, 0),
  HEDGED_READS_PERCENT: wholeNumber(0, 50, 0),
  METRICS_NAMESPACE: z.optional(
    text('is not a namespace of CloudWatch', (value) => /^(?!AWS\/)[\w./#:-]{1,255}$/.test(value)),
  ),
  CACHE_MAX_BYTES: wholeNumber(1_024, 8 * 1024 ** 3, 32 * 1024 ** 2),
});

/**
 * Reads the environment, once, at cold start. A variable that is set to nothing counts as not set.
 *
 * @throws Error naming every variable that is missing or wrong, and none of their values
 */
export function parseConfiguration(env: Readonly<Record<string, string | undefined>>): Configuration {
  const given = Object.fromEntries(
    Object.keys(SCHEMA.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const { success, data, error } = SCHEMA.safeParse(given);
  if (!success) {
    const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new Error(`configuration: ${problems.join('; ')}`);
  }
  const issuer = data.TOKEN_ISSUER;
  return {
    table: data.TABLE_NAME,
    endpoint: data.DYNAMODB_ENDPOINT,
    token: {
      issuer,
      audience: data.TOKEN_AUDIENCE,
      jwksUrl: new URL(data.TOKEN_JWKS_URL ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`),
      algorithms: data.TOKEN_ALGORITHMS,
      maxBytes: data.TOKEN_MAX_BYTES,
    },
    subjectFrom: data.SUBJECT_FROM,
    revocation: data.REVOCATION,
    api: data.API_NAME,
    httpAnswer: data.HTTP_ANSWER,
    policy: {
      covers: data.POLICY_COVERS,
      isClosed: data.UNMAPPED_PATHS === 'unreachable',
      maxBytes: data.POLICY_MAX_BYTES,
    },
    hedging: { maxShare: data.HEDGED_READS_PERCENT / 100 },
    metrics: data.METRICS_NAMESPACE === undefined ? undefined : { namespace: data.METRICS_NAMESPACE },
    cache: {
      ttlMs: data.CACHE_TTL_SECONDS * 1_000,
      outageTtlMs: data.CACHE_OUTAGE_TTL_SECONDS * 1_000,
      maxBytes: data.CACHE_MAX_BYTES,
    },
  };
}
