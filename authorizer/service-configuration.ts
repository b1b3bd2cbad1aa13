import * as z from 'zod/mini';
import { COMMON, commonIn, type Environment, parseVariables } from './configuration.ts';
import {
  ONE_ISSUER,
  SEVERAL_ISSUERS,
  type TokenConfiguration,
  toTokenConfiguration,
} from './credentials/configuration.ts';

const SERVICE = z.object(COMMON);
const ONE = z.object({ ...COMMON, ...ONE_ISSUER });
const SEVERAL = z.object({ ...COMMON, ...SEVERAL_ISSUERS });

/**
 * The configuration of a service that verifies callers and decides, as the authorizer does: from the authorizer's
 * variables for table, cache and callers. Without an issuer, API tokens are the only credentials.
 *
 * @throws GatehouseError `invalid`, naming all variables that are missing or invalid, without their values
 */
export function parseServiceConfiguration(env: Environment) {
  const { data, token } = withTokens(env);
  return { ...commonIn(data), token };
}

/** The variables, and those of the issuers if there are any. */
function withTokens(env: Environment): { data: z.output<typeof SERVICE>; token?: TokenConfiguration } {
  if (!env.TOKEN_ISSUERS && !env.TOKEN_ISSUER) return { data: parseVariables(SERVICE, env) };
  const data = env.TOKEN_ISSUERS ? parseVariables(SEVERAL, env) : parseVariables(ONE, env);
  return { data, token: toTokenConfiguration(data, data.SUBJECT_FROM) };
}
