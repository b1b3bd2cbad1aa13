import { AsyncLocalStorage } from 'node:async_hooks';
import type { Observation } from '../../../engine/index.ts';
import type { LiveEvent, LiveRequestLine } from '../../../explorer/service/index.ts';
import type { GatewayLogEntry, Within } from '../../gateway/gateway.ts';
import { createEventRing, type EventRing } from './event-ring.ts';

/** How many events are kept. */
const KEPT = 500;
/** Characters of a path or an error that are shown: what clients send must not fill the memory. */
const SHOWN = 500;

/** What happens in the local stack, as events. */
export interface Feed {
  readonly events: EventRing<LiveEvent>;
  /**
   * An observer for an engine. What it decides for a request of the gateway has the name of the API.
   *
   * @param source what else asks the engine; without it, only decisions for requests of the gateway are shown
   */
  readonly observer: (source?: string) => (observation: Observation) => void;
  /** For gateways: tells decisions of which request they are. */
  readonly within: Within;
  /** For gateways: takes requests when they are answered. Those without a decision of their own become events. */
  readonly log: (entry: GatewayLogEntry) => void;
}

/** A request that the gateway serves at the moment. */
interface Current {
  readonly api: string;
  readonly request: LiveRequestLine;
  decisions: number;
  /** Whether the last decision was an Allow. */
  allowed: boolean;
}

/**
 * Whether a request was answered by the one decision that was made for it. A policy for the whole API takes several
 * decisions, and may answer otherwise than any of them.
 */
const isDecided = ({ decisions, allowed }: Current, status: number): boolean =>
  decisions === 1 && (allowed ? status !== 401 && status !== 403 : status >= 400);

/** @param now epoch milliseconds */
export function createFeed(now: () => number): Feed {
  const events = createEventRing<LiveEvent>(KEPT);
  const current = new AsyncLocalStorage<Current>();

  return {
    events,
    observer:
      (source) =>
      ({ decision, tenant, fault, actor, ...observed }) => {
        const served = current.getStore();
        if (served) {
          served.decisions += 1;
          served.allowed = decision?.allowed === true;
        }
        const from = served?.api ?? source;
        if (from === undefined) return;
        events.add({
          ...observed,
          kind: 'decision',
          at: now(),
          source: from,
          allowed: decision?.allowed === true,
          actor: actor && { subject: actor.subject, mandate: actor.mandate },
          tenant,
          reason: decision?.reason,
          fault,
          request: served?.request,
        });
      },
    within: ({ api, method, path }, serve) =>
      current.run(
        { api, request: { method, path: path.slice(0, SHOWN) }, decisions: 0, allowed: false },
        serve,
      ),
    log: ({ api, method, path, status, authorizer, error }) => {
      const served = current.getStore();
      if (served && isDecided(served, status)) return;
      events.add({
        kind: 'request',
        at: now(),
        source: api,
        method,
        status,
        path: path.slice(0, SHOWN),
        decisions: served?.decisions ?? 0,
        authorizer,
        error: error?.slice(0, SHOWN),
      });
    },
  };
}
