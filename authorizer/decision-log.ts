import { createHash } from 'node:crypto';
import { DECISION, type DecisionLogMode } from '../table/decision-line.ts';
import type { Log } from '../table/log.ts';

export interface DecisionLogOptions {
  readonly mode: DecisionLogMode;
  /** The share of allows that `sampled` logs, from 0 to 1. */
  readonly share: number;
  readonly log: Pick<Log, 'info'>;
  /** Random number in [0, 1). */
  readonly random?: (() => number) | undefined;
}

/** A decision as it was answered. What is not known is undefined. */
export interface LoggedDecision {
  readonly requestId: string | undefined;
  /** A reference, as the scope and the tenant. */
  readonly subject?: string | undefined;
  readonly permission?: string | undefined;
  readonly scope?: string | undefined;
  readonly allowed: boolean;
  readonly reason: string;
  readonly tenant?: string | undefined;
  readonly route?: string | undefined;
  /** The name of the API. */
  readonly api?: string | undefined;
}

export type LogDecision = (decision: LoggedDecision) => void;

/**
 * Logs decisions with the fields of an evaluation (OpenID AuthZEN 1.0, section 6): `subject`, `action`, `resource`,
 * `decision` and, in `context`, why and where.
 *
 * @returns undefined if no decision is logged
 */
export function createDecisionLog({
  mode,
  share,
  log,
  random = Math.random,
}: DecisionLogOptions): LogDecision | undefined {
  if (mode === 'off') return undefined;
  const isLogged = (allowed: boolean): boolean =>
    !allowed || mode === 'all' || (mode === 'sampled' && random() < share);
  return ({ requestId, subject, permission, scope, allowed, reason, tenant, route, api }) => {
    if (!isLogged(allowed)) return;
    log.info(DECISION, {
      requestId,
      subject: subject === undefined ? undefined : entityOf(subject),
      action: permission === undefined ? undefined : { name: loggable(permission) },
      resource: scope === undefined ? undefined : entityOf(scope),
      decision: allowed,
      context: { reason, route, api, tenant: tenant === undefined ? undefined : loggable(tenant) },
    });
  };
}

/** A reference in AuthZEN's two fields. */
function entityOf(ref: string): { readonly type: string; readonly id: string } {
  const colon = ref.indexOf(':');
  return { type: loggable(ref.slice(0, colon)), id: loggable(ref.slice(colon + 1)) };
}

/** What ids and permissions are made of, but the `@` of an email. */
const PLAIN = /^[\w.~|=+:-]{1,256}$/;

/**
 * An id as it is logged. Ids and permissions may come from the path of a request, which may hold anything, and an id may
 * be an email: what is not plain becomes a pseudonym, the same for the same text.
 */
const loggable = (text: string): string =>
  PLAIN.test(text) ? text : `sha256:${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
