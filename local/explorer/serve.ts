import type { Service } from '../../explorer/service/index.ts';
import { listen } from '../server.ts';
import { createExplorer, linkTo } from './listener.ts';
import { BUILT, pageIn } from './page-files.ts';
import { createSessions } from './sessions.ts';

const BASE_PATH = '/_explorer';

export interface ServeOptions {
  readonly service: Service;
  /** On 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Serves the explorer by itself, on the loopback interface, until it is stopped. Its link opens it once.
 *
 * @throws Error that says what to do, for a port in use
 */
export async function serveExplorer({ service, port, now }: ServeOptions) {
  const sessions = createSessions({ now });
  const server = await listen(port, '--port');
  server.serve(
    createExplorer({
      service,
      sessions,
      basePath: BASE_PATH,
      readPage: pageIn(BUILT),
      howToOpen: 'start gatehouse explore again and open its link',
    }),
  );
  return {
    link: `http://127.0.0.1:${server.port}${linkTo(BASE_PATH, sessions.newTicket())}`,
    stop: server.stop,
  };
}
