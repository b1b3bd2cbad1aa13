import { GatehouseError, invalid } from '../table/errors.ts';
import type { Decision } from './decision.ts';
import type { Freshness } from './freshness.ts';
import type { Clock } from './store.ts';

/**
 * Decisions of one subject at one scope, made together and kept: for a menu, which asks for many permissions
 * at once and must not wait for each.
 *
 * All are made for one instant, `at`; a window that opens or ends later does not show. From `expiresAt` on
 * what they rest on is older than the engine's time-to-live allows: then the session answers no more.
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
  readonly at?: number;
  /** How fresh what the decisions rest on must be; `cached` when left out. A `strong` one lives longest. */
  readonly freshness?: Freshness;
}

/**
 * @throws GatehouseError `invalid` for `permissions` that are no list of texts, otherwise as `check` does
 */
export type OpenSession = (subject: string, scope: string, options: SessionOptions) => Promise<Session>;

/**
 * Permissions that are resolved together. Each is two items; with the subject, what holds everywhere and the
 * longest path of scopes that is 99 keys: within one BatchGetItem, and one snapshot.
 */
export const PERMISSIONS_AT_ONCE = 40;

interface Asked {
  readonly subject: string;
  readonly scope: string;
  readonly permission: string;
}

/** Decisions made together, and the instant from which on they are too old to be given. */
type DecideTogether = (
  questions: readonly Asked[],
  freshness: Freshness,
  at: number,
) => Promise<{ readonly decisions: readonly Decision[]; readonly expiresAt: number }>;

export function createSessions(decideTogether: DecideTogether, clock: Clock): OpenSession {
  return async (subject, scope, { permissions, at: asked, freshness = 'cached' }) => {
    if (!Array.isArray(permissions) || permissions.some((permission) => typeof permission !== 'string')) {
      throw invalid('permissions', 'permissions is not a list of permissions');
    }
    const at = asked ?? clock.now();
    const questions = [...new Set(permissions)].map((permission) => ({ subject, scope, permission }));
    const batches = Array.from({ length: Math.ceil(questions.length / PERMISSIONS_AT_ONCE) }, (_, batch) =>
      questions.slice(batch * PERMISSIONS_AT_ONCE, (batch + 1) * PERMISSIONS_AT_ONCE),
    );
    const decisions = new Map<string, Decision>();
    let expiresAt = Number.POSITIVE_INFINITY;
    const resolve = async (batch: readonly Asked[]): Promise<void> => {
      const made = await decideTogether(batch, freshness, at);
      for (const [position, { permission }] of batch.entries()) {
        decisions.set(permission, made.decisions[position] as Decision);
      }
      expiresAt = Math.min(expiresAt, made.expiresAt);
    };
    // The first brings the subject and the scopes, so that the others read only what is theirs.
    const [first, ...others] = batches;
    if (first) await resolve(first);
    await Promise.all(others.map(resolve));

    const isOver = () => clock.now() >= expiresAt;
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
