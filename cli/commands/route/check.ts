import type { Route } from '../../../provisioning/routes/route.ts';
import { OK, REFUSED } from '../../context.ts';
import { asJson, columns, count, nameOf, section } from '../../print.ts';
import { connectForWriting } from '../../provisioning.ts';
import {
  addCacheOptions,
  type CacheOptions,
  cacheText,
  cachingOf,
  inputsText,
  type Outside,
  outsideOf,
  takenBy,
} from '../../routes/result-cache.ts';
import { apiOf, routeData, routesOf } from '../../routes/routes.ts';
import type { Subcommand } from '../../subcommand.ts';
import { type RouteOptions, withRouteOptions } from './shared.ts';

const EXAMPLES = `  gatehouse route check --result-cache '{"default":{"ttl":0}}'
  gatehouse route check --api shop --http-answer policy \\
    --result-cache '{"a1b2c3":{"ttl":300,"identitySources":["$request.header.Authorization"]}}'`;

interface Finding extends Outside {
  readonly route: Route;
}

/** `gatehouse route check`: routes that depend on inputs outside of the key of API Gateway's result cache. */
export const addCheck: Subcommand = (route, context, finish) => {
  const command = route
    .command('check')
    .summary('which routes depend on inputs outside of the key of the result cache?')
    .description(
      'Lists each route that the authorizer refuses because API Gateway would reuse its answer for other requests.',
    );
  withRouteOptions(addCacheOptions(command), EXAMPLES).action(
    async (options: RouteOptions & CacheOptions) => {
      const api = apiOf(options);
      const caching = await cachingOf(options, context.env);
      const routes = await routesOf(connectForWriting(options, context).send, api);
      if (caching === undefined) {
        const taking = routes.flatMap((each) => {
          const inputs = takenBy(each.rule);
          return inputs.length === 0 ? [] : [{ route: each, inputs }];
        });
        context.out(
          options.json
            ? asJson({
                ...{ api, known: false, routes: routes.length },
                taking: taking.map(({ route: each, inputs }) => ({ ...routeData(each), takes: inputs })),
              })
            : textOfUnknown(api, routes.length, taking),
        );
        finish(OK);
        return;
      }
      const findings = routes.flatMap((each) =>
        outsideOf(caching, each.rule).map((outside): Finding => ({ ...outside, route: each })),
      );
      context.out(
        options.json
          ? asJson({
              ...{ api, known: true, routes: routes.length },
              outside: findings.map(({ route: each, apiId, inputs }) => ({
                ...routeData(each),
                apiId,
                outside: inputs,
              })),
            })
          : textOf(api, routes.length, findings),
      );
      finish(findings.length === 0 ? OK : REFUSED);
    },
  );
};

function textOfUnknown(
  api: string,
  number: number,
  taking: readonly { readonly route: Route; readonly inputs: readonly string[] }[],
): string {
  return `${[
    `API ${api}: ${count(number, 'route')}; the key of the result cache is not known: give --result-cache`,
    ...section(
      'refused (outside_cache_key) unless the TTL is 0, or these are identity sources',
      columns(taking.map(({ route, inputs }) => [nameOf(route), inputsText(inputs), `(${route.id})`])),
    ),
  ].join('\n')}\n`;
}

function textOf(api: string, number: number, findings: readonly Finding[]): string {
  const caches = new Map(findings.map((finding) => [finding.apiId, finding]));
  const refused = new Set(findings.map(({ route }) => route.id)).size;
  return `${[
    `API ${api}: ${count(number, 'route')}`,
    ...[...caches].flatMap(([apiId, cache]) =>
      section(
        `refused (outside_cache_key): ${cacheText(cache)}`,
        columns(
          findings
            .filter((finding) => finding.apiId === apiId)
            .map(({ route, inputs }) => [nameOf(route), inputsText(inputs), `(${route.id})`]),
        ),
      ),
    ),
    '',
    refused === 0 ? 'no route depends on inputs outside of the key' : `${refused} of ${number} refused`,
  ].join('\n')}\n`;
}
