import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createService, type Service } from '../../explorer/service/index.ts';
import { createExplorer, linkTo } from '../../local/explorer/listener.ts';
import { createFeed } from '../../local/explorer/live/feed.ts';
import { BUILT, pageIn } from '../../local/explorer/page-files.ts';
import { createSessions } from '../../local/explorer/sessions.ts';
import { provisionedInMemory } from '../../testing/memory.ts';

/** The explorer behind HTTP, as `gatehouse explore` serves it, over a table in memory. */
const BASE = '/_explorer';

/** Serves until the end of the test, on a free port unless one is given. */
export async function listen(
  listener: RequestListener,
  port = 0,
): Promise<Server & { readonly port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => stop(server));
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

export const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** How a request was answered. */
interface Answered {
  /** Verb and path. */
  readonly asked: string;
  /** `Sec-Fetch-Site`. */
  readonly site: string;
  readonly status: number;
}

/** An explorer that may write, with a record of what was asked and how it was answered. */
export async function startExplorer() {
  const calls: string[] = [];
  const answers: Answered[] = [];
  let secrets = 0;
  const sessions = createSessions({ now: () => 0, newSecret: () => `secret-${++secrets}` });
  const { reader, provisioning } = provisionedInMemory(Date.now);
  const service = createService({
    reader,
    provisioning,
    clock: { now: Date.now },
    about: { place: 'a table', canWrite: true, isLive: true },
  });
  let serve: Service = service;
  const explorer = createExplorer({
    basePath: BASE,
    sessions,
    readPage: pageIn(BUILT),
    howToOpen: 'ask for another',
    events: createFeed(() => 0).events,
    service: (method, input) => {
      calls.push(`${method} ${JSON.stringify(input)}`);
      // What the process knows by itself is answered without the table.
      return (method === 'about' ? service : serve)(method, input);
    },
  });
  const server = await listen((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    outgoing.once('close', () => {
      answers.push({
        asked: `${method} ${String(url).replace(/\?.*/, '')}`,
        site: String(headers['sec-fetch-site']),
        status: outgoing.statusCode,
      });
    });
    explorer(incoming, outgoing);
  });
  const { port } = server;
  return {
    server,
    port,
    calls,
    answers,
    provisioning,
    base: BASE,
    url: `http://127.0.0.1:${port}${BASE}`,
    newLink: () => `http://127.0.0.1:${port}${linkTo(BASE, sessions.newTicket())}`,
    /** From now on the service answers so; undefined: as it does. */
    answerWith: (reply: Awaited<ReturnType<Service>> | undefined) => {
      serve = reply === undefined ? service : async () => reply;
    },
  };
}
