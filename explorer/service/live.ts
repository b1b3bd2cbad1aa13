import type { Observation } from '../../engine/index.ts';

/**
 * What the local stack does, as its event stream `live` has it: one event for each decision, and for each request that
 * was answered without one of its own.
 */
export type LiveEvent = LiveDecision | LiveRequest;

interface Happened {
  /** Rises by one from event to event; a reader continues after the last one that it got. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What was asked: the name of an API behind the gateway, or `AuthZEN`, `permissions`, `Lambda`, `provisioning`. */
  readonly source: string;
}

/** A request to the gateway, without its query. */
export interface LiveRequestLine {
  readonly method: string;
  readonly path: string;
}

/**
 * What the engine observed. `calls` and `units` are left out of the use of a mandate, which is not made by an engine
 * alone; `tenant` and `fault` where there is none.
 */
type Observed = Omit<Observation, 'actor' | 'decision' | 'isKept' | LeftOut> &
  Partial<Pick<Observation, LeftOut>>;
type LeftOut = 'tenant' | 'fault' | 'calls' | 'units';

export interface LiveDecision extends Happened, Observed {
  readonly kind: 'decision';
  /** Who acted for the subject, and by which mandate. */
  readonly actor?: { readonly subject: string; readonly mandate?: string | undefined } | undefined;
  /** False also if the decision failed. */
  readonly allowed: boolean;
  /** Left out if the decision failed. */
  readonly reason?: string | undefined;
  /** Left out if the gateway was not asked. */
  readonly request?: LiveRequestLine | undefined;
}

/**
 * A request that was answered without a decision of its own: no or bad credentials, an unmapped route, a cached answer,
 * a policy for the whole API.
 */
export interface LiveRequest extends Happened, LiveRequestLine {
  readonly kind: 'request';
  readonly status: number;
  /** How many decisions the authorizer made for the policy by which it answered; 0 if it made none. */
  readonly decisions: number;
  /** Where the authorizer's answer came from; left out if no route matched. */
  readonly authorizer?: 'hit' | 'miss' | 'off' | 'skipped' | undefined;
  /** Why the authorizer or the backend failed. */
  readonly error?: string | undefined;
}
