import type { Target } from '../load/connection.ts';
import type { Question } from '../model/world.ts';

/** A server under measurement, with a world in it. */
export interface PeerServer {
  readonly target: Target;
  readonly bodyOf: (question: Question) => string;
  /** Whether it allows everything, and its answers are no decisions. */
  readonly isConstant?: boolean;
  readonly pid: number;
  /** Milliseconds from the start of its process until it served. */
  readonly startedInMs: number;
  /** Milliseconds that the loading of the world took through its API; undefined if it was not loaded so. */
  readonly loadedInMs: number | undefined;
  readonly stop: () => Promise<void>;
}

/** What is asked of a server's caches. */
export interface Staleness {
  /** How old an answer may be. 0: its caches are off. */
  readonly ttlSeconds: number;
}

/** Posts JSON, and returns the text of the answer. Throws what was refused. */
export async function post(url: string, key: string, body: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} refused: ${text}`);
  return text;
}

/** As {@link post}, where the answer is JSON too. */
export const postJson = async (
  url: string,
  key: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> => JSON.parse(await post(url, key, body));
