import type { CacheInput } from '../../../authorizer/routes/cache-key.ts';
import type { Caching } from '../../../authorizer/routes/result-cache.ts';
import type { Route } from '../../../provisioning/index.ts';
import { columns, count, nameOf, section } from '../../print.ts';
import { readConditions } from '../../routes/conditions.ts';
import { withMissingScope } from '../../routes/missing-scopes.ts';
import { CACHE, cacheText, cachingOf, inputsText, outsideOf, takenBy } from '../../routes/result-cache.ts';
import { routeData } from '../../routes/routes.ts';
import { API, readApi } from '../../routes/subcommands.ts';
import { subcommand } from '../../subcommand.ts';

/** A route that depends, with its conditions, on inputs outside of a cache key, or may, where no key is known. */
interface Finding {
  readonly route: Route;
  readonly inputs: readonly CacheInput[];
  /** The API whose cache it is, or `default`; undefined where the key is not known. */
  readonly apiId?: string;
  readonly title: string;
}

function findingsOf(
  caching: Caching | undefined,
  route: Route,
  conditions: readonly CacheInput[],
): readonly Finding[] {
  if (caching !== undefined)
    return outsideOf(caching, route.rule, conditions).map(({ apiId, cache, inputs }) => {
      const title = `refused (outside_cache_key): ${cacheText({ apiId, cache })}`;
      return { route, inputs, apiId, title };
    });
  const inputs = takenBy(route.rule, conditions);
  const title = 'refused (outside_cache_key) unless the TTL is 0, or these are identity sources';
  return inputs.length === 0 ? [] : [{ route, inputs, title }];
}

/**
 * `gatehouse route check`: routes that depend on inputs outside of the key of API Gateway's result cache, and those whose
 * scope is written out and does not exist.
 */
export const addCheck = subcommand({
  name: 'check',
  summary: 'find routes that are refused to everybody: by the cache key of API Gateway, or without a scope',
  description:
    'Lists the routes that the authorizer refuses because API Gateway would reuse the answer for other requests: the route, or a condition on its permission, depends on an input outside of the cache key. Lists the routes, too, whose scope is written out and does not exist.',
  options: { ...CACHE, ...API },
  examples: `  gatehouse route check --result-cache '{"default":{"ttl":0}}'
  gatehouse route check --api shop --http-answer policy \\
    --result-cache '{"a1b2c3":{"ttl":300,"identitySources":["$request.header.Authorization"]}}'`,
  run: async (_, options, context) => {
    const caching = await cachingOf(options, context.env);
    const { api, routes, sender } = await readApi(options, context);
    const known = caching !== undefined;
    const conditionsOf = await readConditions(sender, routes);
    const missing = await withMissingScope(sender, routes);
    const findings = routes.flatMap((each) => findingsOf(caching, each, conditionsOf(each.rule)));
    const found = findings.map(({ route, apiId, inputs }) => ({
      ...routeData(route),
      ...(known ? { apiId, outside: inputs } : { takes: inputs }),
    }));
    return {
      data: {
        api,
        known,
        routes: routes.length,
        [known ? 'outside' : 'taking']: found,
        scopeMissing: missing.map(routeData),
      },
      text: textOf(api, routes.length, findings, missing, known),
      refused: (known && findings.length > 0) || missing.length > 0,
    };
  },
});

function textOf(
  api: string,
  number: number,
  findings: readonly Finding[],
  missing: readonly Route[],
  isKnown: boolean,
): string {
  const refused = new Set(findings.map(({ route }) => route.id)).size;
  const unknown = '; the key of the result cache is not known: give --result-cache';
  const sum =
    refused === 0 ? 'no route depends on inputs outside of the key' : `${refused} of ${number} refused`;
  return `${[
    `API ${api}: ${count(number, 'route')}${isKnown ? '' : unknown}`,
    ...[...new Set(findings.map(({ title }) => title))].flatMap((title) => {
      const rows = findings.filter((finding) => finding.title === title);
      return section(
        title,
        columns(rows.map(({ route, inputs }) => [nameOf(route), inputsText(inputs), `(${route.id})`])),
      );
    }),
    ...section(
      'refused to everybody, and open to whoever creates that id: there is no such scope',
      columns(missing.map((route) => [nameOf(route), route.scope, `(${route.id})`])),
    ),
    ...(isKnown ? ['', sum] : []),
  ].join('\n')}\n`;
}
