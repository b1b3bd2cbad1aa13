import { changesFor, ruleOf } from '../../../provisioning/index.ts';
import { assertNone } from '../../../testing/document.ts';
import { BASE_PATH, basePathOf, DOCUMENT, readApiDocument } from '../../openapi/api-document.ts';
import { dryRun, placeIn, withScopes, write } from '../../openapi/import.ts';
import { formatImport, importData } from '../../openapi/import-report.ts';
import { wantedRoutes } from '../../openapi/wanted.ts';
import { flag, WRITING } from '../../options.ts';
import { openSender } from '../../provisioning.ts';
import { readConditions } from '../../routes/conditions.ts';
import { missingScopeNotes } from '../../routes/missing-scopes.ts';
import { CACHE, cacheNotes, cachingOf, outsideProblem } from '../../routes/result-cache.ts';
import { apiOf, routesOf } from '../../routes/routes.ts';
import { API, unregistered } from '../../routes/subcommands.ts';
import { subcommand } from '../../subcommand.ts';

/** `gatehouse route import`: the routes of an OpenAPI document. */
export const addImport = subcommand({
  name: 'import',
  summary: 'import routes from an OpenAPI document',
  description: 'Changes the routes of an API to match an OpenAPI document (3.0 or 3.1).',
  arguments: [DOCUMENT],
  options: {
    dryRun: flag('check and show the changes; write nothing'),
    prune: flag('also remove routes that are not in the document'),
    basePath: BASE_PATH,
    ...CACHE,
    ...API,
    ...WRITING,
  },
  examples: `  gatehouse route import openapi.yaml --dry-run
  gatehouse route import openapi.yaml --api shop --prune --actor pipeline`,
  notes: `In the document, on an operation, on a path, or at the root as a default:
  x-gatehouse: { permission: project:read:project, scope: "project:{project}" }
  x-gatehouse: { permission: status, scope: North School }
  x-gatehouse: public      (no route: the operation has no authorizer)`,
  run: async ([file], options, context) => {
    const api = apiOf(options);
    const document = await readApiDocument(file, basePathOf(options.basePath));
    const { wanted: written, open, unsaid } = wantedRoutes(document);
    const caching = await cachingOf(options, context.env);
    const sender = await openSender(options, context);
    const wanted = await withScopes(sender.names, document.source, written);
    const ruled = wanted.map((route) => ({ from: route.from, rule: ruleOf('', route) }));
    const conditionsOf = await readConditions(sender, ruled);
    const problems = ruled.flatMap(({ from, rule }) => {
      const message = outsideProblem(caching, rule, conditionsOf(rule));
      return message === undefined ? [] : [{ path: placeIn(from, 'scope'), message }];
    });
    assertNone(document.source, problems);
    const changes = changesFor(await routesOf(sender, api), wanted, options.prune === true);
    await dryRun(document.source, api, changes, sender.dryRun);
    if (!options.dryRun) await write(api, changes, sender.send);
    const literal = wanted.map(({ permission }) => permission);
    const notes = [
      ...document.notes,
      ...cacheNotes(caching, ruled, conditionsOf),
      ...(await unregistered(sender, literal)),
      ...(await missingScopeNotes(sender, wanted)),
    ];
    const done = { api, document, changes, open, unsaid, notes, isDryRun: options.dryRun === true };
    return { data: importData(done), text: (paint) => formatImport(done, paint) };
  },
});
