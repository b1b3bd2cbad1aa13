import {
  type CacheInput,
  DEFAULT_CACHE,
  inputsOfCredentials,
  inputsOfPath,
  inputsOfRoute,
  isCacheable,
  outsideKey,
  type ResultCache,
} from '../../authorizer/routes/cache-key.ts';
import { type Caching, readCaching } from '../../authorizer/routes/result-cache.ts';
import type { RouteRule } from '../../authorizer/routes/rule.ts';
import { formatPathTemplate } from '../../table/route-template.ts';
import { readText } from '../../testing/text-file.ts';
import { type Context, UsageError } from '../context.ts';
import { text, type ValuesOf } from '../options.ts';
import { nameOf } from '../print.ts';
import type { ConditionsOf, Ruled } from './conditions.ts';

/** The result cache of API Gateway; the options are named like the variables of the authorizer. */
export const CACHE = {
  resultCache: text('<json|file>', 'RESULT_CACHE of the authorizer, as JSON or in a file (or RESULT_CACHE)'),
  httpAnswer: text(
    '<form>',
    'simple or policy: HTTP_ANSWER of the authorizer (or HTTP_ANSWER; default: simple)',
  ),
  credentialsFrom: text(
    '<places>',
    'CREDENTIALS_FROM of the authorizer (or CREDENTIALS_FROM; default: header)',
  ),
};
type CacheOptions = Partial<ValuesOf<typeof CACHE>>;

/** Reads the options or the environment; undefined where they name no cache. Throws {@link UsageError}. */
export async function cachingOf(options: CacheOptions, env: Context['env']): Promise<Caching | undefined> {
  const cache = options.resultCache ?? env.RESULT_CACHE ?? '';
  const isText = cache === '' || cache.trimStart().startsWith('{');
  const text = isText ? cache : (await readText(cache)).trim();
  try {
    const caching = readCaching({
      RESULT_CACHE: text,
      HTTP_ANSWER: options.httpAnswer ?? env.HTTP_ANSWER,
      CREDENTIALS_FROM: options.credentialsFrom ?? env.CREDENTIALS_FROM,
    });
    return caching.caches.size === 0 ? undefined : caching;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A cache whose key does not hold all inputs of a route. */
export interface Outside {
  /** The id of the API, or `default`. */
  readonly apiId: string;
  readonly cache: ResultCache;
  /** What the key does not hold. */
  readonly inputs: readonly CacheInput[];
}

/**
 * For each cache, the inputs of a route and of its conditions that its key does not hold. The route key of API Gateway is not known here;
 * it is assumed to be that of the route itself.
 */
export function outsideOf(
  { caches, isSimple, credentialsFrom }: Caching,
  rule: RouteRule,
  conditions: readonly CacheInput[],
): readonly Outside[] {
  if (!isCacheable(rule.method)) return [];
  const path = formatPathTemplate(rule.segments);
  return [...caches].flatMap(([apiId, cache]) => {
    // Only HTTP APIs spell their identity sources with a dollar, and only they take simple answers.
    const isHttp = cache.identitySources.some((source) => source.startsWith('$'));
    const verb = rule.method === 'ANY' ? '' : rule.method;
    const inputs = outsideKey(
      {
        credentials: inputsOfCredentials(credentialsFrom, isHttp ? 'http' : 'rest'),
        path: isHttp && isSimple ? inputsOfPath(`${rule.method} ${path}`, verb, path) : [],
        route: inputsOfRoute(rule),
        conditions,
      },
      cache,
    );
    return inputs.length === 0 ? [] : [{ apiId, cache, inputs }];
  });
}

/**
 * Inputs that are no header and no query parameter: for people, and as a variable of API Gateway, if there is
 * one.
 */
const OTHER_INPUTS: ReadonlyMap<CacheInput, { readonly text: string; readonly variable?: string }> = new Map([
  ['path', { text: 'the path', variable: 'context.path' }],
  ['verb', { text: 'the verb', variable: 'context.httpMethod' }],
  ['routeKey', { text: 'the route key', variable: 'context.routeKey' }],
  ['ip', { text: "the caller's address", variable: 'context.identity.sourceIp' }],
  ['userAgent', { text: 'the user agent', variable: 'context.identity.userAgent' }],
  ['time', { text: 'the time' }],
  ['context', { text: 'the context as a whole' }],
]);

/** For people. */
export const inputsText = (inputs: readonly CacheInput[]): string =>
  inputs
    .map(
      (input) =>
        OTHER_INPUTS.get(input)?.text ??
        input.replace(/^header:/, 'header ').replace(/^query:/, 'query parameter '),
    )
    .join(', ');

/** The identity sources that would add them to the key, in the API's notation. */
const sourcesText = (inputs: readonly CacheInput[], { identitySources }: ResultCache): string => {
  const isHttp = identitySources.some((source) => source.startsWith('$'));
  const [dollar, request] = isHttp ? ['$', '$request'] : ['', 'method.request'];
  return inputs
    .map((input) => {
      const variable = OTHER_INPUTS.get(input)?.variable;
      if (variable !== undefined) return `${dollar}${variable}`;
      return input.replace(/^header:/, `${request}.header.`).replace(/^query:/, `${request}.querystring.`);
    })
    .join(', ');
};

/** What no key can hold. */
const inNoKey = (inputs: readonly CacheInput[]): readonly CacheInput[] =>
  inputs.filter((input) => OTHER_INPUTS.has(input) && OTHER_INPUTS.get(input)?.variable === undefined);

/** Which API caches, by which key and for how long. */
export const cacheText = ({
  apiId,
  cache: { ttl, identitySources },
}: Pick<Outside, 'apiId' | 'cache'>): string =>
  `${apiId === DEFAULT_CACHE ? 'an API that is not named' : `the API ${apiId}`} caches for ${ttl} s by ${identitySources.join(', ')}`;

/** Why a route would be refused, and what to do; undefined where it would not, or where the cache is not known. */
export function outsideProblem(
  caching: Caching | undefined,
  rule: RouteRule,
  conditions: readonly CacheInput[],
): string | undefined {
  const [first] = caching === undefined ? [] : outsideOf(caching, rule, conditions);
  if (first === undefined) return undefined;
  const { inputs, cache } = first;
  const isOfRoute = inputs.some((input) => !conditions.includes(input));
  const which = isOfRoute ? 'every request to it' : 'every request that a condition decides';
  const never = inNoKey(inputs);
  const remedy =
    never.length > 0
      ? `Set the TTL to 0: no key holds ${inputsText(never)}`
      : `Add ${sourcesText(inputs, cache)} to the identity sources, or set the TTL to 0`;
  return `depends on ${inputsText(inputs)}, and ${cacheText(first)}: ${which} would be refused (outside_cache_key). ${remedy}`;
}

/** Throws for the first rule that would be refused. */
export function assertInKey(
  caching: Caching | undefined,
  routes: readonly Ruled[],
  conditionsOf: ConditionsOf,
): void {
  for (const { rule } of routes) {
    const problem = outsideProblem(caching, rule, conditionsOf(rule));
    if (problem !== undefined) throw new Error(`${ruleName(rule)} ${problem}`);
  }
}

const ruleName = ({ method, segments }: RouteRule): string =>
  nameOf({ method, path: formatPathTemplate(segments) });

/** What a route and its conditions take from requests, where the API may cache. */
export const takenBy = (rule: RouteRule, conditions: readonly CacheInput[]): readonly CacheInput[] =>
  isCacheable(rule.method) ? [...new Set([...inputsOfRoute(rule), ...conditions])] : [];

/** Notes for a cache that is not known. */
export const cacheNotes = (
  caching: Caching | undefined,
  routes: readonly Ruled[],
  conditionsOf: ConditionsOf,
): readonly string[] =>
  caching === undefined
    ? routes.flatMap(({ rule }) => {
        const inputs = takenBy(rule, conditionsOf(rule));
        if (inputs.length === 0) return [];
        const unless = inNoKey(inputs).length > 0 ? '' : ' or this is an identity source';
        return [
          `${ruleName(rule)} depends on ${inputsText(inputs)}: it is refused (outside_cache_key) unless the TTL of the result cache is 0${unless}, and RESULT_CACHE of the authorizer says so; --result-cache checks it here`,
        ];
      })
    : [];
