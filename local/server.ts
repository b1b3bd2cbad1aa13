import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Takes over the socket of a request that asks for another protocol. */
type UpgradeListener = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** An HTTP server on the loopback interface that can be stopped at once. */
export interface LocalServer {
  readonly port: number;
  /** Sets what answers; before that every request waits for it. */
  readonly serve: (listener: RequestListener, upgrade?: UpgradeListener) => void;
  readonly stop: () => Promise<void>;
}

/**
 * Takes a port before anything else is started, so that a port in use is known at once.
 *
 * @param variable the environment variable that sets the port, for the message
 * @throws Error with one line that says which port is in use and how to choose another
 */
export async function listen(port: number, variable: string): Promise<LocalServer> {
  let start: (listener: RequestListener) => void = () => {};
  const listener = new Promise<RequestListener>((resolve) => {
    start = resolve;
  });
  const server = createServer((request, response) => {
    listener.then((serve) => serve(request, response));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} is in use: set ${variable} to another one`)
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const upgraded = new Set<Socket>();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    serve: (serve, upgrade) => {
      start(serve);
      if (upgrade === undefined) return;
      server.on('upgrade', (incoming, socket, head) => {
        upgraded.add(incoming.socket);
        incoming.socket.once('close', () => upgraded.delete(incoming.socket));
        upgrade(incoming, socket, head);
      });
    },
    stop: () => close(server, upgraded),
  };
}

/** Upgraded sockets are none of the server's connections any more, and it waits for them all the same. */
const close = (server: Server, upgraded: ReadonlySet<Socket>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroySoon();
  });
