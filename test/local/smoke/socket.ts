import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A client's connection. */
export interface OpenSocket {
  /** Sends a message and waits for the next one received. */
  readonly ask: (message: unknown) => Promise<Readonly<Record<string, unknown>>>;
  /** Waits until the server closes it; the close code. */
  readonly ended: () => Promise<number>;
  readonly close: () => void;
}

/** Opens a connection, or returns the status of the refusal. */
export async function openSocket(url: string, token?: string): Promise<OpenSocket | number> {
  const socket = new WebSocket(
    url,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );
  const end = new Promise<number>((resolve) => {
    socket.once('close', resolve);
  });
  const status = await new Promise<number>((resolve, reject) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.once('error', reject);
  });
  if (status !== 101) return status;
  return {
    ask: async (message) => {
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
      const [answer] = await once(socket, 'message');
      return JSON.parse(String(answer));
    },
    ended: () => end,
    close: () => socket.close(),
  };
}
