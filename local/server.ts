import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { invalid } from '../table/errors.ts';

/** Takes over the socket of an upgrade request. */
type UpgradeListener = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Takes a port for an HTTP server on the loopback interface that can be stopped at once. Call it before starting anything
 * else, so that a port in use fails at once.
 *
 * @param setting what sets the port, for the message
 * @throws GatehouseError `invalid` with one line that names the port in use and what to set
 */
export async function listen(port: number, setting: string) {
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
          ? invalid('port', `port ${port} is in use: give another one with ${setting}; 0 takes a free one`)
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const upgraded = new Set<Socket>();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    /** Sets the listener; earlier requests wait for it. */
    serve: (serve: RequestListener, upgrade?: UpgradeListener): void => {
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

/** The server waits for upgraded sockets to close, but does not close them itself. */
const close = (server: Server, upgraded: ReadonlySet<Socket>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroySoon();
  });
