import { changesFor } from '../../../provisioning/routes/changes.ts';
import { ruleOf } from '../../../provisioning/routes/route.ts';
import { assertNone } from '../../../testing/document.ts';
import { wantsColours } from '../../context.ts';
import { OK } from '../../exit-codes.ts';
import { basePathOf, readApiDocument } from '../../openapi/api-document.ts';
import { dryRun, placeIn, write } from '../../openapi/import.ts';
import { formatImport, importData } from '../../openapi/import-report.ts';
import { wantedRoutes } from '../../openapi/wanted.ts';
import { asJson } from '../../print.ts';
import { addActorOption, connectForWriting, type WriteOptions } from '../../provisioning.ts';
import { readConditions } from '../../routes/conditions.ts';
import {
  addCacheOptions,
  type CacheOptions,
  cacheNotes,
  cachingOf,
  outsideProblem,
} from '../../routes/result-cache.ts';
import { apiOf, routesOf } from '../../routes/routes.ts';
import type { Subcommand } from '../../subcommand.ts';
import { type RouteOptions, unregistered, withRouteOptions } from './shared.ts';

interface ImportOptions extends RouteOptions, WriteOptions, CacheOptions {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly basePath?: string;
}

const EXAMPLES = `  gatehouse route import openapi.yaml --dry-run
  gatehouse route import openapi.yaml --api shop --prune --actor pipeline

In the document, on an operation, on a path, or at the root as a default:
  x-gatehouse: { permission: project:read:project, scope: "project:{project}" }
  x-gatehouse: public      (no rule: the route stands without the authorizer)`;

/** `gatehouse route import`: the routes of an OpenAPI document. */
export const addImport: Subcommand = (route, context, finish) => {
  const command = route
    .command('import')
    .summary('read routes from an OpenAPI document')
    .description('Makes the routes of an API those that an OpenAPI document (3.0, 3.1) names.')
    .argument('<file>', 'YAML or JSON')
    .option('--dry-run', 'show and check what would be done, write nothing')
    .option('--prune', 'remove routes that the document does not name')
    .option('--base-path <path>', 'a path to put before each of the document, as /v1');
  addActorOption(withRouteOptions(addCacheOptions(command), EXAMPLES)).action(
    async (file: string, options: ImportOptions) => {
      const api = apiOf(options);
      const document = await readApiDocument(file, basePathOf(options.basePath));
      const { wanted, open, unsaid } = wantedRoutes(document);
      const caching = await cachingOf(options, context.env);
      const rules = wanted.map((route) => ({ rule: ruleOf('', route), from: route.from }));
      const editing = await connectForWriting(options, context);
      const conditionsOf = await readConditions(
        editing.send,
        rules.map(({ rule }) => rule),
      );
      const problems = rules.flatMap(({ rule, from }) => {
        const message = outsideProblem(caching, rule, conditionsOf(rule));
        return message === undefined ? [] : [{ path: placeIn(from, 'scope'), message }];
      });
      assertNone(document.source, problems);
      const changes = changesFor(await routesOf(editing.send, api), wanted, options.prune === true);
      await dryRun(document.source, api, changes, editing.dryRun);
      if (!options.dryRun) await write(api, changes, editing.send);
      const literal = wanted.map(({ permission }) => permission);
      const warnings = cacheNotes(
        caching,
        rules.map(({ rule }) => rule),
        conditionsOf,
      );
      const notes = [...document.notes, ...warnings, ...(await unregistered(editing.send, literal))];
      const done = { api, document, changes, open, unsaid, notes, isDryRun: options.dryRun === true };
      context.out(options.json ? asJson(importData(done)) : formatImport(done, wantsColours(context)));
      finish(OK);
    },
  );
};
