import type { Admission, Bearer, Clock, Engine } from '../engine/index.ts';
import { type Answer, takesPolicy, toAnswer, toWholePolicy } from './answers/answer.ts';
import type { Verdict } from './answers/verdict.ts';
import type { HttpAnswer } from './configuration.ts';
import { CredentialsError } from './errors.ts';
import { parseMethodArn } from './events/arn.ts';
import { readEvent, requestIdOf } from './events/read-event.ts';
import type { GatewayRequest } from './events/request.ts';
import { faultLine, refusedLine } from './log.ts';
import type { Count } from './metrics.ts';
import type { createWholePolicy } from './policy/whole.ts';
import { match } from './routes/match.ts';
import { hintsFor, resolve } from './routes/resolve.ts';
import type { RouteTable } from './routes/route-table.ts';
import type { RouteRule } from './routes/rule.ts';
import type { SubjectOf } from './subject.ts';
import type { ReadApiToken } from './token/api-token.ts';
import { type Authenticate, NO_CLAIMS, type VerifiedClaims } from './token/authentication.ts';
import { createReadCredentials, type ReadCredentials } from './token/credentials.ts';
import type { BearerOf } from './token/revocation.ts';

export interface AuthorizerParts {
  /** Where a request's token stands; in the Authorization header, unless given. */
  readonly readCredentials?: ReadCredentials;
  /** Looks first: what is no API token is a JWT. */
  readonly readApiToken: ReadApiToken;
  readonly bearerOf: BearerOf;
  readonly authenticate: Authenticate;
  readonly subjectOf: SubjectOf;
  readonly routes: Pick<RouteTable, 'rules'>;
  readonly engine: Pick<Engine, 'admit' | 'isGood'>;
  readonly clock: Clock;
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

interface Identity {
  readonly subject: string | undefined;
  readonly bearer: Bearer | undefined;
  readonly claims: VerifiedClaims;
}

/** A promise where there is one to wait for: what is at hand costs no turn of the queue. */
type Soon<T> = T | Promise<T>;

/** What the engine is asked for a request. */
interface Asked {
  readonly subject: string;
  readonly route: string;
  readonly permission: string;
  readonly scope: string;
}

function toVerdict(asked: Asked, { decision: { allowed, reason }, standing }: Admission): Verdict {
  if (reason === 'bearer_refused') throw new CredentialsError('token_refused');
  const { subject, route, permission, scope } = asked;
  if (!allowed) return { allowed: false, reason, subject, route, permission, scope };
  if (standing === undefined)
    return { allowed: false, reason: 'standing_unknown', subject, route, permission, scope };
  const { root: tenant, roles } = standing;
  return { allowed: true, reason, subject, route, permission, scope, tenant, roles };
}

/**
 * The enforcement point. A deny is an answer (403). Bad credentials throw 'Unauthorized', the one message that
 * API Gateway turns into 401; any fault throws another, which becomes 500. There is no way from an error to
 * an Allow. Nothing is read for a request before its JWT was verified; an API token is verified by what is read.
 */
export function createAuthorizer(parts: AuthorizerParts): Authorizer {
  const { readApiToken, bearerOf, authenticate, subjectOf, routes, engine, clock, log, httpAnswer } = parts;
  const { readCredentials = createReadCredentials() } = parts;
  const { wholePolicy, count = () => undefined } = parts;

  /** Who asks, what they come with, and what is said of them. */
  function identify(request: GatewayRequest): Soon<Identity> {
    const credentials = readCredentials(request);
    const token = readApiToken(credentials);
    if (token) return { subject: token.subject, bearer: token.bearer, claims: NO_CLAIMS };
    const claims = authenticate(credentials);
    return claims instanceof Promise ? claims.then(identityOf) : identityOf(claims);
  }

  function identityOf(claims: VerifiedClaims): Soon<Identity> {
    // First: it may refuse the token, and who it is of may have to be looked up.
    const bearer = bearerOf(claims);
    const found = subjectOf(claims);
    return found instanceof Promise
      ? found.then((subject) => ({ subject, bearer, claims }))
      : { subject: found, bearer, claims };
  }

  /** For an answer without a check: whoever comes with what is not theirs, or not any more, gets none. */
  async function refuseBad(subject: string, bearer: Bearer | undefined): Promise<void> {
    if (bearer && !(await engine.isGood(subject, bearer))) throw new CredentialsError('token_refused');
  }

  /** The policy for the whole API, where there can be one. */
  async function answerWhole(request: GatewayRequest, who: Identity): Promise<Answer | undefined> {
    const { subject, bearer, claims } = who;
    if (!wholePolicy || subject === undefined) return undefined;
    const called = parseMethodArn(request.arn);
    // An ARN of another form than the path would not be what API Gateway holds the policy against.
    if (called?.path !== request.path) return undefined;
    await refuseBad(subject, bearer);
    const resources = await wholePolicy(subject, claims, await routes.rules(), called.base);
    return resources && toWholePolicy(subject, resources);
  }

  function decide(request: GatewayRequest, who: Identity): Soon<Verdict> {
    if (who.subject === undefined) return { allowed: false, reason: 'subject_unknown' };
    const { subject } = who;
    const rules = routes.rules();
    return rules instanceof Promise
      ? rules.then((loaded) => decideBy(loaded, request, who, subject))
      : decideBy(rules, request, who, subject);
  }

  function decideBy(
    rules: readonly RouteRule[],
    request: GatewayRequest,
    { bearer, claims }: Identity,
    subject: string,
  ): Soon<Verdict> {
    const found = match(rules, request.method, request.path);
    if (found === undefined) {
      const unmapped: Verdict = { allowed: false, reason: 'route_unmapped', subject };
      return refuseBad(subject, bearer).then(() => unmapped);
    }
    const route = found.rule.id;
    const sources = { claims, header: request.header, query: request.query };
    const question = resolve(found, sources);
    if (question === undefined) {
      const unresolved: Verdict = { allowed: false, reason: 'route_unresolved', subject, route };
      return refuseBad(subject, bearer).then(() => unresolved);
    }
    const asked: Asked = { subject, route, permission: question.permission, scope: question.scope };
    // Filled when the engine asks for them: what it has cached needs none.
    const hints = found.rule.hints.length > 0 ? () => hintsFor(found, sources) : undefined;
    const admission = engine.admit(subject, asked.permission, asked.scope, {
      at: clock.now(),
      bearer,
      hints,
    });
    return admission instanceof Promise
      ? admission.then((made) => toVerdict(asked, made))
      : toVerdict(asked, admission);
  }

  return async (event, invocation) => {
    try {
      const request = readEvent(event);
      const identity = identify(request);
      const who = identity instanceof Promise ? await identity : identity;
      const whole =
        wholePolicy && takesPolicy(request, httpAnswer) ? await answerWhole(request, who) : undefined;
      if (whole) {
        count('policy', 'api');
        return whole;
      }
      const decided = decide(request, who);
      const verdict = decided instanceof Promise ? await decided : decided;
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
