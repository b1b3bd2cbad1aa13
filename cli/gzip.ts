import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { beginningOf } from './input-file.ts';

/** The first bytes of gzip (RFC 1952 section 2.3.1). */
const MAGIC = [0x1f, 0x8b];

/** Whether a fault is one of bytes that are no whole gzip file. */
export const isOfGzip = (error: unknown): boolean =>
  /^Z_/.test(String((error as NodeJS.ErrnoException | undefined)?.code));

/** Bytes, unpacked where the first two say that gzip has packed them. */
export async function unpacked(input: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const { head, from } = await beginningOf(input, (length) => length >= MAGIC.length);
  if (!MAGIC.every((byte, position) => head[position] === byte)) return from(0);
  const out = new PassThrough();
  pipeline(Readable.from(from(0), { objectMode: false }), createGunzip(), out).catch((error: Error) =>
    out.destroy(error),
  );
  return out;
}
