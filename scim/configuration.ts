import * as z from 'zod/mini';
import { COMMON, type Environment, LOGGING, parseVariables } from '../authorizer/configuration.ts';
import { url } from '../authorizer/variables.ts';

export const SCIM = z.object({
  TABLE_NAME: COMMON.TABLE_NAME,
  DYNAMODB_ENDPOINT: COMMON.DYNAMODB_ENDPOINT,
  TABLE_REGION: COMMON.TABLE_REGION,
  METRICS_NAMESPACE: COMMON.METRICS_NAMESPACE,
  LOG_LEVEL: LOGGING.LOG_LEVEL,
  PUBLIC_URL: z.optional(url),
});

/**
 * Reads the configuration from environment variables: those of the table and the log, and `PUBLIC_URL`, the address as
 * identity providers know it, before `/scim/v2`.
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid, without their values
 */
export const parseScimConfiguration = (env: Environment) => parseVariables(SCIM, env);
