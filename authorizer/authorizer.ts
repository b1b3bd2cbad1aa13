import type { Answer as Answered, Ask, Engine, Question } from '../engine/index.ts';
import type { Kind } from '../engine/items.ts';
import type { Refusal, Verdict } from './answer.ts';
import { type Answer, takesPolicy, toAnswer, toWholePolicy } from './answer.ts';
import type { HttpAnswer } from './configuration.ts';
import type { Identify, Identity } from './credentials/identity.ts';
import { CredentialsError } from './errors.ts';
import { parseMethodArn } from './events/arn.ts';
import { readEvent, requestIdOf } from './events/read-event.ts';
import type { GatewayRequest } from './events/request.ts';
import { faultLine, refusedLine } from './log.ts';
import type { Count } from './metrics.ts';
import type { OutsideKey } from './outside-key.ts';
import type { createWholePolicy } from './policies/whole.ts';
import { apiRoutesId } from './routes/api-routes.ts';
import { prefetchedScopes, resolve } from './routes/resolve.ts';
import { match, type RouteRule } from './routes/rule.ts';
import type { SubjectOf } from './subject.ts';

export interface AuthorizerParts {
  /** Verifies the credentials of a request. */
  readonly identify: Identify;
  readonly subjectOf: SubjectOf;
  /** The API that it stands before, and how its routes are read. */
  readonly api: string;
  readonly apiRoutes: Kind<readonly RouteRule[]>;
  readonly engine: Pick<Engine, 'checkAsked'>;
  /** What an answer to a request, by a rule, rests on outside of the key under which API Gateway caches it. */
  readonly outsideKey: OutsideKey;
  /** Takes one line of JSON. */
  readonly log: (line: string) => void;
  readonly httpAnswer: HttpAnswer;
  /** Policies for the whole API; undefined where each answer is to be for its route alone. */
  readonly wholePolicy?: ReturnType<typeof createWholePolicy> | undefined;
  /** Told how each request ended. */
  readonly count?: Count;
}

/** A Lambda authorizer: an event of API Gateway in, an answer for it out. */
export type Authorizer = (event: unknown, invocation?: Invocation) => Promise<Answer>;

/** What is used of Lambda's context: the id of the invocation, where the event holds none of the request. */
export interface Invocation {
  readonly awsRequestId?: string;
}

/** The question that a request is, or why there is none. */
interface RequestQuestion extends Question {
  readonly route?: string | undefined;
  readonly refusal?: Refusal | 'subject_unknown' | undefined;
}

/**
 * The enforcement point. A deny is an answer (403). Bad credentials throw 'Unauthorized', the one message that
 * API Gateway turns into 401; any fault throws another, which becomes 500. There is no way from an error to
 * an Allow. Nothing is read for a request before its JWT was verified; an API token is verified by what is read.
 */
export function createAuthorizer(parts: AuthorizerParts): Authorizer {
  const { identify, subjectOf, engine, log, httpAnswer } = parts;
  const { apiRoutes, outsideKey, wholePolicy, count = () => undefined } = parts;
  const routesId = apiRoutesId(parts.api);

  /** The question of a request, as it follows from the routes and from whose credentials these are. */
  const askFor =
    (request: GatewayRequest, identity: Identity): Ask<RequestQuestion> =>
    (look) => {
      const { credential, claims } = identity;
      const subject = identity.subject ?? subjectOf(claims, look);
      const rules = look.item(apiRoutes, routesId);
      if (subject === undefined || rules === undefined) return undefined;
      const refused = (refusal: RequestQuestion['refusal'], route?: string): RequestQuestion => ({
        subject: subject ?? '',
        credential: subject === null ? undefined : credential,
        permission: undefined,
        scope: undefined,
        refusal,
        route,
      });
      if (subject === null) return refused('subject_unknown');
      const found = match(rules ?? [], request.method, request.path);
      if (found === undefined) return refused('route_unmapped');
      const route = found.rule.id;
      if (outsideKey(request, found.rule).length > 0) return refused('outside_cache_key', route);
      const named = resolve(found, { claims, header: request.header, query: request.query });
      if (named === undefined) return refused('route_unresolved', route);
      return { subject, credential, ...named, route, prefetch: prefetchedScopes(found, named.scope) };
    };

  /** The policy for the whole API, where there can be one. */
  async function answerWhole(request: GatewayRequest, identity: Identity): Promise<Answer | undefined> {
    const called = parseMethodArn(request.arn);
    // An ARN of another form than the path would not be what API Gateway holds the policy against.
    if (!wholePolicy || called?.path !== request.path || outsideKey(request).length > 0) return undefined;
    const whole = await wholePolicy(identity, called.base);
    if (whole === 'credential_refused') throw new CredentialsError('token_refused');
    return whole && toWholePolicy(whole.subject, whole.resources);
  }

  return async (event, invocation) => {
    try {
      const request = readEvent(event);
      const identity = await identify(request);
      const whole = takesPolicy(request, httpAnswer) ? await answerWhole(request, identity) : undefined;
      if (whole) {
        count('policy', 'api');
        return whole;
      }
      const verdict = toVerdict(await engine.checkAsked(askFor(request, identity)));
      count(verdict.allowed ? 'allowed' : 'denied', 'route');
      return toAnswer(request, verdict, httpAnswer);
    } catch (error) {
      // New errors without a cause: the Lambda runtime prints all that a thrown error holds.
      const requestId = requestIdOf(event) ?? invocation?.awsRequestId;
      if (error instanceof CredentialsError) {
        log(refusedLine(error, requestId));
        count('unauthorized', 'none');
        throw new Error('Unauthorized');
      }
      log(faultLine(error, requestId));
      count('fault', 'none');
      throw new Error('Internal error');
    }
  };
}

/** The outcome of a request. Whoever comes with a credential that is not good gets no answer. */
function toVerdict({ question, decision, roles }: Answered<RequestQuestion>): Verdict {
  if (decision?.reason === 'credential_refused') throw new CredentialsError('token_refused');
  const { subject, route, permission, scope, refusal } = question;
  if (refusal === 'subject_unknown') return { allowed: false, reason: refusal };
  if (refusal !== undefined) return { allowed: false, reason: refusal, subject, ...(route && { route }) };
  const asked = {
    subject,
    ...(route && { route }),
    ...(permission && { permission }),
    ...(scope && { scope }),
  };
  if (!decision?.allowed || roles === undefined)
    return { allowed: false, reason: decision?.reason ?? 'no_grant', ...asked };
  return { allowed: true, reason: decision.reason, ...asked, ...roles };
}
