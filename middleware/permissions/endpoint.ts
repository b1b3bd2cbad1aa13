import { CredentialsError } from '../../authorizer/errors.ts';
import type { AnswersAsked, Engine, Question } from '../../engine/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { allOf } from '../../table/index-queries.ts';
import { parseKey } from '../../table/keys.ts';
import type { Page, Reader } from '../../table/reader.ts';
import { type Caller, type CallerOptions, createCallers, invalidOption, isText } from '../caller.ts';
import { givenOf, questionOf } from '../guard.ts';
import type { HttpAnswer, HttpRequest } from '../http.ts';
import { problem, refusedTarget } from '../problem.ts';
import { type Body, MAX_BODY } from './body.ts';
import { readQuestion } from './question.ts';

export interface PermissionsOptions<R> extends CallerOptions<R> {
  readonly engine: Pick<Engine, 'checkAsked' | 'checkManyAsked'>;
  /** Lists the registered permissions. */
  readonly reader: Pick<Reader, 'list'>;
  /** Epoch milliseconds. Must be that of the engine. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * What a caller may do at a scope, to draw with and never to enforce: nothing that a client does with it is
 * checked. Instants are in epoch milliseconds of the server's clock.
 */
export interface Snapshot {
  readonly subject: string;
  readonly scope: string;
  /** The permissions that are allowed, whatever the request or an object of the application is like. */
  readonly permissions: readonly string[];
  /** Those for which a condition decides that looks at the request or at an object: ask for each (POST). */
  readonly ask: readonly string[];
  /** Before the first decision. `expiresAt - issuedAt` is how long the snapshot holds, on any clock. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** More permissions follow: `&cursor=` gives them. */
  readonly cursor?: string | undefined;
}

/** Answers one request. It never throws. */
export type PermissionsEndpoint<R> = (
  request: R,
  http: HttpRequest,
  readBody: () => Promise<Body>,
) => Promise<HttpAnswer>;

/** Registered permissions that one answer decides: two items each, so at most ten calls that read. */
const PERMISSIONS_PER_PAGE = 400;

/** Any of these is the same for every permission. */
const HOPELESS = /^(?:subject|scope)_/;

/** All registered pages and permissions, from an index: one registered just now may be missing. */
const REGISTERED = { ...allOf('page'), ranges: [...allOf('page').ranges, ...allOf('permission').ranges] };

/**
 * The permissions endpoint, in no framework. `GET ?scope=type:id` answers a {@link Snapshot}, at most 400
 * registered permissions at a time. `POST` with `permission`, `scope` and, for conditions, `resource` and
 * `action` answers `{ allowed }`. Errors are problem details: 400, 401, 403 (claims that name nobody), 405,
 * 413 and 503. A scope or permission that does not exist is not an error: nothing is allowed there.
 *
 * @throws GatehouseError `invalid` for options that are missing or of a wrong type
 */
export function createPermissionsEndpoint<R>(options: PermissionsOptions<R>): PermissionsEndpoint<R> {
  const { engine, reader, now = Date.now } = options;
  if (typeof engine?.checkManyAsked !== 'function') throw invalidOption('engine', 'an engine');
  if (typeof reader?.list !== 'function') throw invalidOption('reader', 'a reader of the table');
  const { identify, answerTo } = createCallers(options);

  /** Decides the caller's credential, and the permissions for no object in particular. */
  const decide = (caller: Caller, scope: string, permissions: readonly string[]) => {
    // An object without properties: then `uses` names every property of an object that a condition looks at.
    const given = { resource: {} };
    const asked = [undefined, ...permissions].map((permission) => ({ permission, scope, given }));
    return engine.checkManyAsked(
      asked.map((each) => (look) => questionOf(caller, each, look)),
      { logAs: 'action search' },
    );
  };

  async function snapshot(caller: Caller, http: HttpRequest): Promise<HttpAnswer> {
    const scope = http.query('scope');
    if (!isText(scope)) return problem(400, { detail: 'scope must be given once, as type:id' });
    const issuedAt = now();
    const page = await listRegistered(reader, http.query('cursor'));
    if (page === undefined) return problem(400, { detail: 'cursor is not one of this endpoint' });
    const names = page.items;
    const { answers, expiresAt } = await decide(caller, scope, names);
    const [who, ...decided] = answers as [AnswersAsked<Question>['answers'][number], ...typeof answers];
    if (answers.some(({ decision }) => decision?.reason === 'credential_refused'))
      throw new CredentialsError('token_refused');
    const { subject } = who.question;
    if (subject === '') return problem(403);
    const isHopeless = decided.some(({ decision }) => HOPELESS.test(decision?.reason ?? ''));
    const ask = names.filter((_, at) => (decided[at]?.uses.length ?? 0) > 0);
    const isSettled = (at: number): boolean => decided[at]?.uses.length === 0;
    const permissions = names.filter((_, at) => isSettled(at) && decided[at]?.decision?.allowed);
    const cursor = isHopeless ? undefined : page.cursor;
    const answer = { subject, scope, permissions, ask, issuedAt, expiresAt: Math.floor(expiresAt), cursor };
    return json(answer satisfies Snapshot);
  }

  async function question(
    caller: Caller,
    http: HttpRequest,
    readBody: () => Promise<Body>,
  ): Promise<HttpAnswer> {
    const asked = readQuestion(await readBody());
    if (asked === 413) return problem(413, { detail: `the body is larger than ${MAX_BODY} bytes` });
    if (asked === 400) return problem(400, { detail: 'the body is not a question about a permission' });
    const { permission, scope, resource, action } = asked;
    const given = givenOf(http, caller, { resource, action }, now());
    const { decision } = await engine.checkAsked((look) =>
      questionOf(caller, { permission, scope, given }, look),
    );
    if (decision?.reason === 'credential_refused') throw new CredentialsError('token_refused');
    return json({ allowed: decision?.allowed === true });
  }

  async function answer(request: R, http: HttpRequest, readBody: () => Promise<Body>): Promise<HttpAnswer> {
    const refused = refusedTarget(http);
    if (refused) return refused;
    const isRead = http.method === 'GET' || http.method === 'HEAD';
    if (!isRead && http.method !== 'POST')
      return problem(405, { detail: 'this path takes GET and POST' }, { Allow: 'GET, HEAD, POST' });
    const caller = await identify(request, http);
    return isRead ? snapshot(caller, http) : question(caller, http, readBody);
  }

  return (request, http, readBody) => answer(request, http, readBody).catch(answerTo);
}

/** A page of the names of registered permissions; undefined if the cursor is of another list. */
async function listRegistered(
  reader: Pick<Reader, 'list'>,
  cursor: unknown,
): Promise<Page<string> | undefined> {
  if (cursor !== undefined && typeof cursor !== 'string') return undefined;
  try {
    const page = await reader.list({ ...REGISTERED, limit: PERMISSIONS_PER_PAGE, cursor });
    const items = page.items.flatMap((item) => {
      const key = parseKey(item);
      return key?.form === 'node' ? [key.id] : [];
    });
    return { ...page, items };
  } catch (error) {
    if (error instanceof GatehouseError && error.field === 'cursor') return undefined;
    throw error;
  }
}

/** For nobody but the caller, and not to be kept by anything between. */
const json = (value: object): HttpAnswer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store' },
  body: JSON.stringify(value),
});
