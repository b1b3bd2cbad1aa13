import { fromBase64Url, toBase64Url } from '../../../table/index.ts';
import type { Texts } from '../../playground/model.ts';

/** The most characters of packed texts: programs that pass links on cut longer ones. */
export const MAX_PACKED = 60_000;

/** The most bytes of texts that are unpacked: a short link can hold many times its length. */
export const MAX_UNPACKED = 1_048_576;

/** The texts of a link cannot be had; the message says what to do. */
export class BrokenLink extends Error {
  override readonly name = 'BrokenLink';
}

const BROKEN = 'the link is incomplete or damaged: ask for it again, or open an example';

/** @returns the texts as JSON, deflated, in base64url, for the address; undefined if that is too long for a link */
export async function packTexts({ manifest, tests }: Texts): Promise<string | undefined> {
  const bytes = Uint8Array.from(new TextEncoder().encode(JSON.stringify([manifest, tests])));
  if (bytes.length > MAX_UNPACKED) return undefined;
  const deflated = await read(through(bytes, new CompressionStream('deflate-raw')), MAX_UNPACKED);
  const packed = toBase64Url(deflated);
  return packed.length > MAX_PACKED ? undefined : packed;
}

/**
 * The texts of a link.
 *
 * @throws BrokenLink
 */
export async function unpackTexts(packed: string): Promise<Texts> {
  if (packed.length > MAX_PACKED)
    throw new BrokenLink('the link is too long: ask for the manifest as a file and open that');
  let texts: unknown;
  try {
    const stream = through(Uint8Array.from(fromBase64Url(packed)), new DecompressionStream('deflate-raw'));
    const bytes = await read(stream, MAX_UNPACKED);
    texts = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw error instanceof BrokenLink ? error : new BrokenLink(BROKEN);
  }
  const [manifest, tests, ...others] = Array.isArray(texts) ? texts : [];
  if (typeof manifest !== 'string' || typeof tests !== 'string' || others.length > 0)
    throw new BrokenLink(BROKEN);
  return { manifest, tests };
}

type Bytes = Uint8Array<ArrayBuffer>;

const through = (bytes: Bytes, transform: CompressionStream | DecompressionStream) =>
  new Blob([bytes]).stream().pipeThrough(transform) as ReadableStream<Bytes>;

async function read(stream: ReadableStream<Bytes>, most: number): Promise<Bytes> {
  const parts: Bytes[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    length += next.value.length;
    if (length > most) {
      await reader.cancel();
      throw new BrokenLink('the texts of the link are too large: ask for them as files and open those');
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
