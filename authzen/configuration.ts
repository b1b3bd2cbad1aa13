import * as z from 'zod/mini';
import { type Environment, LOGGING, loggingIn, parseVariables } from '../authorizer/configuration.ts';
import { parseServiceConfiguration } from '../authorizer/service-configuration.ts';
import { url } from '../authorizer/variables.ts';
import type { LogLevel } from '../table/log.ts';

/** @throws GatehouseError `invalid` for a `LOG_LEVEL` that is none */
export const logLevelIn = (env: Environment): LogLevel =>
  parseVariables(z.object({ LOG_LEVEL: LOGGING.LOG_LEVEL }), env).LOG_LEVEL;

/** The variables beside those of a service. */
export const OWN = z.object({ ...LOGGING, PUBLIC_URL: z.optional(url) });

export type AuthzenConfiguration = ReturnType<typeof parseAuthzenConfiguration>;

/**
 * Reads the configuration from environment variables: those of a service and of what is logged, and
 * `PUBLIC_URL`, the base URL as enforcement points know it.
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid, without their values
 */
export function parseAuthzenConfiguration(env: Environment) {
  const { PUBLIC_URL, ...logging } = parseVariables(OWN, env);
  return { ...parseServiceConfiguration(env), publicUrl: PUBLIC_URL, logging: loggingIn(logging) };
}
