import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One question to a server, and its answer. */
export interface Asked {
  /** The JSON of the request. */
  readonly body: string;
  readonly allowed: boolean;
}

/** Where and how questions are asked: by POST over HTTP/1.1. */
export interface Target {
  readonly url: string;
  readonly token: string;
  /** The field of an answer that says whether it is allowed. */
  readonly field: string;
}

export interface ClosedLoopPlan {
  readonly target: Target;
  /** Kept open. Each sends its next question as soon as the last one is answered. */
  readonly connections: number;
  readonly questions: readonly Asked[];
}

export interface ClosedLoopResult {
  /** From the first question sent to the last answer. */
  readonly seconds: number;
  /** Milliseconds of each answer, from the writing of its request. */
  readonly latencies: readonly number[];
}

const END_OF_HEAD = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;

/**
 * Asks all questions over a few connections and compares every answer. The client writes requests that were
 * made beforehand to plain sockets, and reads the lengths of answers: an HTTP client of Node takes more
 * processor time than the servers that it would measure.
 *
 * @throws Error for a wrong answer, a status other than 200 and a lost connection
 */
export async function runClosedLoop({
  target,
  connections,
  questions,
}: ClosedLoopPlan): Promise<ClosedLoopResult> {
  const requests = questions.map(({ body }) => requestOf(target, body));
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(target)));
  const latencies: number[] = [];
  let next = 0;

  const work = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let [question, sentAt, received] = [questions[0] as Asked, 0, ''];
      const send = (): void => {
        if (next === questions.length) {
          resolve();
          return;
        }
        question = questions[next] as Asked;
        const request = requests[next++] as Uint8Array;
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on('error', reject);
      socket.on('close', () => reject(new Error(`${target.url} closed a connection`)));
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        const body = bodyIn(received);
        if (body === undefined) return;
        latencies.push(performance.now() - sentAt);
        if (!received.startsWith('HTTP/1.1 200 ') || JSON.parse(body)[target.field] !== question.allowed)
          return reject(new Error(`wrong answer of ${target.url}: ${question.body}: ${received}`));
        received = '';
        send();
      });
      send();
    });

  const begun = performance.now();
  try {
    await Promise.all(sockets.map(work));
    return { seconds: (performance.now() - begun) / 1_000, latencies };
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
}

function requestOf({ url, token }: Target, body: string): Uint8Array {
  const { host, pathname } = new URL(url);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return new TextEncoder().encode(head.join('\r\n') + END_OF_HEAD + body);
}

async function openSocket({ url }: Target): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** The body of an answer; undefined until all of it has arrived. */
function bodyIn(answer: string): string | undefined {
  const end = answer.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const length = LENGTH.exec(answer.slice(0, end + 2))?.[1];
  if (length === undefined) throw new Error(`an answer does not say its length: ${answer}`);
  const body = answer.slice(end + END_OF_HEAD.length);
  return body.length < Number(length) ? undefined : body;
}
