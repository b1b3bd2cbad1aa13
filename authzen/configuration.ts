import * as z from 'zod/mini';
import { type Environment, parseVariables } from '../authorizer/configuration.ts';
import { parseServiceConfiguration } from '../authorizer/service-configuration.ts';
import { url } from '../authorizer/variables.ts';

const OWN = z.object({ PUBLIC_URL: z.optional(url) });

export type AuthzenConfiguration = ReturnType<typeof parseAuthzenConfiguration>;

/**
 * Reads the configuration from environment variables: those of a service, and `PUBLIC_URL`, the base URL as
 * enforcement points know it.
 *
 * @throws Error naming the variables that are missing or invalid, without their values
 */
export const parseAuthzenConfiguration = (env: Environment) => ({
  ...parseServiceConfiguration(env),
  publicUrl: parseVariables(OWN, env).PUBLIC_URL,
});
