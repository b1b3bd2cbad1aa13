import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Pixels from the top left, three bytes each: red, green, blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLOURS_OF_A_PALETTE = 256;

/**
 * Writes a picture as a PNG with a palette, which for drawn pages takes a third of the bytes. A picture of more than 256
 * colours keeps the most frequent; each other colour becomes the one of them that is most like it.
 */
export function encodePng({ width, height, pixels }: Picture): Buffer {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = colourAt(pixels, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts]
    .sort(([one, often], [other, seldom]) => seldom - often || one - other)
    .slice(0, COLOURS_OF_A_PALETTE)
    .map(([colour]) => colour);
  const positions = new Map([...counts.keys()].map((colour) => [colour, mostLike(palette, colour)]));
  // A line begins with its filter: 0, none, is best for palettes.
  const lines = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < width * height; at += 1) {
    const line = Math.floor(at / width);
    lines[line * (width + 1) + 1 + (at % width)] = positions.get(colourAt(pixels, at * 3)) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per pixel, of a palette.
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const colourAt = (pixels: Uint8Array, at: number): number =>
  ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);

function mostLike(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [position, other] of palette.entries()) {
    const [red, green, blue] = [16, 8, 0].map((bits) => ((colour >> bits) & 255) - ((other >> bits) & 255));
    const distance = (red ?? 0) ** 2 + (green ?? 0) ** 2 + (blue ?? 0) ** 2;
    if (distance < least) [best, least] = [position, distance];
  }
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Reads a PNG as browsers write them: eight bits per channel, with or without transparency, which is dropped. */
export function decodePng(png: Buffer): Picture {
  const parts = new Map<string, Buffer[]>();
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    parts.set(type, [...(parts.get(type) ?? []), png.subarray(at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  const [header] = parts.get('IHDR') ?? [];
  if (!header) throw new Error('a PNG without a header');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9] ?? 0];
  if (header[8] !== 8 || !channels || header[12] !== 0) throw new Error('a PNG of a form that is not read');
  const lines = unfilter(inflateSync(Buffer.concat(parts.get('IDAT') ?? [])), width * channels, channels);
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1)
    pixels.set(lines.subarray(at * channels, at * channels + 3), at * 3);
  return { width, height, pixels };
}

/** Undoes the filters of the lines (PNG specification, section 9). */
function unfilter(data: Uint8Array, lineBytes: number, channels: number): Uint8Array {
  const count = data.length / (lineBytes + 1);
  const lines = new Uint8Array(count * lineBytes);
  for (let line = 0; line < count; line += 1) {
    const filter = data[line * (lineBytes + 1)] ?? 0;
    for (let column = 0; column < lineBytes; column += 1) {
      const at = line * lineBytes + column;
      const left = column < channels ? 0 : (lines[at - channels] ?? 0);
      const above = line === 0 ? 0 : (lines[at - lineBytes] ?? 0);
      const corner = line === 0 || column < channels ? 0 : (lines[at - lineBytes - channels] ?? 0);
      const added = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      lines[at] = (data[line * (lineBytes + 1) + 1 + column] ?? 0) + added;
    }
  }
  return lines;
}

function paeth(left: number, above: number, corner: number): number {
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
