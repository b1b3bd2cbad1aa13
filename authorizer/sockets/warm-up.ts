import { systemClock } from '../../engine/clock.ts';
import { createEngine } from '../../engine/engine.ts';
import { createMadeUpReader, MADE_UP, MADE_UP_PLACE, type WarmUp } from '../../engine/warm-up.ts';
import { decisionKey } from '../../table/keys.ts';
import type { Composed } from './compose.ts';
import { createSockets } from './sockets.ts';

/** What of live revocation does not depend on an event. */
export const warmUpOf = ({ prefetch }: Composed): WarmUp => ({ requests: [prefetch], compute: connectOnce });

/** A `$connect` that the authorizer has allowed. */
const EVENT = {
  requestContext: {
    eventType: 'CONNECT',
    connectionId: MADE_UP,
    apiId: MADE_UP,
    stage: MADE_UP,
    authorizer: {
      subject: `user:${MADE_UP}`,
      tenant: `tenant:${MADE_UP}`,
      scope: MADE_UP_PLACE,
      permission: MADE_UP,
      credential: 'none',
    },
  },
};

/**
 * Opens a made-up connection: over a table that is made up, with a list of connections that keeps nothing.
 *
 * @returns its answer, for the test that it is the longest way: an allow
 */
export const connectOnce = () =>
  createSockets({
    connections: { add: async () => undefined, remove: async () => undefined, find: async function* () {} },
    engine: createEngine({
      reader: createMadeUpReader([decisionKey({ type: 'page', id: MADE_UP })]),
      clock: systemClock,
    }),
    close: async () => 'closed',
    now: systemClock.now,
    wait: async () => undefined,
    log: { error: () => {}, warn: () => {} },
  })(EVENT);
