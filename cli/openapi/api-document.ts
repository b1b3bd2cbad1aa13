import * as z from 'zod';
import { VERBS } from '../../authorizer/routes/rule.ts';
import { inPlainWords, type Path, type Problem, pathOf, problemsOf } from '../../provisioning/index.ts';
import { isObject, type JsonObject } from '../../table/json.ts';
import { hint } from '../../table/similar-words.ts';
import { assertNone, type Source } from '../../testing/document.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';
import { UsageError } from '../context.ts';
import { argument, text } from '../options.ts';
import { EXTENSION, extensionIn, type Level, type Requirement, requirementOf } from './extension.ts';
import { guardedBy } from './gateway.ts';

/** An operation of an OpenAPI document, as far as routes are concerned. */
export interface Operation {
  /** A verb in upper case, or ANY (`x-amazon-apigateway-any-method`). */
  readonly method: string;
  /** With the base path before it. */
  readonly path: string;
  readonly at: Path;
  readonly requirement: Requirement;
  /** Whether a Lambda authorizer guards it; undefined when the document is not one of API Gateway. */
  readonly isGuarded: boolean | undefined;
}

export interface ApiDocument {
  readonly source: Source;
  readonly operations: readonly Operation[];
  /** What a reader should know and is no mistake. */
  readonly notes: readonly string[];
}

const ANY_METHOD = 'x-amazon-apigateway-any-method';
const VERB_KEYS = new Map<string, string>([
  ...[...VERBS, 'TRACE'].map((verb): [string, string] => [verb.toLowerCase(), verb]),
  [ANY_METHOD, 'ANY'],
]);
const PATH_ITEM_KEYS = [...VERB_KEYS.keys(), 'summary', 'description', 'servers', 'parameters', '$ref'];

const root = z.looseObject({
  servers: z.array(z.looseObject({ url: z.string('must be a text') }), 'must be a list').optional(),
  paths: z.record(z.string(), z.unknown(), 'must be a mapping of paths').optional(),
});

/** Why it is no OpenAPI document that is read here. */
function versionProblem(data: unknown): Problem | undefined {
  if (data === null || data === undefined) return { path: [], message: 'is empty' };
  if (isObject(data) && data.openapi === undefined && data.routes !== undefined)
    return { path: [], message: 'is a manifest and not an OpenAPI document: see gatehouse apply' };
  if (!isObject(data) || (data.openapi === undefined && data.swagger === undefined))
    return { path: [], message: 'is not an OpenAPI document: it has no key openapi, such as openapi: 3.1.0' };
  if (data.openapi === undefined)
    return {
      path: ['swagger'],
      message: `Swagger ${data.swagger} is not supported: convert the document to OpenAPI 3 (from API Gateway, export it as oas30)`,
    };
  if (typeof data.openapi === 'string' && /^3\.[01](?:\.|$)/.test(data.openapi)) return undefined;
  return {
    path: ['openapi'],
    message: `OpenAPI ${data.openapi} is not supported: use 3.0 or 3.1, such as openapi: 3.1.0`,
  };
}

export const DOCUMENT = argument('<file>', 'the document, in YAML or JSON');
export const BASE_PATH = text('<path>', 'a prefix for every path of the document, such as /v1');

/** A path that goes before those of a document: `/v1`. Throws {@link UsageError}. */
export function basePathOf(text: string | undefined): string {
  if (text === undefined || text === '/') return '';
  if (!/^(?:\/[A-Za-z0-9._~$@-]+)+$/.test(text))
    throw new UsageError(`--base-path ${text} is not a path such as /v1, without a slash at its end`);
  return text;
}

/** Reads an OpenAPI document, 3.0 or 3.1, in YAML or JSON. Throws ProblemsError with everything that is wrong with it. */
export async function readApiDocument(file: string, basePath: string): Promise<ApiDocument> {
  const source = await readFileAsDocument(file);
  const unread = versionProblem(source.data);
  assertNone(source, unread ? [unread] : []);
  const parsed = root.safeParse(source.data, { error: inPlainWords });
  if (!parsed.success) {
    assertNone(source, problemsOf(parsed.error));
    throw parsed.error;
  }
  const document = parsed.data as JsonObject;
  const problems: Problem[] = [];
  const level: Level = { said: extensionIn(document, [], problems), at: [] };
  const isGuarded = guardedBy(document);
  const paths = parsed.data.paths ?? {};
  if (extensionIn(paths, ['paths'], problems) !== undefined)
    problems.push({ path: ['paths', EXTENSION], message: 'a default stands on a path, or at the root' });
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith('x-') ? [] : operationsAt({ document, isGuarded, basePath, level, problems }, path, item),
  );
  if (operations.length === 0 && problems.length === 0)
    problems.push({ path: ['paths'], message: 'there are no operations in it' });
  assertNone(source, problems);
  return { source, operations, notes: baseNotes(parsed.data.servers ?? [], basePath) };
}

interface Reading {
  readonly document: JsonObject;
  readonly isGuarded: (operation: JsonObject) => boolean | undefined;
  readonly basePath: string;
  readonly level: Level;
  readonly problems: Problem[];
}

function operationsAt(reading: Reading, path: string, written: unknown): readonly Operation[] {
  const { document, isGuarded, basePath, level, problems } = reading;
  const refuse = (at: Path, message: string): readonly Operation[] => {
    problems.push({ path: at, message });
    return [];
  };
  const place: Path = ['paths', path];
  if (!isObject(written)) return refuse(place, 'must be a mapping of operations');
  const { parts, problem } = followed(document, place, written);
  if (problem !== undefined) return refuse([...place, '$ref'], problem);
  const onPath = parts.map(({ at, item }): Level => {
    for (const key of Object.keys(item))
      if (!PATH_ITEM_KEYS.includes(key) && !/^x-/i.test(key))
        refuse([...at, key], `unknown key: ${hint(key, PATH_ITEM_KEYS)}`);
    return { said: extensionIn(item, at, problems), at };
  });
  const entries = parts.flatMap(({ at, item }) =>
    Object.entries(item).map(([key, operation]) => ({ key, operation, own: [...at, key] })),
  );
  return entries.flatMap(({ key, operation, own }): readonly Operation[] => {
    const method = VERB_KEYS.get(key);
    if (method === undefined) return [];
    if (!isObject(operation)) return refuse(own, 'must be a mapping');
    if (Object.hasOwn(operation, '$ref'))
      return refuse([...own, '$ref'], 'an operation cannot be a reference: write it out');
    const said = extensionIn(operation, own, problems);
    const requirement = requirementOf([level, ...onPath, { said, at: own }], problems);
    // The $default route of an HTTP API gets every request that no other route matches.
    const isDefault = path === '/$default' && operation.isDefaultRoute === true;
    const tail = isDefault ? '/{proxy+}' : path;
    return [
      {
        method,
        path: tail === '/' ? basePath || '/' : `${basePath}${tail}`,
        at: own,
        requirement,
        isGuarded: isGuarded(operation),
      },
    ];
  });
}

/** The path item, which may refer to another part of the document: then both are parts of it. */
function followed(document: JsonObject, at: Path, written: JsonObject) {
  const parts: readonly { readonly at: Path; readonly item: JsonObject }[] = [{ at, item: written }];
  const none = { parts, problem: undefined };
  const reference = written.$ref;
  if (reference === undefined) return none;
  const refused = (problem: string) => ({ ...none, problem });
  if (typeof reference !== 'string' || !reference.startsWith('#/'))
    return refused(`${reference} is in another file: bundle the documents into one first`);
  const steps = pathOf(reference.slice(1));
  let found: unknown = document;
  for (const step of steps) found = isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  if (!isObject(found)) return refused(`${reference} leads nowhere`);
  if (found.$ref !== undefined) return refused(`${reference} is a reference itself`);
  // OpenAPI leaves open which of two counts, and it must not be the weaker one.
  const isOne = (key: string) => key === EXTENSION || VERB_KEYS.has(key);
  const twice = Object.keys(written).filter((key) => isOne(key) && Object.hasOwn(found, key));
  if (twice.length > 0)
    return refused(`${reference} has ${twice.join(', ')}, as the path itself: leave one out`);
  return { ...none, parts: [...parts, { at: steps, item: found }] };
}

/** A path of the server is a stage or a part of every path: only its owner knows. API Gateway's own is a stage. */
function baseNotes(servers: readonly JsonObject[], basePath: string): readonly string[] {
  if (basePath !== '') return [];
  const paths = servers
    .map(({ url }) => String(url).replace(/^[a-z+.-]+:\/\/[^/]*/i, ''))
    .filter((path) => path.length > 1 && path !== '/{basePath}');
  return [...new Set(paths)].map(
    (path) =>
      `the server's path ${path} is left out, as a stage is; if requests come with it, give it: --base-path ${path.replace(/\/$/, '')}`,
  );
}
