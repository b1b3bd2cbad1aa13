import type { Actor, Reason } from '../engine/index.ts';
import type { HttpAnswer } from './configuration.ts';
import type { GatewayRequest } from './events/request.ts';

/** Reasons for which the authorizer itself refuses a request, rather than the engine. */
export type Refusal =
  | 'route_unmapped'
  | 'route_unresolved'
  | 'arn_unusable'
  /** A connection would outlive the token that says who acts. */
  | 'actor_cannot_connect'
  /** The decision would use inputs that are not in API Gateway's cache key (ADR 0017). */
  | 'outside_cache_key';

/** The outcome of one request, with everything known at that point. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: Reason | Refusal;
  /** The subject, as a reference. */
  readonly subject?: string | undefined;
  /** Who acts for the subject. */
  readonly actor?: Actor | undefined;
  /** Id of the matched route. */
  readonly route?: string | undefined;
  readonly permission?: string | undefined;
  readonly scope?: string | undefined;
  /** The root of the scope. */
  readonly tenant?: string | undefined;
  /** Ids of the effective roles. */
  readonly roles?: readonly string[] | undefined;
  /** What an open connection rests on beside rights: the record of its credential, or `none`. */
  readonly credential?: string | undefined;
}

/** The context for the backend, the access log and gateway responses. Strings only, as REST APIs require. */
export type Context = Readonly<Record<string, string>>;

/**
 * Limit on the length of the roles in a context. It keeps an answer for one route, of any kind, below the 8 KB
 * of WebSocket APIs (AG apigateway-execution-service-websocket-limits-table). AWS documents no other limit.
 */
const MAX_ROLES_LENGTH = 6_000;

/**
 * The context of an answer for one route: `coverage: route` says that it must not be cached across routes.
 * `rolesLeftOut` says that the roles were too long.
 */
function contextOf(verdict: Verdict): Context {
  const { reason, subject, actor, route, permission, scope, tenant, roles, credential } = verdict;
  // Assigned one by one, without an intermediate list: this runs for each request.
  const context: Record<string, string> = {};
  if (subject !== undefined) context.subject = subject;
  if (actor !== undefined) nameActor(actor, context);
  if (tenant !== undefined) context.tenant = tenant;
  if (scope !== undefined) context.scope = scope;
  if (permission !== undefined) context.permission = permission;
  if (roles !== undefined) {
    const joined = roles.join(',');
    if (joined.length <= MAX_ROLES_LENGTH) context.roles = joined;
    else context.rolesLeftOut = 'true';
  }
  if (credential !== undefined) context.credential = credential;
  context.reason = reason;
  if (route !== undefined) context.route = route;
  context.coverage = 'route';
  return context;
}

/** Who acts for the subject, and by which mandate. */
function nameActor({ subject, mandate }: Actor, context: Record<string, string>): void {
  context.actor = subject;
  if (mandate !== undefined) context.mandate = mandate;
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

/**
 * The answer for AppSync, with caching off: AppSync's cache key is the token alone (AppSync security-authz).
 */
export interface AppSyncAnswer {
  readonly isAuthorized: boolean;
  readonly resolverContext: Context;
  /** AppSync calls it `resolverContext`. */
  readonly context?: never;
  readonly ttlOverride: 0;
}

export type Answer = SimpleAnswer | PolicyAnswer | AppSyncAnswer;

/** The ARNs that a policy allows and denies; they may contain wildcards. */
export interface Resources {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** `principalId` of a caller without a subject. Not a valid reference, so it cannot be mistaken for one. */
const NOBODY = 'nobody';

/** "The Resource ARN … is limited to 512 characters" (AG api-gateway-lambda-authorizer-output). */
export const MAX_RESOURCE_LENGTH = 512;

/**
 * What has a meaning to IAM (wildcards, the start of a variable; IAM reference_policies_variables), and control
 * characters. A `$` without a brace is a literal, as in `/odata/$batch`, `$default` and `$connect`.
 */
const MEANINGFUL = /[*?\p{Cc}]|\$(?=\{)/gu;
const ANY_MEANINGFUL = new RegExp(MEANINGFUL.source, 'u');

/** Whether the ARN, as the resource of a policy, matches itself only. */
const isPlain = (arn: string): boolean => arn.length <= MAX_RESOURCE_LENGTH && !ANY_MEANINGFUL.test(arn);

/**
 * A resource for a Deny, which may match too much but never too little: `?` for special characters, `*` for
 * an excess.
 */
const deniable = (arn: string): string => {
  const covering = arn.replace(MEANINGFUL, '?');
  return covering.length <= MAX_RESOURCE_LENGTH ? covering : `${covering.slice(0, MAX_RESOURCE_LENGTH - 1)}*`;
};

/** A policy for exactly the requested ARN. An ARN that IAM could read as more is never put into an Allow. */
export function toPolicy(arn: string, verdict: Verdict): PolicyAnswer {
  const isItself = isPlain(arn);
  const outcome = isItself ? verdict : forUnusable(verdict);
  return {
    principalId: outcome.subject ?? NOBODY,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: outcome.allowed ? 'Allow' : 'Deny',
          Resource: isItself ? arn : deniable(arn),
        },
      ],
    },
    context: contextOf(outcome),
  };
}

/** The verdict on a request whose ARN IAM could read as more. */
const forUnusable = (verdict: Verdict): Verdict =>
  verdict.allowed ? { ...verdict, allowed: false, reason: 'arn_unusable' } : verdict;

/** The verdict as it can be answered: a policy allows no ARN that IAM could read as more. */
export const outcomeOf = (request: GatewayRequest, verdict: Verdict, httpAnswer: HttpAnswer): Verdict =>
  isSimple(request, httpAnswer) || isPlain(request.arn) ? verdict : forUnusable(verdict);

/** A policy for the whole API. It is reused for other routes, so its context names only the subject, and who acts for it. */
export function toWholePolicy(subject: string, { allow, deny }: Resources, actor?: Actor): PolicyAnswer {
  const context: Record<string, string> = { subject, reason: 'policy', coverage: 'api' };
  if (actor !== undefined) nameActor(actor, context);
  const statement = (Effect: 'Allow' | 'Deny', Resource: readonly string[]) =>
    Resource.length === 0 ? [] : [{ Action: 'execute-api:Invoke' as const, Effect, Resource }];
  return {
    principalId: subject,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [...statement('Allow', allow), ...statement('Deny', deny)],
    },
    context,
  };
}

export const toSimple = (verdict: Verdict): SimpleAnswer => ({
  isAuthorized: verdict.allowed,
  context: contextOf(verdict),
});

/** Whether the answer to such a request is a policy that may be one for the whole API. */
export const takesPolicy = ({ kind }: GatewayRequest, httpAnswer: HttpAnswer): boolean =>
  kind !== 'websocket' && kind !== 'appsync' && (kind !== 'http' || httpAnswer === 'policy');

const toAppSync = (verdict: Verdict): AppSyncAnswer => ({
  isAuthorized: verdict.allowed,
  resolverContext: contextOf(verdict),
  ttlOverride: 0,
});

/** Whether the answer is no policy. */
const isSimple = ({ kind }: GatewayRequest, httpAnswer: HttpAnswer): boolean =>
  kind === 'appsync' || (kind === 'http' && httpAnswer === 'simple');

/** The answer for one route, in the format of the kind of API. */
export function toAnswer({ kind, arn }: GatewayRequest, verdict: Verdict, httpAnswer: HttpAnswer): Answer {
  if (kind === 'appsync') return toAppSync(verdict);
  if (kind === 'http' && httpAnswer === 'simple') return toSimple(verdict);
  return toPolicy(arn, verdict);
}
