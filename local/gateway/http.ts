import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type GatewayRequest, MAX_BODY_BYTES } from './request.ts';
import type { GatewayResponse } from './responses.ts';

/**
 * Reads a body of at most `limit` bytes; undefined when it is longer. A longer one is read to its end and
 * dropped, because a client whose connection is closed while it sends does not see the answer.
 *
 * @throws when the client disconnects
 */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= limit ? Buffer.concat(chunks) : undefined;
}

/** Answers with a JSON body. */
export function sendJson(
  outgoing: ServerResponse,
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(statusCode, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(body));
}

/** Waits for `work` at most `ms` milliseconds; a later result is ignored. */
export async function withTimeout<Result>(work: Promise<Result>, ms: number, late: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(late)), ms);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** A copy through JSON, as Lambda's events and answers are passed. */
export function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

/** The request as received, with its body. */
export function toGatewayRequest(incoming: IncomingMessage, body: Buffer | undefined): GatewayRequest {
  const raw = incoming.rawHeaders;
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    protocol: `HTTP/${incoming.httpVersion}`,
    // Not `incoming.headers`: Node drops or merges duplicates there, each header by its own rule.
    headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : [])),
    body,
    sourceIp: (incoming.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  };
}

/**
 * Puts a gateway behind `node:http`. Node itself refuses headers beyond its `maxHeaderSize` (16 KiB) with a
 * bare 431, above the gateway's own limit.
 */
export function toListener(gateway: (request: GatewayRequest) => Promise<GatewayResponse>): RequestListener {
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { statusCode, headers, body } = await gateway(
      toGatewayRequest(incoming, await readBody(incoming, MAX_BODY_BYTES)),
    );
    outgoing.writeHead(statusCode, headers);
    outgoing.end(body);
  };
  return (incoming, outgoing) => {
    // Only when the client disconnects: the gateway answers every other fault.
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  };
}
