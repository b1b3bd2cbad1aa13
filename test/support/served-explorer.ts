import type { LiveEvent, Service } from '../../explorer/service/index.ts';
import { createExplorer, linkTo } from '../../local/explorer/listener.ts';
import { createEventRing } from '../../local/explorer/live/event-ring.ts';
import { BUILT, pageIn } from '../../local/explorer/page-files.ts';
import { createSessions } from '../../local/explorer/sessions.ts';
import { listen } from '../../local/server.ts';

const BASE = '/_explorer';

export interface ServedExplorer {
  /** The address of the page, which ends with a slash. */
  readonly url: string;
  /** A link that opens the page once, as a command prints it, at a view of it: `why?subject=user:ann`. */
  readonly newLink: (at?: string) => string;
  /** Adds to what the live view shows. */
  readonly happened: ReturnType<typeof createEventRing<LiveEvent>>['add'];
  readonly stop: () => Promise<void>;
}

/** Serves the built page over a service, as `gatehouse explore` and the local stack do. */
export async function serveExplorer(service: Service): Promise<ServedExplorer> {
  let secrets = 0;
  const sessions = createSessions({ now: Date.now, newSecret: () => `secret-${++secrets}` });
  const events = createEventRing<LiveEvent>(500);
  const server = await listen(0, 'port');
  server.serve(
    createExplorer({
      service,
      sessions,
      events,
      basePath: BASE,
      readPage: pageIn(BUILT),
      howToOpen: 'open the link of the test',
    }),
  );
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    url: `${origin}${BASE}/`,
    newLink: (at = '') => `${origin}${linkTo(BASE, sessions.newTicket())}${at && `#${at}`}`,
    happened: events.add,
    stop: server.stop,
  };
}
