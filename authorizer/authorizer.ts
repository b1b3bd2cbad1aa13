import type { Bearer, Clock, Engine } from '../engine/index.ts';
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
import { resolve } from './routes/resolve.ts';
import type { RouteTable } from './routes/route-table.ts';
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
  readonly engine: Pick<Engine, 'check' | 'isGood' | 'rolesOf'>;
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

/** A throw becomes a rejection: it must not leave the rejection of the other answer without a listener. */
const settled = async <T>(ask: () => T | Promise<T>): Promise<T> => ask();

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
  async function identify(request: GatewayRequest): Promise<Identity> {
    const credentials = readCredentials(request);
    const token = readApiToken(credentials);
    if (token) return { ...token, claims: NO_CLAIMS };
    const claims = await authenticate(credentials);
    // First: it may refuse the token, and who it is of may have to be looked up.
    const bearer = bearerOf(claims);
    return { subject: await subjectOf(claims), bearer, claims };
  }

  /** For an answer without a check: whoever comes with what is not theirs, or not any more, gets none. */
  async function refuseBad(subject: string, bearer: Bearer | undefined): Promise<void> {
    if (bearer && !(await engine.isGood(subject, bearer))) throw new CredentialsError('token_refused');
  }

  /** The policy for the whole API, where there can be one. */
  async function answerWhole(request: GatewayRequest, who: Identity): Promise<Answer | undefined> {
    const { subject, bearer, claims } = who;
    if (!wholePolicy || subject === undefined || !takesPolicy(request, httpAnswer)) return undefined;
    const called = parseMethodArn(request.arn);
    // An ARN of another form than the path would not be what API Gateway holds the policy against.
    if (called?.path !== request.path) return undefined;
    await refuseBad(subject, bearer);
    const resources = await wholePolicy(subject, claims, await routes.rules(), called.base);
    return resources && toWholePolicy(subject, resources);
  }

  async function decide(request: GatewayRequest, who: Identity): Promise<Verdict> {
    const { subject, bearer, claims } = who;
    if (subject === undefined) return { allowed: false, reason: 'subject_unknown' };

    const found = match(await routes.rules(), request.method, request.path);
    if (found === undefined) {
      await refuseBad(subject, bearer);
      return { allowed: false, reason: 'route_unmapped', subject };
    }

    const route = found.rule.id;
    const question = resolve(found, { claims, header: request.header, query: request.query });
    if (question === undefined) {
      await refuseBad(subject, bearer);
      return { allowed: false, reason: 'route_unresolved', subject, route };
    }

    // Asked together, so that what neither finds in the cache is read once for both.
    const at = clock.now();
    const { permission, scope } = question;
    const [{ allowed, reason }, standing] = await Promise.all([
      settled(() => engine.check(subject, permission, scope, { at, bearer })),
      settled(() => engine.rolesOf(subject, scope, { at })),
    ]);
    if (reason === 'bearer_refused') throw new CredentialsError('token_refused');
    const asked = { subject, route, permission, scope };
    if (!allowed) return { allowed: false, reason, ...asked };
    if (standing === undefined) return { allowed: false, reason: 'standing_unknown', ...asked };
    return { allowed: true, reason, ...asked, tenant: standing.root, roles: standing.roles };
  }

  return async (event, invocation) => {
    try {
      const request = readEvent(event);
      const who = await identify(request);
      const whole = await answerWhole(request, who);
      if (whole) {
        count('policy', 'api');
        return whole;
      }
      const verdict = await decide(request, who);
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
