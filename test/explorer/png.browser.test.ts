import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { serveFolder } from '../support/static-server.ts';
import { decodePng, encodePng, type Picture } from './png.ts';

/** A picture in which the colour of a pixel follows from its place. */
function drawn(width: number, height: number, colour: (x: number, y: number) => readonly number[]): Picture {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1)
    pixels.set(colour(at % width, Math.floor(at / width)), at * 3);
  return { width, height, pixels };
}

/** The picture as Chromium shows it. */
async function shown(picture: Picture): Promise<Picture> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-png-'));
  writeFileSync(join(folder, 'picture.png'), encodePng(picture));
  writeFileSync(
    join(folder, 'index.html'),
    '<link rel="icon" href="data:,"><img src="picture.png" alt="drawn">',
  );
  const served = await serveFolder(folder);
  onTestFinished(async () => {
    await served.close();
    rmSync(folder, { recursive: true });
  });
  const { page } = await openPage({ url: served.url });
  return decodePng(await page.getByRole('img').screenshot());
}

test('a picture of few colours is written without loss', async () => {
  const picture = drawn(40, 30, (x, y) => [x * 6, y < 15 ? 0 : 255, 128]);
  expect(await shown(picture)).toEqual(picture);
});

test('of many colours it keeps the most frequent, and takes what is like them for the others', async () => {
  // Half of it is white; the other half has 1,200 shades of grey and blue.
  const picture = drawn(60, 40, (x, y) => (y < 20 ? [255, 255, 255] : [x * 2, x * 2, 100 + y]));
  const { pixels } = await shown(picture);
  expect(pixels.subarray(0, 60 * 20 * 3)).toEqual(picture.pixels.subarray(0, 60 * 20 * 3));
  const farthest = Math.max(...picture.pixels.map((value, at) => Math.abs(value - (pixels[at] ?? 0))));
  expect(farthest).toBeLessThan(110);
});
