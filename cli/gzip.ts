import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** The first bytes of gzip (RFC 1952 section 2.3.1). */
const MAGIC = [0x1f, 0x8b];

/** Whether a fault is one of bytes that are no whole gzip file. */
export const isOfGzip = (error: unknown): boolean =>
  /^Z_/.test(String((error as NodeJS.ErrnoException | undefined)?.code));

/** Bytes, unpacked where the first two say that gzip has packed them. */
export async function unpacked(input: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = input[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let length = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head.push(next.value);
    length += next.value.length;
    if (length >= MAGIC.length) break;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* head;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  const first = Buffer.concat(head);
  if (!MAGIC.every((byte, position) => first[position] === byte)) return all();
  const out = new PassThrough();
  pipeline(Readable.from(all(), { objectMode: false }), createGunzip(), out).catch((error: Error) =>
    out.destroy(error),
  );
  return out;
}
