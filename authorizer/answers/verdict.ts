import type { Reason } from '../../engine/index.ts';

/** Why the authorizer itself says no, before or after the engine was asked. */
export type Refusal = 'route_unmapped' | 'route_unresolved' | 'standing_unknown' | 'arn_unusable';

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
