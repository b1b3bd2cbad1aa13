import type { Actor, Credential, Given, Reason } from '../engine/index.ts';
import type { Row, Rows, RowsPage, RowsQuestion, VisibleRows } from '../engine/rows/index.ts';
import { invalid } from '../table/errors.ts';

/** An allowed request: who may do what, where and why. */
export interface Authorization<Permission extends string = string> {
  /** `user:01J…` */
  readonly subject: string;
  /** Who acts for the subject; undefined where it is the subject alone. */
  readonly actor: Actor | undefined;
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
  /**
   * One page of the application's rows on which the caller may use a permission (docs/lists.md).
   *
   * @throws GatehouseError `invalid` on `visibleRows` where the guard was made without; otherwise as it does
   */
  readonly visible: <R extends Row>(rows: Rows, asked: RowsOfCaller<R>) => Promise<RowsPage<R>>;
}

/** What a handler says of a list. Who asks, and what conditions see beside the row, is the request's. */
export type RowsOfCaller<R extends Row> = Omit<RowsQuestion<R>, 'rows' | OfRequest>;
type OfRequest = 'subject' | 'actor' | 'credential' | 'given';

/** Lists of rows for one request. What is given as its resource is left out: the resource is the row. */
export const visibleTo =
  (
    visibleRows: VisibleRows | undefined,
    { subject, actor, credential, given: { resource: _, ...given } }: OfCaller,
  ): Authorization['visible'] =>
  async (rows, asked) => {
    if (visibleRows === undefined)
      throw invalid('visibleRows', 'the guard was made without visibleRows: see createVisibleRows');
    return visibleRows({ ...asked, rows, subject, actor, credential, given });
  };

interface OfCaller {
  readonly subject: string;
  readonly actor: Actor | undefined;
  readonly credential: Credential | undefined;
  readonly given: Given;
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
