import type { Reason } from '../engine/index.ts';
import type { HttpAnswer } from './configuration.ts';
import { parseConnectArn, parseMethodArn } from './events/arn.ts';
import type { GatewayRequest } from './events/request.ts';

/** Why the authorizer itself says no, before or after the engine was asked. */
export type Refusal =
  | 'route_unmapped'
  | 'route_unresolved'
  | 'arn_unusable'
  /** The answer would rest on what is not in the key by which API Gateway caches it. */
  | 'outside_cache_key';

/** The outcome of one request, with as much as was known when it was reached. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: Reason | Refusal;
  /** Who asks, as a reference. */
  readonly subject?: string;
  /** Id of the route that was matched. */
  readonly route?: string;
  readonly permission?: string;
  readonly scope?: string;
  /** The root above the scope. */
  readonly tenant?: string;
  /** Ids of the roles in force there. */
  readonly roles?: readonly string[];
}

/** What the backend, the access log and gateway responses get to see; strings only, as REST demands. */
export type Context = Readonly<Record<string, string>>;

/**
 * The context of an answer. `coverage` says for what the answer holds: for the route that was asked for and
 * for no other, so it must not be cached across routes.
 */
export function contextOf(verdict: Verdict): Context {
  const { reason, subject, route, permission, scope, tenant, roles } = verdict;
  // One after the other, and no list of them in between: this is done for each request.
  const context: Record<string, string> = {};
  if (subject !== undefined) context.subject = subject;
  if (tenant !== undefined) context.tenant = tenant;
  if (scope !== undefined) context.scope = scope;
  if (permission !== undefined) context.permission = permission;
  if (roles !== undefined) context.roles = roles.join(',');
  context.reason = reason;
  if (route !== undefined) context.route = route;
  context.coverage = 'route';
  return context;
}

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

/** AppSync's answer, never cached there: its cache would know the token and nothing else (AppSync security-authz). */
export interface AppSyncAnswer {
  readonly isAuthorized: boolean;
  readonly resolverContext: Context;
  /** It goes by another name here. */
  readonly context?: never;
  readonly ttlOverride: 0;
}

export type Answer = SimpleAnswer | PolicyAnswer | AppSyncAnswer;

/** What a policy allows and denies, as ARNs, which may hold wildcards. */
export interface Resources {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** `principalId` of a caller whose token names no subject: no reference looks like it. */
const NOBODY = 'nobody';

/** "The Resource ARN … is limited to 512 characters" (AG api-gateway-lambda-authorizer-output). */
export const MAX_RESOURCE_LENGTH = 512;

/** "AWS Lambda authorizer result size" (AG apigateway-execution-service-websocket-limits-table), in bytes. */
export const MAX_WEBSOCKET_ANSWER = 8_192;

/** What IAM reads as more than itself: wildcards, the start of a variable; and what no ARN holds. */
const MEANINGFUL = /[*?$\p{Cc}]/gu;
const ANY_MEANINGFUL = new RegExp(MEANINGFUL.source, 'u');

/**
 * Whether the ARN, put into a policy, means itself and nothing more. `$default`, the stage of most HTTP
 * APIs, and `$connect`, the whole route of a WebSocket, are the `$` that are let through.
 */
function isPlain(arn: string): boolean {
  if (!ANY_MEANINGFUL.test(arn)) return arn.length <= MAX_RESOURCE_LENGTH;
  const withoutStage = parseMethodArn(arn)?.stage === '$default' ? arn.replace('/$default/', '//') : arn;
  const rest = parseConnectArn(arn) === undefined ? withoutStage : withoutStage.replace(/\$connect$/, '');
  return arn.length <= MAX_RESOURCE_LENGTH && rest.search(MEANINGFUL) < 0;
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
    context: { subject, reason: 'policy', coverage: 'api' },
  };
}

export const toSimple = (verdict: Verdict): SimpleAnswer => ({
  isAuthorized: verdict.allowed,
  context: contextOf(verdict),
});

/** Whether the answer to such a request is a policy that may be one for the whole API. */
export const takesPolicy = ({ kind }: GatewayRequest, httpAnswer: HttpAnswer): boolean =>
  kind !== 'websocket' && kind !== 'appsync' && (kind !== 'http' || httpAnswer === 'policy');

/** A subject may have more roles than the answer has room for: then they are left out, and the context says so. */
function within(
  maxBytes: number,
  answerFor: (verdict: Verdict) => PolicyAnswer,
  verdict: Verdict,
): PolicyAnswer {
  const answer = answerFor(verdict);
  if (Buffer.byteLength(JSON.stringify(answer)) <= maxBytes) return answer;
  const { roles: _, ...rest } = verdict;
  const shorter = answerFor(rest);
  return { ...shorter, context: { ...shorter.context, rolesLeftOut: 'true' } };
}

const toAppSync = (verdict: Verdict): AppSyncAnswer => ({
  isAuthorized: verdict.allowed,
  resolverContext: contextOf(verdict),
  ttlOverride: 0,
});

/** The answer for one route, in the form that the kind of API takes. */
export function toAnswer({ kind, arn }: GatewayRequest, verdict: Verdict, httpAnswer: HttpAnswer): Answer {
  if (kind === 'appsync') return toAppSync(verdict);
  if (kind === 'http' && httpAnswer === 'simple') return toSimple(verdict);
  const answerFor = (each: Verdict) => toPolicy(arn, each);
  return kind === 'websocket' ? within(MAX_WEBSOCKET_ANSWER, answerFor, verdict) : answerFor(verdict);
}
