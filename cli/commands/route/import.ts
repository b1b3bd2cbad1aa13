import { changesFor } from '../../../provisioning/routes/changes.ts';
import { ruleOf } from '../../../provisioning/routes/route.ts';
import { assertNone } from '../../../testing/document.ts';
import { wantsColours } from '../../context.ts';
import { OK } from '../../exit-codes.ts';
import { basePathOf, readApiDocument } from '../../openapi/api-document.ts';
import { dryRun, placeIn, withScopes, write } from '../../openapi/import.ts';
import { formatImport, importData } from '../../openapi/import-report.ts';
import { wantedRoutes } from '../../openapi/wanted.ts';
import { asJson } from '../../print.ts';
import { addActorOption, connectForWriting, type WriteOptions } from '../../provisioning.ts';
import { namesThrough } from '../../references.ts';
import { readConditions } from '../../routes/conditions.ts';
import { missingScopeNotes } from '../../routes/missing-scopes.ts';
import {
  addCacheOptions,
  type CacheOptions,
  cacheNotes,
  cachingOf,
  outsideProblem,
} from '../../routes/result-cache.ts';
import { apiOf, routesOf } from '../../routes/routes.ts';
import { type RouteOptions, unregistered, withRouteOptions } from '../../routes/subcommands.ts';
import type { Subcommand } from '../../subcommand.ts';

interface ImportOptions extends RouteOptions, WriteOptions, CacheOptions {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly basePath?: string;
}

const EXAMPLES = `  gatehouse route import openapi.yaml --dry-run
  gatehouse route import openapi.yaml --api shop --prune --actor pipeline`;

const NOTES = `In the document, on an operation, on a path, or at the root as a default:
  x-gatehouse: { permission: project:read:project, scope: "project:{project}" }
  x-gatehouse: { permission: status, scope: North School }
  x-gatehouse: public      (no route: the operation has no authorizer)`;

/** `gatehouse route import`: the routes of an OpenAPI document. */
export const addImport: Subcommand = (route, context, finish) => {
  const command = route
    .command('import')
    .summary('import routes from an OpenAPI document')
    .description('Changes the routes of an API to match an OpenAPI document (3.0 or 3.1).')
    .argument('<file>', 'the document, in YAML or JSON')
    .option('--dry-run', 'check and show the changes; write nothing')
    .option('--prune', 'also remove routes that are not in the document')
    .option('--base-path <path>', 'a prefix for every path of the document, such as /v1');
  addActorOption(withRouteOptions(addCacheOptions(command), EXAMPLES, NOTES)).action(
    async (file: string, options: ImportOptions) => {
      const api = apiOf(options);
      const document = await readApiDocument(file, basePathOf(options.basePath));
      const { wanted: written, open, unsaid } = wantedRoutes(document);
      const caching = await cachingOf(options, context.env);
      const editing = await connectForWriting(options, context);
      const wanted = await withScopes(namesThrough(editing.send), document.source, written);
      const rules = wanted.map((route) => ({ rule: ruleOf('', route), from: route.from }));
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
      const notes = [
        ...document.notes,
        ...warnings,
        ...(await unregistered(editing.send, literal)),
        ...(await missingScopeNotes(editing.send, wanted)),
      ];
      const done = { api, document, changes, open, unsaid, notes, isDryRun: options.dryRun === true };
      context.out(options.json ? asJson(importData(done)) : formatImport(done, wantsColours(context)));
      finish(OK);
    },
  );
};
