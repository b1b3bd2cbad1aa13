import { type DecisionLog, restsOf } from '../engine/decision-log.ts';
import type { Answer as Answered, Ask, Engine, Given, Question } from '../engine/index.ts';
import type { Kind } from '../engine/items.ts';
import type { Log } from '../table/log.ts';
import {
  type Answer,
  outcomeOf,
  type Refusal,
  takesPolicy,
  toAnswer,
  toWholePolicy,
  type Verdict,
} from './answer.ts';
import type { HttpAnswer } from './configuration.ts';
import type { Identify, Identity } from './credentials/identity.ts';
import { CredentialsError, codeOf, faultCodeOf, fieldsOfFault } from './errors.ts';
import { parseMethodArn } from './events/arn.ts';
import { headersOf, readEvent, requestIdOf } from './events/read-event.ts';
import type { GatewayRequest } from './events/request.ts';
import type { BasePaths } from './events/served-path.ts';
import { type Count, type Counted, uncounted } from './metrics.ts';
import type { OutsideKey } from './outside-key.ts';
import type { createWholePolicy } from './policies/whole.ts';
import { apiRoutesId } from './routes/api-routes.ts';
import { prefetchedScopes, type Resolved, resolve } from './routes/resolve.ts';
import {
  isConnection,
  isEncodedTwice,
  isOfOneSpelling,
  isVerb,
  match,
  pathOf,
  type RouteRule,
} from './routes/rule.ts';
import type { SubjectOf } from './subject.ts';
import { type StepSpan, type Trace, untraced } from './trace.ts';

export interface AuthorizerParts {
  /** Verifies the credentials of a request. */
  readonly identify: Identify;
  /** Finds the subject of a JWT's claims. */
  readonly subjectOf: SubjectOf;
  /** The name of the API, and the kind of item that holds its routes. */
  readonly api: string;
  readonly apiRoutes: Kind<readonly RouteRule[]>;
  readonly engine: Pick<Engine, 'checkAsked'>;
  /** Of custom domains of HTTP APIs. */
  readonly basePaths?: BasePaths | undefined;
  /** The inputs of an answer that are not in API Gateway's cache key. */
  readonly outsideKey: OutsideKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Takes each decision; undefined if none is logged. */
  readonly decisionLog?: DecisionLog | undefined;
  /** Whether API Gateway may answer other requests with the answer to this one. Default: yes. */
  readonly isCached?: ((request: GatewayRequest) => boolean) | undefined;
  readonly httpAnswer: HttpAnswer;
  /** Makes policies for the whole API; undefined if each answer is for its route alone. */
  readonly wholePolicy?: ReturnType<typeof createWholePolicy> | undefined;
  /** Counts each request with its outcome. */
  readonly counted?: Counted;
  /** Records the steps of each request. */
  readonly trace?: Trace;
}

/**
 * A Lambda authorizer: takes an authorizer event of API Gateway or AppSync and returns the answer in its
 * format.
 */
export type Authorizer = (event: unknown, invocation?: Invocation) => Promise<Answer>;

/** The part of Lambda's context that is used: the id for log lines if the event has no request id. */
export interface Invocation {
  readonly awsRequestId?: string;
}

/**
 * What conditions may look at of a request: verified parts, and never a header. What an event
 * does not say is missing: a WebSocket and AppSync have neither verb nor path.
 *
 * @param path that of the matched route, in its one spelling
 */
function givenOf({ method, caller }: GatewayRequest, path: string, identity: Identity, at: number): Given {
  const isHttp = isVerb(method);
  return {
    context: {
      ip: caller?.ip,
      time: new Date(at),
      method: isHttp ? method : undefined,
      path: isHttp ? path : undefined,
      userAgent: caller?.userAgent,
      // An API token has none.
      claims: identity.subject === undefined ? identity.claims : undefined,
    },
  };
}

/** The question of a request; or, without a scope, the refusal. */
interface RequestQuestion extends Question {
  readonly route?: string | undefined;
  readonly refusal?: Refusal | 'subject_unknown' | undefined;
}

/** The route of a request with what it requires; or, without `named`, the refusal. */
interface Routed {
  readonly route?: string;
  readonly refusal?: Refusal;
  readonly named?: Resolved;
  /** Its path, in one spelling. */
  readonly path?: string;
  readonly prefetch?: readonly string[];
}

/**
 * The enforcement point. A deny is an answer (403). Invalid credentials throw 'Unauthorized', the message
 * that API Gateway turns into 401; a fault throws another message, which becomes 500. An error never becomes
 * an Allow.
 *
 * A request takes these steps: read the event; verify the credentials; try a policy for the whole API;
 * otherwise find the subject, match the route, fill in its permission and scope, and let the engine decide. A
 * JWT is verified before the first read; an API token is verified by the engine, against its record.
 */
export function createAuthorizer(parts: AuthorizerParts): Authorizer {
  const { identify, subjectOf, engine, log, decisionLog, httpAnswer, basePaths } = parts;
  const { isCached = () => true } = parts;
  const { apiRoutes, outsideKey, wholePolicy, now, counted = uncounted, trace = untraced } = parts;
  const routesId = apiRoutesId(parts.api);

  /** Matches the route and fills in its permission and scope. */
  const routeOf = (request: GatewayRequest, { claims }: Identity, rules: readonly RouteRule[]): Routed => {
    const found = match(rules, request.method, request.path);
    if (found === undefined) return { refusal: 'route_unmapped' };
    const route = found.rule.id;
    if (isEncodedTwice(request.path, found, request.parameters ?? []))
      return { refusal: 'route_unresolved', route };
    if (outsideKey(request, found.rule).length > 0) return { refusal: 'outside_cache_key', route };
    const named = resolve(found, { claims, header: request.header, query: request.query });
    if (named === undefined) return { refusal: 'route_unresolved', route };
    return { route, named, path: pathOf(found), prefetch: prefetchedScopes(found, named.scope) };
  };

  /** Builds the question of a request from the routes and, for an email claim, the subject's look-up. */
  const askFor = (request: GatewayRequest, identity: Identity): Ask<RequestQuestion> => {
    const at = now();
    // Built again after each read, while the routes are the same.
    let known: { readonly rules: readonly RouteRule[]; readonly routed: Routed } | undefined;
    return (look) => {
      const { credential, claims, actor } = identity;
      const subject = identity.subject ?? subjectOf(claims, look);
      const rules = look.item(apiRoutes, routesId);
      if (subject === undefined || rules === undefined) return undefined;
      if (subject === null) return { ...NOTHING_ASKED, subject: '', refusal: 'subject_unknown' };
      // It outlives its token, and nothing of groups and actors is kept with it.
      const mayLast = isConnection(request.method);
      if (actor && mayLast)
        return { ...NOTHING_ASKED, subject, credential, actor, refusal: 'actor_cannot_connect' };
      const mapped = rules ?? NO_RULES;
      if (known?.rules !== mapped)
        known = { rules: mapped, routed: trace('route', () => routeOf(request, identity, mapped)) };
      const { route, refusal, named, path = '', prefetch } = known.routed;
      if (named === undefined) return { ...NOTHING_ASKED, subject, credential, actor, refusal, route };
      const { permission, scope } = named;
      const given = givenOf(request, path, identity, at);
      const groups = mayLast ? undefined : identity.groups;
      return { subject, groups, credential, actor, permission, scope, route, given, prefetch };
    };
  };

  /** The policy for the whole API; undefined if there is none. */
  async function answerWhole(
    policyFor: NonNullable<typeof wholePolicy>,
    request: GatewayRequest,
    identity: Identity,
  ): Promise<Answer | undefined> {
    const called = parseMethodArn(request.arn);
    // API Gateway evaluates the policy against the ARN: its path must be the one that the rules are matched
    // with.
    if (called?.path !== request.path || outsideKey(request).length > 0) return undefined;
    if (!isOfOneSpelling(request.path)) return undefined;
    const whole = await policyFor(identity, called.base);
    if (whole === 'credential_refused') throw new CredentialsError('token_refused');
    return whole && toWholePolicy(whole.subject, whole.resources, identity.actor);
  }

  async function decide(request: GatewayRequest, identity: Identity) {
    const answered = await engine.checkAsked(askFor(request, identity));
    const isOutside = answered.uses.length > 0 && outsideKey(request, undefined, answered.uses).length > 0;
    const verdict = outcomeOf(request, toVerdict(answered, isOutside), httpAnswer);
    const { tenant, uses, question } = answered;
    return { verdict: withCredential(request, identity, verdict), tenant, uses, groups: question.groups };
  }

  const authorize = async (
    event: unknown,
    invocation: Invocation | undefined,
    span: StepSpan | undefined,
    count: Count,
  ): Promise<Answer> => {
    // API Gateway's id of the request, or Lambda's of the invocation.
    const requestId = () => requestIdOf(event) ?? invocation?.awsRequestId;
    const logged =
      (kind: 'request' | 'policy') =>
      ({ verdict, tenant, uses, groups }: Awaited<ReturnType<typeof decide>>): void => {
        if (!decisionLog) return;
        const rests = restsOf(uses, groups !== undefined);
        decisionLog.log({ ...verdict, kind, tenant, rests, requestId: requestId() });
      };
    try {
      const request = readEvent(event, basePaths);
      const identity = await identify(request);
      const whole =
        wholePolicy && mayBeWhole(identity) && takesPolicy(request, httpAnswer)
          ? await answerWhole(wholePolicy, request, identity)
          : undefined;
      if (whole) {
        span?.note({ 'gatehouse.outcome': 'policy' });
        // What the policy says of this request. The policy is answered, whether or not this can be read.
        if (decisionLog)
          await decide(request, identity).then(
            logged(isCached(request) ? 'policy' : 'request'),
            () => undefined,
          );
        count({ outcome: 'policy', decisions: 1 });
        return whole;
      }
      const decided = await decide(request, identity);
      logged('request')(decided);
      const { verdict, tenant } = decided;
      span?.note(attributesOf(verdict));
      count({ outcome: verdict.reason, decisions: 1, allowed: verdict.allowed ? 1 : 0, tenant });
      return toAnswer(request, verdict, httpAnswer);
    } catch (error) {
      span?.fail(error);
      span?.note({ 'gatehouse.outcome': error instanceof CredentialsError ? 'unauthorized' : 'fault' });
      // New errors without a cause: the Lambda runtime logs all properties of a thrown error.
      if (error instanceof CredentialsError) {
        // Lambda counts the thrown error as one of the function; this line tells it from a fault.
        log.info('credentials refused', { requestId: requestId(), ...codeOf(error) });
        count({ outcome: 'unauthorized' });
        throw new Error('Unauthorized');
      }
      log.error('request failed', { requestId: requestId(), ...fieldsOfFault(error) });
      count({ outcome: faultCodeOf(error), isFault: true });
      throw new Error('Internal error');
    } finally {
      // Before the answer: afterwards Lambda may stop the process at any time.
      decisionLog?.end();
    }
  };

  return (event, invocation) =>
    trace(
      'authorize',
      (span) => counted((count) => authorize(event, invocation, span, count)),
      headersOf(event),
    );
}

const NO_RULES: readonly RouteRule[] = [];

const NOTHING_ASKED = { permission: undefined, scope: undefined } as const;

/** A policy for the whole API follows from what the table says a caller may use at most: not from groups of a token. */
const mayBeWhole = ({ groups }: Identity): boolean => groups === undefined;

/** Names the credential of a connection, which outlives its request: live revocation asks about it again. */
const withCredential = ({ kind }: GatewayRequest, { credential }: Identity, verdict: Verdict): Verdict =>
  kind === 'websocket' && verdict.allowed ? { ...verdict, credential: credential?.ref ?? 'none' } : verdict;

/** What a span says of a decision: codes, and the id of the route. */
const attributesOf = ({ allowed, reason, route }: Verdict) => ({
  'gatehouse.outcome': allowed ? 'allowed' : 'denied',
  'gatehouse.reason': reason,
  ...(route && { 'gatehouse.route': route }),
});

/**
 * The outcome of a request.
 *
 * @param isOutside whether the conditions that decided look at what API Gateway does not cache by: an allow and
 *   a deny are then each another request's too
 * @throws CredentialsError `token_refused` if the engine refused the credential
 */
function toVerdict({ question, decision, roles }: Answered<RequestQuestion>, isOutside: boolean): Verdict {
  if (decision?.reason === 'credential_refused') throw new CredentialsError('token_refused');
  const { subject, actor, route, permission, scope, refusal } = question;
  if (refusal === 'subject_unknown') return { allowed: false, reason: refusal };
  if (refusal !== undefined) return { allowed: false, reason: refusal, subject, actor, route };
  const allowed = decision?.allowed === true && roles !== undefined && !isOutside;
  const reason = isOutside ? 'outside_cache_key' : (decision?.reason ?? 'no_grant');
  return { allowed, reason, subject, actor, route, permission, scope, ...(allowed && roles) };
}
