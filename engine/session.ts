import { GatehouseError, invalid } from '../table/errors.ts';
import type { Actor } from './actor.ts';
import { faultInOptions, faultInText, faultInTexts, refuse } from './arguments.ts';
import type { Decided } from './decided.ts';
import type { Decision } from './decision.ts';
import type { Question } from './decision-input.ts';
import { type DecisionLog, type LoggedDecision, loggedOf } from './decision-log.ts';
import { type Given, givenIn } from './given.ts';
import type { Consistency } from './load.ts';
import type { TokenGroups } from './token-groups.ts';

/**
 * Decisions for one subject at one scope, made together and kept: for a menu that checks many permissions
 * synchronously.
 *
 * A session expires when its items exceed the engine's time-to-live, or when something in them begins or ends
 * (ADR 0017, What a cached answer may rest on). Conditions are decided once, with what was given when it was
 * opened. If it was opened for a given instant, only the time-to-live applies.
 */
export interface Session {
  /** Epoch milliseconds. From then on `can` answers false; open a new session. */
  readonly expiresAt: number;
  /** Whether the permission is allowed. False if it was not named, and for all permissions after expiry. */
  readonly can: (permission: string) => boolean;
  /**
   * The decision with its reason.
   *
   * @throws GatehouseError `invalid` on `permission` if it was not named, `stale` after expiry
   */
  readonly decide: (permission: string) => Decision;
}

export interface SessionOptions extends Given {
  /** The permissions to decide: `dashboard`, `module:action:resource`. */
  readonly permissions: readonly string[];
  /** The instant to decide for, in epoch milliseconds. Default: now. */
  readonly at?: number | undefined;
  /** Who acts for the subject. The session ends with the mandate, and with the token. */
  readonly actor?: Actor | undefined;
  /** The groups that a verified token of the subject names. The session ends with the token. */
  readonly groups?: TokenGroups | undefined;
  /** How fresh the decisions' items must be. Default: `cached`. A `strong` session lives longest. */
  readonly consistency?: Consistency | undefined;
}

/** @throws GatehouseError `invalid` on an argument of a wrong type or length; faults as `check` does */
export type OpenSession = (subject: string, scope: string, options: SessionOptions) => Promise<Session>;

type CheckMany = (
  requests: readonly { readonly subject: string; readonly permission: string; readonly scope: string }[],
  options: Pick<SessionOptions, 'actor' | 'at' | 'consistency' | 'groups'> & Given,
  log: ((decided: readonly Decided<Question>[]) => void) | undefined,
) => Promise<{ readonly decisions: readonly Decision[]; readonly expiresAt: number }>;

/**
 * @param generation changes when the clock goes back: open sessions end then, because they would look too
 *   young
 */
export function createSessions(
  checkMany: CheckMany,
  now: () => number,
  generation: () => number,
  decisionLog: DecisionLog | undefined,
): OpenSession {
  return async (subject, scope, options) => {
    refuse(faultInText('subject', subject) ?? faultInText('scope', scope) ?? faultInOptions(options));
    const { permissions, actor, at, groups, consistency = 'cached', ...given } = options;
    refuse(faultInTexts('permissions', permissions));
    const begunIn = generation();
    const names = [...new Set(permissions)];
    const requests = names.map((permission) => ({ subject, scope, permission }));
    const of = { consistency, actor, at, groups, ...givenIn(given) };
    const lines = decisionLog && new Map<string | undefined, LoggedDecision>();
    const { decisions: made, expiresAt: end } = await checkMany(requests, of, lines && noteIn(lines));
    const expiresAt = Math.min(end, groups?.until ?? end, actor?.until ?? end);
    const decisions = new Map(names.map((name, position) => [name, made[position] as Decision]));
    const isOver = () => now() >= expiresAt || begunIn !== generation();
    const can = (permission: string) => decisions.get(permission)?.allowed === true && !isOver();
    const decide = (permission: string): Decision => {
      const decision = decisions.get(permission);
      if (!decision) throw invalid('permission', 'permission was not named when the session was opened');
      if (isOver()) throw new GatehouseError('stale', 'the session has expired: open a new one');
      return decision;
    };
    if (decisionLog === undefined || lines === undefined) return { expiresAt, can, decide };
    /** Logs a decision when it is asked for first. */
    const reporting =
      <R>(ask: (permission: string) => R) =>
      (permission: string): R => {
        const line = lines.get(permission);
        if (line !== undefined && !isOver()) {
          lines.delete(permission);
          try {
            decisionLog.log(line);
          } catch {}
        }
        return ask(permission);
      };
    return { expiresAt, can: reporting(can), decide: reporting(decide) };
  };
}

const noteIn =
  (lines: Map<string | undefined, LoggedDecision>) =>
  (decided: readonly Decided<Question>[]): void => {
    for (const line of decided.flatMap((each) => loggedOf(each, 'session'))) lines.set(line.permission, line);
  };
