import * as z from 'zod';
import type { Configuration } from '../../authorizer/index.ts';
import { DEFAULT_CACHE, readIdentitySource } from '../../authorizer/routes/cache-key.ts';
import { parseJson } from '../../table/json.ts';
import { readText } from '../../testing/text-file.ts';
import { UsageError } from '../context.ts';
import { type Found, type Result, reporter } from './result.ts';

const { ok, failed, warning, notChecked } = reporter('cache');

/** The most authorizers of one API (AG limits). */
const MOST = 10;
const ttl = z.number().int().min(0).max(3_600);

/** AWS's own, where none is set (AG API_Authorizer): REST 300; HTTP APIs 0. */
const REST_TTL = 300;
const ofHttpApi = z
  .object({
    AuthorizerId: z.string(),
    AuthorizerType: z.string(),
    AuthorizerResultTtlInSeconds: ttl.default(0),
    IdentitySource: z.array(z.string()).default([]),
  })
  .transform((each) => ({
    id: each.AuthorizerId,
    isLambda: each.AuthorizerType === 'REQUEST',
    ttl: each.AuthorizerResultTtlInSeconds,
    identitySources: each.IdentitySource,
  }));
const ofRestApi = z
  .object({
    id: z.string(),
    type: z.string(),
    authorizerResultTtlInSeconds: ttl.default(REST_TTL),
    identitySource: z.string().default(''),
  })
  .transform((each) => ({
    id: each.id,
    isLambda: ['REQUEST', 'TOKEN'].includes(each.type),
    ttl: each.authorizerResultTtlInSeconds,
    identitySources: each.identitySource
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean),
  }));

/** `aws apigatewayv2 get-authorizers` and `aws apigateway get-authorizers`, as far as they are used. */
const listing = z.union([
  z.object({ Items: z.array(ofHttpApi).max(MOST) }).transform(({ Items }) => Items),
  z.object({ items: z.array(ofRestApi).max(MOST) }).transform(({ items }) => items),
]);

/** Reads the authorizers of Lambda from what the AWS command line printed. Throws {@link UsageError}. */
async function readAttached(file: string) {
  const { data } = listing.safeParse(parseJson(await readText(file)));
  if (data) return data.filter(({ isLambda }) => isLambda);
  throw new UsageError(
    `${file} is not the output of aws apigatewayv2 get-authorizers or aws apigateway get-authorizers`,
  );
}

/**
 * Compares what RESULT_CACHE says of an API with what API Gateway has (ADR 0017). What it says must not be less
 * than the truth: a shorter TTL, or an identity source that is not there, lets one request in by the answer to another.
 *
 * @param given `API_ID=FILE`
 */
export async function checkAttached(
  { resultCaches }: Pick<Configuration, 'resultCaches'>,
  given: readonly string[],
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const each of given) {
    const [, api, file] = /^([A-Za-z0-9-]{1,64})=(.+)$/s.exec(each) ?? [];
    if (api === undefined || file === undefined)
      throw new UsageError(`--authorizers ${each} is not API_ID=FILE, such as a1b2c3d4e5=authorizers.json`);
    const said = resultCaches.get(api) ?? resultCaches.get(DEFAULT_CACHE);
    for (const { id, ttl: actual, identitySources } of await readAttached(file)) {
      const what = `API ${api}, authorizer ${id}`;
      const key = identitySources.map((text) => readIdentitySource(text) ?? text);
      const missing = [...(said?.key ?? [])].filter((input) => !key.includes(input));
      if (actual === 0) results.push(ok(`${what}: not cached`));
      else if (said === undefined)
        results.push(warning(`${what}: cached for ${actual} s, and RESULT_CACHE does not say so`));
      else if (said.ttl < actual)
        results.push(failed(`${what}: cached for ${actual} s, and RESULT_CACHE says ${said.ttl} s`));
      else if (missing.length > 0)
        results.push(
          failed(`${what}: RESULT_CACHE names ${missing.join(', ')}, which is no identity source there`),
        );
      else results.push(ok(`${what}: cached for ${actual} s, as RESULT_CACHE says`));
    }
  }
  return results;
}

/**
 * Settings of RESULT_CACHE that were not compared with API Gateway. The authorizer trusts them: with a wrong cache key, API
 * Gateway answers one request with the result of another.
 */
export const unattested = ({ resultCaches }: Pick<Configuration, 'resultCaches'>): Found =>
  resultCaches.size === 0
    ? []
    : notChecked(
        'RESULT_CACHE is taken at its word: compare it with what API Gateway has by --authorizers (docs/cli.md)',
      );
