import { VERBS } from '../../authorizer/routes/rule.ts';
import {
  isScopeName,
  type Problem,
  pathProblem,
  unknownNames,
  type WantedRoute,
} from '../../provisioning/index.ts';
import { routeShape } from '../../table/route-template.ts';
import { assertNone } from '../../testing/document.ts';
import { plain } from '../print.ts';
import type { ApiDocument, Operation } from './api-document.ts';
import { EXTENSION } from './extension.ts';

/** What a route of a REST or HTTP API may name; these are what documents describe. */
const OF_AN_API: ReadonlySet<string> = new Set([...VERBS, 'ANY']);

/** The operations of a document, by what an import does with them. Throws ProblemsError with all that no route can be. */
export function wantedRoutes({ source, operations }: ApiDocument) {
  const problems: Problem[] = [];
  const shapes = new Map<string, Operation>();
  const wanted = operations.flatMap((operation): readonly WantedRoute<Operation>[] => {
    const { method, path, requirement, at } = operation;
    if (requirement === 'public' || requirement === 'unsaid') return [];
    if (!OF_AN_API.has(method)) {
      problems.push({ path: at, message: `routes have ${[...OF_AN_API].join(', ')}, and no ${method}` });
      return [];
    }
    const problem = pathProblem(path);
    if (problem !== undefined) {
      problems.push({ path: at.slice(0, -1), message: plain(`the path ${path} ${problem}`) });
      return [];
    }
    const shape = `${method} ${routeShape(path, 'path')}`;
    const twin = shapes.get(shape);
    if (twin) {
      const message = `means the same requests as ${twin.method} ${twin.path} above: leave one out`;
      problems.push({ path: at, message });
    }
    shapes.set(shape, operation);
    for (const { text, at: place } of [requirement.permission, requirement.scope])
      for (const name of isScopeName(text) ? [] : unknownNames(path, text)) {
        const from = place.slice(0, at.length).join() === at.join() ? place : at;
        problems.push({
          path: from,
          message: `${text} names {${name}}, which the path ${path} does not have`,
        });
      }
    return [
      {
        method,
        path,
        permission: requirement.permission.text,
        scope: requirement.scope.text,
        from: operation,
      },
    ];
  });
  // No rule covers them, because the API calls no authorizer for them.
  const open = operations.filter(({ requirement }) => requirement === 'public');
  const unsaid = operations.filter(({ requirement }) => requirement === 'unsaid');
  // A document without the extension is one for `route gaps`; to prune by it would remove every route.
  if (wanted.length === 0 && open.length === 0 && problems.length === 0)
    problems.push({
      path: ['paths'],
      message: `no operation says what it needs: give them ${EXTENSION}: { permission: …, scope: … }`,
    });
  assertNone(source, problems);
  return { wanted, open, unsaid };
}
