/** Bytes of the largest body of the permissions endpoint. */
export const MAX_BODY = 16_384;

/** What is larger than it may be. */
export const TOO_LARGE = Symbol('too large');

/** A body as a framework has it: parsed, text, bytes, none, or too large. */
export type Body = unknown | typeof TOO_LARGE;

/** A readable stream of the Web. */
export interface BodyStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

/** A request of Node: its events, and the body if a parser has read it. */
export interface NodeBody {
  readonly body?: unknown;
  readonly readableEnded?: boolean | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the arguments differ by event
  on?(event: string, listener: (...values: any[]) => void): unknown;
}

/** The body of a request of Node, read here if nobody read it before; undefined for one that breaks off. */
export function bodyOfNode(request: NodeBody): Promise<Body> {
  if (request.body !== undefined || request.readableEnded || !request.on)
    return Promise.resolve(request.body);
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on?.('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      else resolve(TOO_LARGE);
    });
    request.on?.('end', () => resolve(Buffer.concat(chunks)));
    // The client went away: its answer goes nowhere.
    request.on?.('error', () => resolve(undefined));
    request.on?.('close', () => resolve(undefined));
  });
}

/** The body of a request of the Web, of at most so many bytes. */
export async function bodyOfStream(
  stream: BodyStream | null,
  most = MAX_BODY,
): Promise<Uint8Array | typeof TOO_LARGE | undefined> {
  if (stream === null) return undefined;
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value?.length ?? 0;
    if (size > most) {
      await reader.cancel();
      return TOO_LARGE;
    }
    if (value) chunks.push(value);
  }
}
