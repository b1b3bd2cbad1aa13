import type { HttpAnswer } from '../configuration.ts';
import { parseMethodArn } from '../events/arn.ts';
import type { GatewayRequest } from '../events/request.ts';
import { type Context, contextOf, type Verdict } from './verdict.ts';

/** `{isAuthorized, context}`, for an HTTP API with simple responses on (AG http-api-lambda-authorizer). */
export interface SimpleAnswer {
  readonly isAuthorized: boolean;
  readonly context: Context;
}

/** An IAM policy (AG api-gateway-lambda-authorizer-output). */
export interface PolicyAnswer {
  readonly principalId: string;
  readonly policyDocument: {
    readonly Version: '2012-10-17';
    readonly Statement: readonly {
      readonly Action: 'execute-api:Invoke';
      readonly Effect: 'Allow' | 'Deny';
      readonly Resource: string | readonly string[];
    }[];
  };
  readonly context: Context;
}

export type Answer = SimpleAnswer | PolicyAnswer;

/** What a policy allows and denies, as ARNs, which may hold wildcards. */
export interface Resources {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** `principalId` of a caller whose token names no subject: no reference looks like it. */
const NOBODY = 'nobody';

/** "The Resource ARN … is limited to 512 characters" (AG api-gateway-lambda-authorizer-output). */
export const MAX_RESOURCE_LENGTH = 512;

/** What IAM reads as more than itself: wildcards, the start of a variable; and what no ARN holds. */
const MEANINGFUL = /[*?$\p{Cc}]/gu;

/**
 * Whether the ARN, put into a policy, means itself and nothing more. `$default`, the stage of most HTTP
 * APIs, is the one `$` that is let through.
 */
function isPlain(arn: string): boolean {
  const withoutStage = parseMethodArn(arn)?.stage === '$default' ? arn.replace('/$default/', '//') : arn;
  return arn.length <= MAX_RESOURCE_LENGTH && withoutStage.search(MEANINGFUL) < 0;
}

/** A Deny may cover more than was asked for, never less: `?` for each risky character, `*` for what is too long. */
const deniable = (arn: string): string => {
  const covering = arn.replace(MEANINGFUL, '?');
  return covering.length <= MAX_RESOURCE_LENGTH ? covering : `${covering.slice(0, MAX_RESOURCE_LENGTH - 1)}*`;
};

/** A policy for exactly the ARN that was requested. One that could mean more is never put into an Allow. */
export function toPolicy(arn: string, verdict: Verdict): PolicyAnswer {
  const plain = isPlain(arn);
  const outcome: Verdict =
    plain || !verdict.allowed ? verdict : { ...verdict, allowed: false, reason: 'arn_unusable' };
  return {
    principalId: outcome.subject ?? NOBODY,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: outcome.allowed ? 'Allow' : 'Deny',
          Resource: plain ? arn : deniable(arn),
        },
      ],
    },
    context: contextOf(outcome),
  };
}

/** A policy for the whole API. Its context is that of every request it will be reused for: who asks, and no more. */
export function toWholePolicy(subject: string, { allow, deny }: Resources): PolicyAnswer {
  const statement = (Effect: 'Allow' | 'Deny', Resource: readonly string[]) =>
    Resource.length === 0 ? [] : [{ Action: 'execute-api:Invoke' as const, Effect, Resource }];
  return {
    principalId: subject,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [...statement('Allow', allow), ...statement('Deny', deny)],
    },
    context: { subject, coverage: 'api' },
  };
}

export const toSimple = (verdict: Verdict): SimpleAnswer => ({
  isAuthorized: verdict.allowed,
  context: contextOf(verdict),
});

/** Whether the answer to such a request is a policy. */
export const takesPolicy = ({ kind }: GatewayRequest, httpAnswer: HttpAnswer): boolean =>
  kind !== 'http' || httpAnswer === 'policy';

/** The answer for one route, in the form that the kind of API takes. */
export const toAnswer = (request: GatewayRequest, verdict: Verdict, httpAnswer: HttpAnswer): Answer =>
  takesPolicy(request, httpAnswer) ? toPolicy(request.arn, verdict) : toSimple(verdict);
