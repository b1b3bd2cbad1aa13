import { CredentialsError } from '../authorizer/errors.ts';
import type { Answer, Engine, Given, LoggedDecision, Question, Reason } from '../engine/index.ts';
import type { VisibleRows } from '../engine/rows/index.ts';
import { isId } from '../table/identifiers.ts';
import type { Properties } from '../table/properties.ts';
import { parseScopeTemplate, type TemplatePart } from '../table/route-template.ts';
import { keepAuthorization, visibleTo } from './authorization.ts';
import {
  type Caller,
  type CallerOptions,
  createCallers,
  invalidOption,
  isText,
  type MaybePromise,
  type OfRequest,
  type RequestOr,
} from './caller.ts';
import { type HttpAnswer, type HttpRequest, ownValue } from './http.ts';
import { problem, refusedTarget } from './problem.ts';

export interface GuardOptions<R> extends CallerOptions<R> {
  /** Where it has a decision log, what the guard refuses without asking is logged, too. */
  readonly engine: Pick<Engine, 'checkAsked' | 'decisionLog'>;
  /** Lists of rows, for `authorizationOf(request).visible`. Default: none. */
  readonly visibleRows?: VisibleRows | undefined;
  /** Whether the body of a 403 names the engine's reason. Default: no. */
  readonly showReason?: boolean | undefined;
  /** Epoch milliseconds, for `context.time`. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** The permission that a request needs: by name, or a function of the request. */
export type What<R, Permission extends string> =
  | Permission
  | OfRequest<R, MaybePromise<Permission | null | undefined>>;

/**
 * The scope that a request is about: a function of the request that answers a reference (`location:01J…`), or
 * a template as in routes: `location:{id}` takes a path parameter, `tenant:{claim:tenant_id}`,
 * `location:{header:x-location}` and `location:{query:at}` take what their names say.
 */
export type Where<R> = string | OfRequest<R, MaybePromise<string | null | undefined>>;

export interface RouteOptions<R> {
  /**
   * What conditions look at beside the request: the application's own object as `resource` (`type`, `id`,
   * `properties`), `action` and `subject` properties, and more names of `context`. Those that the guard gives
   * (`ip`, `time`, `method`, `path`, `userAgent`, `claims`) cannot be replaced, also where they are missing.
   */
  readonly given?: OfRequest<R, MaybePromise<Given | undefined>> | undefined;
}

/** What a route asks, checked when it is defined. */
interface Route<R> {
  readonly what: string | OfRequest<R, MaybePromise<string | null | undefined>>;
  readonly where: readonly TemplatePart[] | OfRequest<R, MaybePromise<string | null | undefined>>;
  readonly given: RouteOptions<R>['given'];
}

/** @throws GatehouseError `invalid` on `what` or `where` */
function routeOf<R>(what: What<R, string>, where: Where<R>, { given }: RouteOptions<R> = {}): Route<R> {
  if (typeof what !== 'function' && !isText(what)) throw invalidOption('what', 'a permission or a function');
  if (given !== undefined && typeof given !== 'function') throw invalidOption('given', 'a function');
  if (typeof where === 'function') return { what, where, given };
  if (!isText(where)) throw invalidOption('where', 'a scope, a template or a function');
  return { what, where: parseScopeTemplate(where, 'where'), given };
}

/**
 * Decides one request of a route. Undefined lets it through, with its decision kept for
 * `authorizationOf(request)`; anything else is answered. It never throws.
 */
type Decide = (request: unknown, http: HttpRequest) => Promise<HttpAnswer | undefined>;

/**
 * The core of all guards, as the authorizer decides: the request line (400), the caller (401), then the
 * permission and the scope, then the engine (403). A missing or malformed scope or permission is a 403.
 * Whatever is thrown is a 503. The engine verifies an API token with the decision, in one read: functions of
 * the application are called before that.
 *
 * @typeParam Default what functions of the application get if they do not say
 * @param middleware makes what a framework calls of what decides the requests of one route
 * @throws GatehouseError `invalid` for options that are missing or of a wrong type
 */
export function createGuards<Permission extends string, R, Default, Middleware>(
  options: GuardOptions<R>,
  middleware: (decide: Decide) => Middleware,
) {
  type Request = RequestOr<R, Default>;
  const { engine, visibleRows, showReason = false, now = Date.now } = options;
  if (typeof engine?.checkAsked !== 'function') throw invalidOption('engine', 'an engine');
  if (visibleRows !== undefined && typeof visibleRows !== 'function')
    throw invalidOption('visibleRows', 'what createVisibleRows answers');
  const { identify, answerTo } = createCallers(options as CallerOptions<Request>);

  async function answerOf(
    route: Route<Request>,
    request: Request,
    http: HttpRequest,
  ): Promise<HttpAnswer | undefined> {
    const refused = refusedTarget(http);
    if (refused) return refused;
    const caller = await identify(request, http);
    const { actor, credential, claims = {} } = caller;
    const { what, where } = route;
    const permission = textOf(typeof what === 'function' ? await what(request) : what);
    const scope = textOf(
      typeof where === 'function'
        ? await where(request)
        : filled(where, (part) => valueFor(part, http, claims)),
    );
    const given = givenOf(http, caller, await route.given?.(request), now());
    const asked = { permission, scope, given };
    const answered = await engine.checkAsked((look) => questionOf(caller, asked, look));
    const { decision, roles } = answered;
    if (decision?.reason === 'credential_refused') throw new CredentialsError('token_refused');
    const { subject } = answered.question;
    if (!decision?.allowed || roles === undefined) {
      const reason = reasonOf(answered, scope);
      if (!decision) logRefusal(engine, { subject, actor, permission, scope, reason });
      return problem(403, { reason: showReason ? reason : undefined });
    }
    keepAuthorization(request as object, {
      subject,
      actor,
      permission: permission as string,
      scope: scope as string,
      ...roles,
      reason: decision.reason,
      claims,
      visible: visibleTo(visibleRows, { subject, actor, credential, given }),
    });
    return undefined;
  }

  return (
    what: What<Request, Permission>,
    where: Where<Request>,
    given?: RouteOptions<Request>,
  ): Middleware => {
    const route = routeOf(what, where, given);
    return middleware((request, http) => answerOf(route, request as Request, http).catch(answerTo));
  };
}

/** What is asked about a caller; without a scope or a permission only the credential is checked. */
interface Asked {
  readonly permission: string | undefined;
  readonly scope: string | undefined;
  readonly given: Given;
}

/** The question about a caller; `subject` is empty for claims that name nobody. */
export function questionOf(
  { subject: named, credential, groups, actor }: Caller,
  { permission, scope, given }: Asked,
  look: Parameters<Exclude<Caller['subject'], string>>[0],
): Question | undefined {
  const subject = typeof named === 'function' ? named(look) : named;
  if (subject === undefined) return undefined;
  if (subject === null) return { subject: '', permission: undefined, scope: undefined };
  const isWhole = permission !== undefined && scope !== undefined;
  return isWhole
    ? { subject, credential, groups, actor, permission, scope, given }
    : { subject, credential, actor, permission: undefined, scope: undefined };
}

/** Logs what the engine was not asked. A subject that is empty is nobody. */
export function logRefusal(
  { decisionLog }: Pick<Engine, 'decisionLog'>,
  { subject, ...line }: Omit<LoggedDecision, 'kind' | 'allowed'>,
): void {
  try {
    decisionLog?.log({ ...line, kind: 'check', subject: subject || undefined, allowed: false });
  } catch {}
}

/** Why a request is refused; where the engine was not asked, the step that it would have failed. */
export function reasonOf({ decision, question }: Answer<Question>, scope: string | undefined): Reason {
  if (decision) return decision.reason;
  if (question.subject === '') return 'subject_unknown';
  return scope === undefined ? 'scope_unknown' : 'permission_unknown';
}

const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined);

/**
 * What conditions may look at of a request, as the authorizer gives it. Of headers only `User-Agent`. What is
 * verified replaces what the application gives under the same name.
 */
export function givenOf(
  http: HttpRequest,
  { claims }: Caller,
  given: Given | undefined,
  at: number,
): Given & { readonly context: Properties } {
  const { ip, route } = http;
  const { method, path } = route;
  const [userAgent] = http.header('user-agent');
  return {
    ...given,
    context: { ...given?.context, ip, time: new Date(at), method, path, userAgent, claims },
  };
}

/** What a template takes from a request. */
type Parameter = Exclude<TemplatePart, { kind: 'literal' }>;

/** Fills in a scope template. A value that is missing, that is not one text, or not an id gives undefined. */
export function filled(
  parts: readonly TemplatePart[],
  valueFor: (parameter: Parameter) => unknown,
): string | undefined {
  let text = '';
  for (const part of parts) {
    const value = part.kind === 'literal' ? part.text : valueFor(part);
    if (typeof value !== 'string' || (part.kind !== 'literal' && !isId(value))) return undefined;
    text += value;
  }
  return text;
}

function valueFor({ kind, name }: Parameter, http: HttpRequest, claims: Caller['claims']): unknown {
  if (kind === 'path') return http.parameter(name);
  if (kind === 'claim') return ownValue(claims, name);
  if (kind === 'query') return http.query(name);
  const [value, ...others] = http.header(name);
  return others.length === 0 ? value : undefined;
}
