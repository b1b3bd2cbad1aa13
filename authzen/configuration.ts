import * as z from 'zod/mini';
import { COMMON, type Environment, parseVariables } from '../authorizer/configuration.ts';
import {
  ONE_ISSUER,
  SEVERAL_ISSUERS,
  type TokenConfiguration,
  toTokenConfiguration,
} from '../authorizer/credentials/configuration.ts';
import { url } from '../authorizer/variables.ts';

const SHAPE = { ...COMMON, PUBLIC_URL: z.optional(url) };
const API_TOKENS_ONLY = z.object(SHAPE);
const ONE = z.object({ ...SHAPE, ...ONE_ISSUER });
const SEVERAL = z.object({ ...SHAPE, ...SEVERAL_ISSUERS });

export type AuthzenConfiguration = ReturnType<typeof parseAuthzenConfiguration>;

/**
 * Reads the configuration from environment variables: those of the authorizer for table, cache and callers,
 * and `PUBLIC_URL`, the base URL as enforcement points know it. Without an issuer, API tokens are the only
 * credentials.
 *
 * @throws Error naming all variables that are missing or invalid, without their values
 */
export function parseAuthzenConfiguration(env: Environment) {
  const { data, token } = withTokens(env);
  return {
    table: data.TABLE_NAME,
    endpoint: data.DYNAMODB_ENDPOINT,
    publicUrl: data.PUBLIC_URL,
    token,
    revocation: data.REVOCATION,
    metrics: data.METRICS_NAMESPACE === undefined ? undefined : { namespace: data.METRICS_NAMESPACE },
    cache: {
      ttlMs: data.CACHE_TTL_SECONDS * 1_000,
      outageTtlMs: data.CACHE_OUTAGE_TTL_SECONDS * 1_000,
      maxBytes: data.CACHE_MAX_BYTES,
    },
  };
}

/** The variables, and those of the issuers if there are any. */
function withTokens(env: Environment): {
  data: z.output<typeof API_TOKENS_ONLY>;
  token?: TokenConfiguration;
} {
  if (!env.TOKEN_ISSUERS && !env.TOKEN_ISSUER) return { data: parseVariables(API_TOKENS_ONLY, env) };
  const data = env.TOKEN_ISSUERS ? parseVariables(SEVERAL, env) : parseVariables(ONE, env);
  return { data, token: toTokenConfiguration(data, data.SUBJECT_FROM) };
}
