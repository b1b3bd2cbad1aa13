import { type Configuration, parseConfiguration } from '../../authorizer/index.ts';
import { isLoopback } from '../../table/loopback.ts';
import type { Context } from '../context.ts';
import { type Result, reporter } from './result.ts';

const { ok, warning, failed } = reporter('configuration');

/** All variables of one Lambda function, names and values (Lambda quotas). */
const MAX_ENVIRONMENT_BYTES = 4_096;

/**
 * Reads the authorizer's variables as the authorizer does at its start.
 *
 * @returns the configuration, unless the authorizer would not start with it
 */
export function checkConfiguration(env: Context['env']): {
  readonly configuration?: Configuration;
  readonly results: readonly Result[];
} {
  let configuration: Configuration;
  try {
    configuration = parseConfiguration(env);
  } catch (error) {
    const { message } = error as Error;
    return { results: [failed(`the authorizer would not start: ${message}. See docs/configuration.md`)] };
  }
  const { token, resultCaches, cache, revocation } = configuration;
  const results = [
    ok(
      `${token.issuers.length} issuer(s), routes of the API ${configuration.api}, cache ${cache.ttlMs / 1_000} s`,
    ),
  ];
  if (resultCaches.size === 0)
    results.push(
      warning(
        'RESULT_CACHE is not set: every API counts as cached by the token, and simple answers are refused',
      ),
    );
  if (revocation === undefined)
    results.push(warning('REVOCATION is not set: a JWT is valid until it expires, whatever is revoked'));
  for (const { jwksUrl } of token.issuers)
    if (jwksUrl.protocol !== 'https:' && !isLoopback(jwksUrl.hostname))
      results.push(warning(`${jwksUrl.host}: keys are fetched without TLS`));
  return { configuration, results };
}

/** Of the variables of a deployed function: whether they fit. */
export function checkSize(env: Context['env']): readonly Result[] {
  const bytes = Object.entries(env).reduce(
    (sum, [name, value = '']) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  return bytes <= MAX_ENVIRONMENT_BYTES ? [] : [failed(`the variables take ${bytes} bytes of at most 4,096`)];
}
