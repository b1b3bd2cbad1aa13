import type { Reason } from '../engine/index.ts';

/** An allowed request: who may do what, where and why. */
export interface Authorization<Permission extends string = string> {
  /** `user:01J…` */
  readonly subject: string;
  readonly permission: Permission;
  /** `location:01J…` */
  readonly scope: string;
  /** The root of the scope. */
  readonly tenant: string;
  /** Ids of the effective roles. */
  readonly roles: readonly string[];
  readonly reason: Reason;
  /** What the caller's issuer asserts; empty for an API token, or if `who` gave no claims. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** By the object that handlers get. Nothing is added to it, so that no other code can put its own there. */
const authorizations = new WeakMap<object, Authorization>();

export const keepAuthorization = (request: object, authorization: Authorization): void => {
  authorizations.set(request, authorization);
};

/**
 * The decision of the guard in front of a handler. If several guards let a request through, that of the last.
 *
 * @param request what the handler has: the request (Express, Fastify), the context (Hono), the event (Lambda,
 *   Middy), or the request context (Powertools)
 * @throws Error if no guard let it through, so that a handler whose guard was forgotten fails
 */
export function authorizationOf<Permission extends string = string>(
  request: object,
): Authorization<Permission> {
  const found = authorizations.get(request);
  if (found === undefined) throw new Error('no guard let this request through');
  return found as Authorization<Permission>;
}
