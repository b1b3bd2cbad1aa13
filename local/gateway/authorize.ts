import { LRUCache } from 'lru-cache';
import { evaluate, INVOKE_ACTION } from '../../authorizer/policies/iam.ts';
import { messageOf } from '../message-of.ts';
import type { AnswerRules, AuthorizerAnswer } from './authorizer-answer.ts';
import { readAnswer } from './authorizer-answer.ts';
import type { Grant } from './event-parts.ts';
import { withTimeout } from './http.ts';
import { type IdentitySource, readIdentity } from './identity-sources.ts';
import type { MatchedRequest } from './request.ts';
import type { Refusal } from './responses.ts';

/** Source of the answer: the cache, the authorizer after a miss, the authorizer without a cache, or none. */
export type AnswerSource = 'hit' | 'miss' | 'off' | 'skipped';

export type Verdict =
  | (Grant & { readonly allowed: true; readonly source: AnswerSource })
  | {
      readonly allowed: false;
      readonly source: AnswerSource;
      readonly refusal: Refusal;
      /** For the log: the value of `$context.authorizer.error`. */
      readonly error?: string;
    };

export interface AuthorizationOptions<Request extends MatchedRequest = MatchedRequest> extends AnswerRules {
  readonly identitySources: readonly IdentitySource[];
  readonly ttlSeconds: number;
  readonly maxCachedAnswers: number;
  readonly timeoutMs: number;
  /** Calls the authorizer with the event of its API's kind. */
  readonly ask: (request: Request, identity: readonly string[]) => Promise<unknown>;
  readonly clock: () => number;
}

/** A policy is evaluated for each request, cached or not; a cached simple verdict applies to any request. */
function decide(answer: AuthorizerAnswer, request: MatchedRequest, source: AnswerSource): Verdict {
  const decision =
    answer.form === 'policy'
      ? evaluate(answer.statements, INVOKE_ACTION, request.arn).decision
      : answer.isAuthorized
        ? 'allow'
        : 'explicit-deny';
  return decision === 'allow'
    ? { allowed: true, source, principalId: answer.principalId, context: answer.context }
    : { allowed: false, source, refusal: decision };
}

/**
 * The authorization of one API: identity sources, cache, call, answer, policy (AG http-api-lambda-authorizer,
 * api-gateway-lambda-authorizer-output, configure-api-gateway-lambda-authorization).
 *
 * Well-formed answers are cached, refusals included, by the values of the identity sources only. This is
 * AWS's rule, and wrong for an authorizer that reads anything else of the request. Errors are never cached.
 */
export function createAuthorization<Request extends MatchedRequest>(
  options: AuthorizationOptions<Request>,
): (request: Request) => Promise<Verdict> {
  const { ask, clock, identitySources, maxCachedAnswers: max, timeoutMs, ttlSeconds } = options;
  // AWS documents no bound in number; here the least recently used answer makes room, so that a flood of
  // tokens cannot fill the memory. An entry counts until its last millisecond has passed, hence one less.
  const cache =
    ttlSeconds > 0
      ? new LRUCache<string, AuthorizerAnswer>({
          max,
          ttl: ttlSeconds * 1_000 - 1,
          ttlResolution: 0,
          perf: { now: clock },
        })
      : undefined;

  return async (request) => {
    const identity = readIdentity(identitySources, request);
    if (!identity) return { allowed: false, source: 'skipped', refusal: 'unauthorized' };
    // As JSON: joined by any separator, ["a,b", "c"] and ["a", "b,c"] would share an answer.
    const key = JSON.stringify(identity);
    const cached = cache?.get(key);
    if (cached) return decide(cached, request, 'hit');

    const source = cache ? 'miss' : 'off';
    let answer: AuthorizerAnswer;
    try {
      const late = `no answer within ${timeoutMs} ms`;
      answer = readAnswer(await withTimeout(ask(request, identity), timeoutMs, late), options);
    } catch (error) {
      const message = messageOf(error);
      const refusal = message === 'Unauthorized' ? 'unauthorized' : 'authorizer-fault';
      return { allowed: false, source, refusal, error: message };
    }
    cache?.set(key, answer);
    return decide(answer, request, source);
  };
}
