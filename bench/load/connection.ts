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
  /** What an answer says when it is allowed, and no other does. */
  readonly allowed: RegExp;
}

type Prepared = ReturnType<typeof prepare>;

const END_OF_HEAD = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked\r\n/i;
const CLOSES = /\r\nconnection: *close\r\n/i;
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * A connection that stays open and carries one question at a time.
 *
 * Writes requests that were made beforehand to a plain socket, and reads the lengths of answers: an HTTP client of
 * Node takes more processor time than the servers that it would measure.
 *
 * Fails for a wrong answer, a status other than 200, and a lost connection.
 */
export async function openConnection(target: Target) {
  const { hostname, port } = new URL(target.url);
  let received = '';
  let waiting:
    | (Prepared & { readonly resolve: () => void; readonly reject: (error: Error) => void })
    | undefined;
  /** Whether the server said that it closes the connection: it does so after many requests. */
  let isLast = false;
  const fail = (message: string): void => waiting?.reject(new Error(message));
  const open = async (): Promise<Socket> => {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(opened, 'connect');
    opened.on('error', (error) => fail(error.message));
    opened.on('close', () => fail(`${target.url} closed a connection`));
    opened.on('data', (chunk) => receive(chunk.toString('latin1')));
    return opened;
  };
  let socket = await open();
  const close = (): void => void socket.removeAllListeners('close').destroy();
  function receive(text: string): void {
    received += text;
    if (waiting === undefined || !isWhole(received)) return;
    const { question, resolve } = waiting;
    if (!received.startsWith('HTTP/1.1 200 ') || target.allowed.test(received) !== question.allowed) {
      fail(`wrong answer of ${target.url}: ${question.body}: ${received}`);
      return;
    }
    isLast = CLOSES.test(received);
    received = '';
    waiting = undefined;
    resolve();
  }
  return {
    /** Until the whole answer is there. Rejects for a wrong answer. */
    ask: async (prepared: Prepared): Promise<void> => {
      if (isLast) {
        close();
        socket = await open();
        isLast = false;
      }
      await new Promise<void>((resolve, reject) => {
        waiting = { ...prepared, resolve, reject };
        socket.write(prepared.request);
      });
    },
    close,
  };
}

/** The question with the bytes of its request. */
export function prepare({ url, token }: Target, question: Asked) {
  const { host, pathname } = new URL(url);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(question.body)}`,
  ];
  return { request: new TextEncoder().encode(head.join('\r\n') + END_OF_HEAD + question.body), question };
}

/** Whether all of an answer has arrived. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf(END_OF_HEAD);
  if (end < 0) return false;
  const head = answer.slice(0, end + 2);
  const length = LENGTH.exec(head)?.[1];
  if (length !== undefined) return answer.length - end - END_OF_HEAD.length >= Number(length);
  if (!CHUNKED.test(head)) throw new Error(`an answer does not say its length: ${answer}`);
  return answer.endsWith(LAST_CHUNK);
}
