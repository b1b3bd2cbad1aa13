import * as z from 'zod/mini';
import { type Environment, variablesSetIn } from '../../table/environment.ts';
import { isObject, parseJson } from '../../table/json.ts';
import { credentialsFrom } from '../credentials/configuration.ts';
import type { CredentialPlace } from '../credentials/credentials.ts';
import { httpAnswer, objectError } from '../variables.ts';
import { type ResultCache, type ResultCaches, readIdentitySource } from './cache-key.ts';

/** `authorizerResultTtlInSeconds` (AG API_Authorizer, apis-apiid-authorizers). */
const MAX_TTL_SECONDS = 3_600;
/** All environment variables of a Lambda function together are limited to 4 KB (Lambda quotas). */
const MAX_LENGTH = 4_096;
const MAX_SOURCES = 20;

const TTL = `is not a whole number from 0 to ${MAX_TTL_SECONDS}`;
const SOURCE = 'is not an identity source, such as $request.header.Authorization';

const identitySource = z
  .string({ error: SOURCE })
  .check(z.refine((text) => readIdentitySource(text) !== undefined, { error: SOURCE }));

const CACHE = z
  .strictObject(
    {
      ttl: z
        .number({ error: TTL })
        .check(
          z.refine((ttl) => Number.isInteger(ttl) && ttl >= 0 && ttl <= MAX_TTL_SECONDS, { error: TTL }),
        ),
      identitySources: z.optional(
        z
          .array(identitySource, { error: 'is not a list' })
          .check(z.maxLength(MAX_SOURCES, { error: `has more than ${MAX_SOURCES} members` })),
      ),
    },
    { error: objectError },
  )
  .check(
    z.refine(({ ttl, identitySources = [] }) => ttl === 0 || identitySources.length > 0, {
      error: 'has a ttl above 0 and no identitySources: API Gateway caches nothing without one',
    }),
  );

const API_ID = /^[A-Za-z0-9-]{1,64}$/;

const isByApi = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).every((api) => API_ID.test(api));

const toCache = ({ ttl, identitySources = [] }: z.infer<typeof CACHE>): ResultCache => ({
  ttl,
  identitySources,
  key: new Set(identitySources.map((text) => readIdentitySource(text) ?? text)),
});

/**
 * The variable RESULT_CACHE: how API Gateway caches answers, by API id: `{"default": {"ttl": 0}, "a1b2c3":
 * {"ttl": 300, "identitySources": ["$request.header.Authorization"]}}`. For an API with several authorizers
 * on this function, give the longest of their TTLs and the identity sources that all of them have.
 */
export const resultCaches = z.pipe(
  z.pipe(
    z
      .string()
      .check(z.maxLength(MAX_LENGTH, { error: `is longer than ${MAX_LENGTH} characters` }))
      .check(z.refine((text) => parseJson(text) !== undefined, { error: 'is not JSON' })),
    z.transform(parseJson),
  ),
  z.pipe(
    // A check of its own, so that messages do not repeat invalid ids.
    z.pipe(
      z
        .unknown()
        .check(z.refine(isByApi, { error: 'is not an object whose keys are ids of APIs, or default' })),
      z.record(z.string(), CACHE),
    ),
    z.transform(
      (byApi): ResultCaches => new Map(Object.entries(byApi).map(([api, cache]) => [api, toCache(cache)])),
    ),
  ),
);

/** The authorizer's configuration as far as it concerns cached answers. */
export interface Caching {
  readonly caches: ResultCaches;
  /** Whether HTTP APIs 2.0 get simple answers, `{isAuthorized}`. */
  readonly isSimple: boolean;
  readonly credentialsFrom: readonly CredentialPlace[];
}

const VARIABLES = z.object({
  RESULT_CACHE: z.prefault(resultCaches, '{}'),
  HTTP_ANSWER: httpAnswer,
  CREDENTIALS_FROM: credentialsFrom,
});

/**
 * Reads the variables RESULT_CACHE, HTTP_ANSWER and CREDENTIALS_FROM with the authorizer's defaults, for use
 * outside of it (`gatehouse route check`).
 *
 * @throws Error naming the variables that are invalid
 */
export function readCaching(env: Environment): Caching {
  const given = variablesSetIn(env, Object.keys(VARIABLES.shape));
  const { success, data, error } = VARIABLES.safeParse(given);
  if (success)
    return {
      caches: data.RESULT_CACHE,
      isSimple: data.HTTP_ANSWER === 'simple',
      credentialsFrom: data.CREDENTIALS_FROM,
    };
  throw new Error(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}
