import type { Target } from '../load/connection.ts';
import type { Question } from '../model/world.ts';
import { type ServerCommand, type ServerProcess, startServer } from './server-process.ts';

/** How a server with a world in it is asked. */
export interface Asking {
  readonly target: Target;
  readonly bodyOf: (question: Question) => string;
  /** Whether it allows everything, and its answers are no decisions. */
  readonly isConstant?: boolean;
}

/** A server under measurement. */
export type PeerServer = Asking & ServerProcess;

/** Starts a server, and fills it with a world. */
export async function startPeer(command: ServerCommand, fill: () => Promise<Asking>): Promise<PeerServer> {
  const server = await startServer(command);
  try {
    return { ...server, ...(await fill()) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Whether it answers with a status of success. */
export const isOk = async (url: string): Promise<boolean> => (await fetch(url)).ok;

/** Posts JSON, and returns the text of the answer. Throws what was refused. */
export async function post(url: string, key: string, body: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} refused: ${text}`);
  return text;
}

/** Does something with the parts of a list in turn. */
export async function inParts<T>(
  list: readonly T[],
  atOnce: number,
  send: (part: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < list.length; from += atOnce) await send(list.slice(from, from + atOnce));
}
