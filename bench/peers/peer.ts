import { freePort } from '../../local/embedded-engine.ts';
import type { Target } from '../load/connection.ts';
import type { Question } from '../model/world.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** How a server with a world in it is asked. */
export interface Asking {
  readonly target: Target;
  readonly bodyOf: (question: Question) => string;
  /** Whether it allows everything, and its answers are no decisions. */
  readonly isConstant?: boolean;
}

/** A server under measurement. */
export type PeerServer = Asking & ServerProcess;

/** What differs from server to server. */
interface Peer {
  /** The name of its binary, if it is not Node: the path of another one in the variable of that name, as in `OPENFGA`. */
  readonly binary?: string;
  /** How to get the version that figures are of. */
  readonly hint?: string;
  readonly words: (http: number, grpc: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A path that it answers with success when it serves. */
  readonly health: string;
  readonly fill: (url: string) => Promise<Asking>;
}

/** Starts a server, and fills it with a world. */
export async function startPeer({ binary, hint, words, env, health, fill }: Peer): Promise<PeerServer> {
  const [http, grpc] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const server = await startServer({
    command: binary === undefined ? process.execPath : (process.env[binary.toUpperCase()] ?? binary),
    words: words(http, grpc),
    env,
    hint: `get it with: ${hint}`,
    isServing: async () => (await fetch(url + health)).ok,
  });
  try {
    return { ...server, ...(await fill(url)) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Posts JSON, and returns the text of the answer. Throws what was refused. */
export async function post(url: string, key: string, body: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} refused: ${text}`);
  return text;
}
