import { GatehouseError, invalid } from '../table/errors.ts';
import type { Decision } from './decision.ts';
import type { Consistency } from './load.ts';

/**
 * Decisions of one subject at one scope, made together and kept: for a menu, which asks for many permissions
 * at once and must not wait for each.
 *
 * From `expiresAt` on what they rest on is older than the engine's time-to-live allows, or something in it begins or ends
 * (SPEC section 10): then the session answers no more. One that was opened for an instant of its own shows that instant.
 */
export interface Session {
  /** Epoch milliseconds: the instant that the decisions were made for. */
  readonly at: number;
  /** Epoch milliseconds: from here on `can` is false, and a new session is to be opened. */
  readonly expiresAt: number;
  /** Whether the permission may be used; false for one that was not named, and for all once it has expired. */
  readonly can: (permission: string) => boolean;
  /**
   * The decision with its reason.
   *
   * @throws GatehouseError `invalid` on `permission` for one that was not named, `stale` once it has expired
   */
  readonly decide: (permission: string) => Decision;
}

export interface SessionOptions {
  /** The permissions that will be asked for: `dashboard`, `module:action:resource`. */
  readonly permissions: readonly string[];
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number | undefined;
  /** How fresh what the decisions rest on must be; `cached` when left out. A `strong` one lives longest. */
  readonly consistency?: Consistency | undefined;
}

/**
 * @throws GatehouseError `invalid` for `permissions` that are no list of texts, otherwise as `check` does
 */
export type OpenSession = (subject: string, scope: string, options: SessionOptions) => Promise<Session>;

/** Decides questions together. */
type CheckMany = (
  requests: readonly { readonly subject: string; readonly permission: string; readonly scope: string }[],
  options: { readonly consistency: Consistency; readonly at: number | undefined },
) => Promise<{ readonly decisions: readonly Decision[]; readonly expiresAt: number }>;

/** @param generation changes when the clock goes back: then what is open ends, for it looks younger than it is */
export function createSessions(
  checkMany: CheckMany,
  now: () => number,
  generation: () => number,
): OpenSession {
  return async (subject, scope, { permissions, at: asked, consistency = 'cached' }) => {
    if (!Array.isArray(permissions) || permissions.some((permission) => typeof permission !== 'string'))
      throw invalid('permissions', 'permissions is not a list of permissions');
    const at = asked ?? now();
    const begunIn = generation();
    const names = [...new Set(permissions)];
    const requests = names.map((permission) => ({ subject, scope, permission }));
    const { decisions: made, expiresAt } = await checkMany(requests, { consistency, at: asked });
    const decisions = new Map(names.map((name, position) => [name, made[position] as Decision]));
    const isOver = () => now() >= expiresAt || begunIn !== generation();
    return {
      at,
      expiresAt,
      can: (permission) => decisions.get(permission)?.allowed === true && !isOver(),
      decide: (permission) => {
        const decision = decisions.get(permission);
        if (!decision) throw invalid('permission', 'permission was not named when the session was opened');
        if (isOver()) throw new GatehouseError('stale', 'the session has expired: open a new one');
        return decision;
      },
    };
  };
}
