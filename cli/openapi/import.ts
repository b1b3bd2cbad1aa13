import { messageOf } from '../../local/message-of.ts';
import type { Changes, Path, Problem, WantedRoute } from '../../provisioning/index.ts';
import { batchesOf } from '../../table/reader.ts';
import { assertNone, type Source } from '../../testing/document.ts';
import { RefusedError, type Send } from '../provisioning.ts';
import { NameError, type Names } from '../references.ts';
import { routeScope } from '../routes/scope-names.ts';
import type { Command } from '../transport.ts';
import type { Operation } from './api-document.ts';

/** One command of an import. */
interface Step extends Command {
  readonly route: Pick<Operation, 'method' | 'path'>;
  /** The operation in the document; undefined for a removal. */
  readonly from: Operation | undefined;
}

function stepsOf(api: string, { creates, updates, removes }: Changes<Operation>): readonly Step[] {
  return [
    ...creates.map(({ from, ...route }): Step => {
      return { command: 'route.create', input: { api, ...route }, route, from };
    }),
    ...updates.map(({ route, from, ...set }): Step => {
      return { command: 'route.update', input: { id: route.id, ...set }, route, from };
    }),
    ...removes.map((route): Step => {
      return { command: 'route.delete', input: { id: route.id }, route, from: undefined };
    }),
  ];
}

/** Dry runs at a time. They write nothing, so their order does not matter. */
const AT_ONCE = 8;

/** Sends every change as a dry run. Throws ProblemsError with all refusals. */
export async function dryRun(
  source: Source,
  api: string,
  changes: Changes<Operation>,
  send: Send,
): Promise<void> {
  const steps = stepsOf(api, changes);
  const problems: Problem[] = [];
  for (const some of batchesOf(steps, AT_ONCE)) {
    const results = await Promise.allSettled(some.map(({ command, input }) => send(command, input)));
    for (const [position, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      const step = some[position];
      if (!(result.reason instanceof RefusedError) || !result.reason.isOfInput || !step?.from)
        throw result.reason;
      problems.push({ path: placeIn(step.from, result.reason.field), message: result.reason.message });
    }
  }
  assertNone(source, problems);
}

/** The routes with references in the place of names of scopes, each looked up once. Throws ProblemsError. */
export async function withScopes(
  names: Names,
  source: Source,
  wanted: readonly WantedRoute<Operation>[],
): Promise<readonly WantedRoute<Operation>[]> {
  const problems: Problem[] = [];
  const scopes = new Map<string, string | undefined>();
  for (const { scope, from } of wanted) {
    if (scopes.has(scope)) continue;
    try {
      scopes.set(scope, await routeScope(names, 'scope', scope));
    } catch (error) {
      if (!(error instanceof NameError)) throw error;
      scopes.set(scope, undefined);
      problems.push({ path: placeIn(from, 'scope'), message: error.message });
    }
  }
  assertNone(source, problems);
  return wanted.map((route) => ({ ...route, scope: scopes.get(route.scope) ?? route.scope }));
}

/** The place in a document from which a field of a route comes. */
export function placeIn({ requirement, at }: Operation, field: string | undefined): Path {
  if (typeof requirement === 'string') return at;
  return field === 'permission' ? requirement.permission.at : field === 'scope' ? requirement.scope.at : at;
}

/** Writes the changes one after the other. Throws, saying how far it came, when one is refused or fails. */
export async function write(api: string, changes: Changes<Operation>, send: Send): Promise<void> {
  const steps = stepsOf(api, changes);
  for (const [done, { command, input, route }] of steps.entries()) {
    await send(command, input).catch((cause: unknown) => {
      throw new Error(
        `${route.method} ${route.path}: ${messageOf(cause)}\n${done} of ${steps.length} changes are made, each whole: import the document again to make the rest`,
        { cause },
      );
    });
  }
}
