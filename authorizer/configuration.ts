import * as z from 'zod/mini';
import { DECISION_LOGS, type DecisionLogMode } from '../table/decision-line.ts';
import { type Environment, variablesSetIn } from '../table/environment.ts';
import type { LogLevel } from '../table/log.ts';
import {
  ONE_ISSUER,
  SEVERAL_ISSUERS,
  type TokenConfiguration,
  toTokenConfiguration,
} from './credentials/configuration.ts';
import type { RevocationSource } from './credentials/identity.ts';
import type { BasePaths } from './events/served-path.ts';
import type { ResultCaches } from './routes/cache-key.ts';
import { resultCaches } from './routes/result-cache.ts';
import {
  basePaths,
  type HttpAnswer,
  httpAnswer,
  logLevel,
  type SubjectSource,
  share,
  subjectFrom,
  text,
  url,
  wholeNumber,
  wrongConfiguration,
} from './variables.ts';

export type { HttpAnswer, SubjectSource };

export interface Configuration extends Common {
  readonly token: TokenConfiguration;
  /** The name of the API whose routes apply. */
  readonly api: string;
  readonly httpAnswer: HttpAnswer;
  /** How API Gateway caches answers; an API that is not listed counts as cached by the token. */
  readonly resultCaches: ResultCaches;
  /** What stands before the path at custom domains of HTTP APIs. */
  readonly basePaths: BasePaths;
  /** Whether policies cover the whole API where possible, or the requested route only. */
  readonly policy: {
    readonly covers: 'api' | 'route';
    /** Whether API Gateway itself refuses every path that no rule maps. */
    readonly isClosed: boolean;
    readonly maxBytes: number;
  };
  readonly logging: Logging;
}

const REVOCATION = /^(session|token):([!-~]{1,128})$/;

const revocation = z.pipe(
  text('is neither session:<claim> nor token:<claim>', (value) => REVOCATION.test(value)),
  z.transform((value): RevocationSource => {
    const [, kind, claim = ''] = REVOCATION.exec(value) ?? [];
    return { kind: kind === 'token' ? 'token' : 'session', claim };
  }),
);

/** The variables of everything that verifies callers and decides. */
export const COMMON = {
  TABLE_NAME: text('is not the name of a table', (value) => /^[A-Za-z0-9_.-]{3,255}$/.test(value)),
  DYNAMODB_ENDPOINT: z.optional(url),
  TABLE_REGION: z.optional(
    text('is not a region of AWS', (value) => /^[a-z]{2,4}(?:-[a-z]{1,16}){1,3}-\d{1,2}$/.test(value)),
  ),
  SUBJECT_FROM: z.prefault(subjectFrom, 'claim:sub'),
  REVOCATION: z.optional(revocation),
  CACHE_TTL_SECONDS: wholeNumber(0, 3_600, 60),
  CACHE_OUTAGE_TTL_SECONDS: wholeNumber(0, 86_400, 0),
  METRICS_NAMESPACE: z.optional(
    text('is not a namespace of CloudWatch', (value) => /^(?!AWS\/)[\w./#:-]{1,255}$/.test(value)),
  ),
  CACHE_MAX_BYTES: wholeNumber(1_024, 8 * 1024 ** 3, 32 * 1024 ** 2),
  KEEP_DECISIONS: z.prefault(z.enum(['on', 'off'], { error: 'is neither on nor off' }), 'on'),
};

/** The configuration of everything that verifies callers and decides, beside its tokens. */
export type Common = Readonly<ReturnType<typeof commonIn>>;

export const commonIn = (data: z.output<z.ZodMiniObject<typeof COMMON>>) => ({
  table: data.TABLE_NAME,
  /** A DynamoDB endpoint; that of AWS if undefined. */
  endpoint: data.DYNAMODB_ENDPOINT,
  /** The region of the table; that of the process if undefined. */
  region: data.TABLE_REGION,
  /** The claim by which JWTs can be revoked; undefined if they are valid until they expire. */
  revocation: data.REVOCATION,
  cache: {
    ttlMs: data.CACHE_TTL_SECONDS * 1_000,
    outageTtlMs: data.CACHE_OUTAGE_TTL_SECONDS * 1_000,
    maxBytes: data.CACHE_MAX_BYTES,
    keepDecisions: data.KEEP_DECISIONS === 'on',
  },
  /** The CloudWatch namespace for metrics; undefined: no metrics. */
  metrics: data.METRICS_NAMESPACE === undefined ? undefined : { namespace: data.METRICS_NAMESPACE },
});

/** The variables of what is logged. */
export const LOGGING = {
  LOG_LEVEL: logLevel,
  DECISION_LOG: z.prefault(z.enum(DECISION_LOGS, { error: `is none of ${DECISION_LOGS.join(', ')}` }), 'off'),
  DECISION_LOG_SAMPLE: z.prefault(share, '0.01'),
};

/** What is logged: lines from a level on, and decisions. */
export interface Logging {
  readonly level: LogLevel;
  readonly decisions: { readonly mode: DecisionLogMode; readonly share: number };
}

/** @throws GatehouseError `invalid` if decisions are to be logged, and their level is not */
export function loggingIn({
  LOG_LEVEL: level,
  DECISION_LOG: mode,
  DECISION_LOG_SAMPLE: share,
}: z.output<z.ZodMiniObject<typeof LOGGING>>): Logging {
  if (mode !== 'off' && level !== 'INFO' && level !== 'DEBUG')
    throw wrongConfiguration(
      'DECISION_LOG',
      'DECISION_LOG has lines of level INFO, which LOG_LEVEL leaves out',
    );
  return { level, decisions: { mode, share } };
}

/** The variables of the authorizer, beside those of its tokens. */
export const SHAPE = {
  ...COMMON,
  ...LOGGING,
  API_NAME: z.prefault(
    text('is not a name (letters, digits, dot, dash, underscore)', (value) =>
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(value),
    ),
    'default',
  ),
  HTTP_ANSWER: httpAnswer,
  RESULT_CACHE: z.prefault(resultCaches, '{}'),
  BASE_PATHS: z.prefault(basePaths, '{}'),
  POLICY_COVERS: z.prefault(z.enum(['api', 'route'], { error: 'is neither api nor route' }), 'api'),
  UNMAPPED_PATHS: z.prefault(
    z.enum(['reachable', 'unreachable'], { error: 'is neither reachable nor unreachable' }),
    'reachable',
  ),
  POLICY_MAX_BYTES: wholeNumber(512, 65_536, 6_144),
};

const ONE = z.object({ ...SHAPE, ...ONE_ISSUER });
const SEVERAL = z.object({ ...SHAPE, ...SEVERAL_ISSUERS });

/** A schema of variables. */
interface Variables<T> {
  readonly shape: Readonly<Record<string, unknown>>;
  readonly safeParse: (value: unknown) => z.core.util.SafeParseResult<T>;
}

/**
 * Parses environment variables. An empty variable counts as not set.
 *
 * @throws GatehouseError `invalid`, naming all variables that are missing or invalid, without their values
 */
export function parseVariables<T>(schema: Variables<T>, env: Environment): T {
  const given = variablesSetIn(env, Object.keys(schema.shape));
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw wrongConfiguration(String(error.issues[0]?.path[0]), ...problems);
}

export type { Environment };

/**
 * Reads the configuration from environment variables, once, at cold start.
 *
 * @throws GatehouseError `invalid`, naming all variables that are missing or invalid, without their values
 */
export function parseConfiguration(env: Environment): Configuration {
  const data = env.TOKEN_ISSUERS ? parseVariables(SEVERAL, env) : parseVariables(ONE, env);
  return {
    ...commonIn(data),
    token: toTokenConfiguration(data, data.SUBJECT_FROM),
    api: data.API_NAME,
    httpAnswer: data.HTTP_ANSWER,
    resultCaches: data.RESULT_CACHE,
    basePaths: data.BASE_PATHS,
    policy: {
      covers: data.POLICY_COVERS,
      isClosed: data.UNMAPPED_PATHS === 'unreachable',
      maxBytes: data.POLICY_MAX_BYTES,
    },
    logging: loggingIn(data),
  };
}
