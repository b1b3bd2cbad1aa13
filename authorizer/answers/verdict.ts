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
  const known = {
    subject,
    tenant,
    scope,
    permission,
    roles: roles?.join(','),
    reason,
    route,
    coverage: 'route',
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
